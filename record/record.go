// Package record is the ground floor: what a public record is.
//
// It holds the table of kinds and routes (kinds.go), a Go type for each kind, the envelope that all
// share, the closed lists, and what a record must satisfy by itself. The Go types are the one
// definition: decoding, checking, encoding and JSON Schema are derived from them (shape.go).
//
// The package reads no files, and of formats it knows only JSON, in which records are published. A
// Decoder is given a Tree, a value with positions, and answers with a typed record, its references
// to other records, and its problems. Encoding a decoded record gives an equal record again, with
// members in declared order and numbers in their author's digits.
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
