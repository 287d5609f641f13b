package schema

import "stele/internal/base/schema/codes"

// Value is a word of a closed list, with its meaning.
type Value struct{ Word, Doc string }

// Format is the form that a text must have.
type Format struct {
	Code    codes.Code                           // of the problem with a text of another form
	Problem func(s string) (message, fix string) // both empty if s has the form
	Schema  map[string]any                       // the form in JSON Schema, as far as it can be expressed
	// Rule checks more than the form, reports problems, and returns whether text is valid; nil for
	// no more checks.
	Rule func(d *Decoder, i int32, m *Member, text string) bool
}
