// Package input reads a publisher's folder: settings, defaults, and records in YAML, JSON, NDJSON
// and CSV.
//
// Records come out in a fixed order, whatever the number of cores: by kind in the order of the
// table, then by path, then as they stand in the file. What is wrong with a file comes out as
// problems in its place; the other files are read all the same. NDJSON and CSV are streamed, so a
// file may be larger than memory. Everything else has a limit.
package input

import (
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Limits on what is read. Nothing that a person writes comes near them.
const (
	maxJSON   = 64 << 20 // bytes of a JSON file
	maxYAML   = 16 << 20 // bytes of a YAML file; parsed, it takes seventy times as much
	maxLine   = 4 << 20  // bytes of a line of NDJSON or a row of CSV
	maxRecord = 16 << 20 // bytes of the names and texts of a record; readers take lines of layout.MaxLine
	maxNested = 100      // _defaults.yaml that hold for one record

	maxColumns = 10_000    // columns of CSV
	maxAliased = 256 << 20 // bytes that the aliases of a YAML file may stand for
)

// DefaultsFile is the file that gives members to all records of its folder.
const DefaultsFile = "_defaults.yaml"

// SettingsFile is the file that makes a folder a publisher's.
const SettingsFile = "stele.yaml"

// RedactionsFile is where a publisher keeps what releases leave out for good.
const RedactionsFile = "redactions.yaml"

// Item is a record as it was written, or problems that took the place of one.
type Item struct {
	Kind     *record.Kind
	Tree     *schema.Tree // nil where there is no record; valid until the worker returns
	Own      *schema.Tree // the same without its defaults: what stands in the record's own file
	Problems []schema.Problem
	Named    []Named // rows that files beside tables name
	Source   *Source // the file that it stands in; nil where it stands in none
}

// Source is a file of records.
type Source struct {
	Path   string
	Digest uint64 // of the file and of its defaults, where BatchesSince asks for it
	Known  bool   // nothing of it has changed: one item stands for all of its records
}

// fault makes a problem that concerns a position in a file.
func fault(code codes.Code, file string, at schema.Pos, message, fix string) *schema.Problem {
	return &schema.Problem{
		Code: code, File: file, Line: int(at.Line), Column: int(at.Column), Message: message, Fix: fix,
	}
}
