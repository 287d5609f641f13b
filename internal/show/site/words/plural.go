package words

import "strings"

// Forms are the forms of a text with a number, by the categories of Unicode's plural rules: zero,
// one, two, few, many, other. {n} is the number.
type Forms map[string]string

// Counted returns the form for a number.
func (t *Set) Counted(forms Forms, n int) string {
	return strings.Replace(forms[t.Language.Plural(n)], "{n}", t.Int(int64(n)), 1)
}
