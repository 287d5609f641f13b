// Package record is the ground floor: what a public record is.
//
// It holds the table of kinds and routes (Kinds), a Go type for each kind, the envelope that all
// share, the closed lists, and what a record must satisfy by itself. The Go types are the one
// definition: internal/base/schema derives decoding, checking, encoding and JSON Schema from them.
//
// Unmarshal, or json.Unmarshal into a kind's type, reads a published record. A Parser also holds it
// to the rules. Marshalling gives an equal record again, with members in declared order and numbers
// in their author's digits. The package reads no files.
//
// No stability of any schema is promised.
package record

// Record is a pointer to one of the types of this package that embed Envelope.
type Record interface {
	// Common is the envelope that every kind of record has.
	Common() *Envelope
}

// checked is implemented by kinds that have rules of their own, beyond the shape of their members.
type checked interface {
	check(c *checker)
}
