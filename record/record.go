// Package record defines public records.
//
// It contains the table of kinds and their paths (Kinds), a Go type for each kind, the envelope
// that all kinds share, the closed lists, and the rules about single records. The Go types are the
// only definition: internal/base/schema derives decoding, checking, encoding and JSON Schema from
// them.
//
// Unmarshal, or json.Unmarshal into a kind's type, decodes a published record. A Parser also
// applies the rules. Marshalling restores an equal record, with members in declared order and
// numbers in their author's digits. The package reads no files.
//
// No stability of any schema is promised.
package record

// Record is a pointer to a type of this package that embeds Envelope.
type Record interface {
	// Common returns the envelope, which every kind of record has.
	Common() *Envelope
}

// checked is implemented by kinds with rules beyond the shapes of their members.
type checked interface {
	check(c *checker)
}
