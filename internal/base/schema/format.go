package schema

import "stele/internal/base/schema/codes"

// Value is a word of a closed list and what it means.
type Value struct{ Word, Doc string }

// Format is the form that a text must have.
type Format struct {
	Code    codes.Code                           // of the problem that it has not
	Problem func(s string) (message, fix string) // both empty if it has
	Schema  map[string]any                       // the same in JSON Schema, as far as that can say it
	// Rule holds a text of this form to more, and reports whether it may stand; nil for no more.
	Rule func(d *Decoder, i int32, m *Member, text string) bool
}
