// Package sheet reads tables as people have them: CSV of any make, workbooks of Excel and
// LibreOffice, JSON, NDJSON, Parquet and SQLite. Whatever the file, a table is rows of cells, and
// the digits of a number are those of the file; of a workbook's the fifteen that it keeps.
package sheet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Kind is what a file holds in a cell.
type Kind int

// The kinds of cells. In a CSV file every cell is Text.
const (
	Text   Kind = iota // characters, which may well be a number as somebody typed it
	Number             // a number as JSON writes it
	Date               // a day, month or year: 2024-05-01, 2024-05, 2024
	Fault              // an error of a spreadsheet, such as #REF!
)

// Cell is a place of a table. One that is empty has no text.
type Cell struct {
	Text string
	Kind Kind
}

// Row is a row of a table. Cells that are missing at its end are empty.
type Row struct {
	Line  int // of the file, or the number of the row in its sheet, from 1
	Cells []Cell
}

// At is a cell, which is empty beyond the last one.
func (r Row) At(i int) Cell {
	if i < 0 || i >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[i]
}

// Options are how to read a file. All may be left out.
type Options struct {
	Sheet     string // a sheet of a workbook, or a table of a database; otherwise the first one
	Path      string // where the rows are in a JSON file: names and places, such as data.0.rows
	Encoding  string // of a CSV file: utf-8, utf-16, windows-1252, iso-8859-1 …; otherwise found out
	Delimiter string // of a CSV file: otherwise found out
}

// Table is a table in a file.
type Table struct {
	Format string   // csv, xlsx, ods, json, ndjson, parquet or sqlite
	Sheets []string // those of the file, where it can have several
	Notes  []string // what was found out about the file, for people
	rows   func(yield func(Row, error) bool)
	close  func() error
}

// Rows yields the rows, which are valid until the next one. It can be called again. A file whose
// columns have names, as JSON, Parquet and SQLite have, begins with a row of them, in line 0.
func (t *Table) Rows() iter.Seq2[Row, error] { return t.rows }

// Close closes the file.
func (t *Table) Close() error { return t.close() }

// What a table may have at most.
const (
	maxColumns = 16_384 // as Excel
	maxCell    = 4 << 20
	maxRows    = 1 << 20 // of a workbook, as Excel and LibreOffice
)

// ErrLimit is in errors about tables that are larger than any that is read.
var ErrLimit = errors.New("too large")

var formats = map[string]func(*os.File, Options) (*Table, error){
	"csv": openCSV, "tsv": openCSV, "tab": openCSV, "txt": openCSV,
	"xlsx": openXLSX, "xlsm": openXLSX, "ods": openODS,
	"json": openJSON, "ndjson": openNDJSON, "jsonl": openNDJSON,
	"parquet": openParquet, "sqlite": openSQLite, "sqlite3": openSQLite, "db": openSQLite,
}

// Open opens a table. The name's ending says what it is.
func Open(path string, o Options) (*Table, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	open, found := formats[ending]
	switch {
	case ending == "xls":
		return nil, errors.New("the old format of Excel (.xls) is not read: save it as .xlsx or .csv")
	case !found:
		return nil, fmt.Errorf("%q is no ending of a table: csv, tsv, xlsx, ods, json, ndjson, parquet and sqlite are read", filepath.Ext(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := open(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	done := t.close
	t.close = func() error {
		err := f.Close()
		if done != nil {
			err = errors.Join(done(), err)
		}
		return err
	}
	return t, nil
}

// pick finds a sheet by its name; the first where none is given.
func pick(sheets []string, name string) (int, error) {
	if len(sheets) == 0 {
		return 0, errors.New("there is no table in it")
	}
	if name == "" {
		return 0, nil
	}
	for i, s := range sheets {
		if s == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no sheet %q; there are %s", name, strings.Join(sheets, ", "))
}

// bounded reads at most so much, and then fails rather than ends.
type bounded struct {
	io.Reader
	left int64
	what string
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%s is %w", b.what, ErrLimit)
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
