package words

import "strings"

// Forms contains the forms of a text with a number, by the categories of Unicode's plural rules:
// zero, one, two, few, many and other. {n} is replaced by the number.
type Forms map[string]string

// Counted returns the form for n, with n filled in.
func (t *Set) Counted(forms Forms, n int) string {
	return strings.Replace(forms[t.Language.Plural(n)], "{n}", t.Int(int64(n)), 1)
}
