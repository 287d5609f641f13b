package bulk

import (
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// Format is a format of downloads. It is also how the names of their files end.
type Format string

// The formats.
const (
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	SQLite  Format = "sqlite"
)

// Formats are all formats, in the order in which their files are written.
var Formats = []Format{NDJSON, CSV, Parquet, SQLite}

// trait is what is particular to a format.
type trait struct {
	name   string // that it is known by
	always bool   // whether the default has it of any number of records
	// table begins one of a kind; nil where one file has all kinds
	table func(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error)
}

// traits of the formats. Parquet is small and quick to make at any size. The others weigh as much
// as the collections, or more; those have a record on each line too, and indicators have files of
// their own. docs/decisions/downloads-by-default.md has the figures.
var traits = map[Format]trait{
	NDJSON:  {name: "NDJSON", table: newNDJSON},
	CSV:     {name: "CSV", table: newCSV},
	Parquet: {name: "Parquet", always: true, table: newParquet},
	SQLite:  {name: "SQLite"},
}

// Above so many records, and so many of a kind, the default leaves out what is not always made.
const mostByDefault, mostOfKind = 250_000, 50_000
