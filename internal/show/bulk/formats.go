package bulk

import (
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// Format is a download format, named by its file extension.
type Format string

// The formats.
const (
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	SQLite  Format = "sqlite"
)

// Formats lists all formats in the order in which their files are written.
var Formats = []Format{NDJSON, CSV, Parquet, SQLite}

// trait contains the properties of a download format.
type trait struct {
	name   string // usual name
	always bool   // whether the default includes it for any number of records
	// table starts a file of one kind; nil if one file contains all kinds
	table func(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error)
}

// traits of the formats. Parquet is small and fast at any size. The others are at least as large as
// the collections, which also have one record per line, and indicators have files of their own.
// docs/decisions/downloads-by-default.md has measurements.
var traits = map[Format]trait{
	NDJSON:  {name: "NDJSON", table: newNDJSON},
	CSV:     {name: "CSV", table: newCSV},
	Parquet: {name: "Parquet", always: true, table: newParquet},
	SQLite:  {name: "SQLite"},
}

// Above these numbers of records, in total or of one kind, the default omits the formats that are
// not always created.
const maxByDefault, maxOfKind = 250_000, 50_000
