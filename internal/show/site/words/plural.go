package words

import "strings"

// Forms are how something is said of a number, by the categories of Unicode's plural rules: zero,
// one, two, few, many, other. {n} is the number.
type Forms map[string]string

// Counted says something of a number.
func (t *Set) Counted(forms Forms, n int) string {
	return strings.Replace(forms[t.Language.Plural(n)], "{n}", t.Int(int64(n)), 1)
}
