// Package input reads a records folder: settings, defaults, and records in YAML, JSON, NDJSON and
// CSV.
//
// Records are returned in a fixed order, regardless of the number of cores: sorted by kind as in
// the table of kinds, then by path, then by position in the file. A problem of a file is returned
// instead of its records, and the other files are still read. NDJSON and CSV are streamed, so files
// can be larger than memory. Everything else has a limit.
package input

import (
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Limits of the input, far above the size of files that people write.
const (
	maxJSON   = 64 << 20 // bytes of a JSON file
	maxYAML   = 16 << 20 // bytes of a YAML file; parsed, it needs seventy times as much memory
	maxLine   = 4 << 20  // bytes of a line of NDJSON or a row of CSV
	maxRecord = 16 << 20 // bytes of the names and texts of a record; readers accept lines of layout.MaxLine
	maxNested = 100      // number of _defaults.yaml files for one record

	maxColumns = 10_000    // columns of CSV
	maxAliased = 256 << 20 // bytes to which the aliases of a YAML file can expand
)

// DefaultsFile is the file with the shared members of all records in its folder.
const DefaultsFile = "_defaults.yaml"

// SettingsFile is the file that marks a records folder.
const SettingsFile = "stele.yaml"

// RedactionsFile is the file with a publisher's redactions.
const RedactionsFile = "redactions.yaml"

// Item is a record as written, or the problems that replace it.
type Item struct {
	Kind     *record.Kind
	Tree     *schema.Tree // nil if there is no record; valid until the worker returns
	Own      *schema.Tree // the record without its defaults
	Problems []schema.Problem
	Named    []Named // rows named in corrections files
	Source   *Source // the file of the record; nil if there is none
}

// Source is a file of records.
type Source struct {
	Path   string
	Digest uint64 // of the file and its defaults, if BatchesSince requests it
	Known  bool   // unchanged: one item represents all of its records
}

// newProblem returns a problem at a position in a file.
func newProblem(code codes.Code, file string, at schema.Pos, message, fix string) *schema.Problem {
	return &schema.Problem{
		Code: code, File: file, Line: int(at.Line), Column: int(at.Column), Message: message, Fix: fix,
	}
}
