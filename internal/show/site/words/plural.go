package words

import "strings"

// Forms are how something is said of a number, by the categories of Unicode's plural rules: zero,
// one, two, few, many, other. {n} is the number.
type Forms map[string]string

// Counted says something of a number.
func (t *Set) Counted(forms Forms, n int) string {
	return strings.Replace(forms[t.plural(n)], "{n}", t.Int(int64(n)), 1)
}

// oneOther is the rule of English, and of many others.
func oneOther(n int) string {
	if n == 1 {
		return "one"
	}
	return "other"
}
