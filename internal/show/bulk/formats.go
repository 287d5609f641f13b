package bulk

import (
	"io"
	"math"

	"stele/internal/build/render"
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
	upTo   int    // above so many records, the default leaves the format out
	ofKind int    // above so many of a kind, it leaves out that kind
	// table begins one of a kind; nil where one file has all kinds
	table func(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error)
}

// traits of the formats. Parquet is small and quick to make at any size, and SQLite is what people
// ask for of any; of a large kind NDJSON and CSV weigh as much as its collection each, which has a
// record on each line too. docs/decisions/downloads-by-default.md has the figures.
var traits = map[Format]trait{
	NDJSON:  {name: "NDJSON", upTo: 250_000, ofKind: 50_000, table: newNDJSON},
	CSV:     {name: "CSV", upTo: 250_000, ofKind: 50_000, table: newCSV},
	Parquet: {name: "Parquet", upTo: math.MaxInt, ofKind: math.MaxInt, table: newParquet},
	SQLite:  {name: "SQLite", upTo: math.MaxInt},
}
