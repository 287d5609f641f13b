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

// arabic is the rule of Arabic in the Common Locale Data Repository.
func arabic(n int) string {
	switch rest := n % 100; {
	case n == 0:
		return "zero"
	case n == 1:
		return "one"
	case n == 2:
		return "two"
	case rest >= 3 && rest <= 10:
		return "few"
	case rest >= 11:
		return "many"
	}
	return "other"
}
