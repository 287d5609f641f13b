// Package sheet reads tables from CSV files of any dialect, Excel workbooks, JSON and NDJSON, and
// writes workbooks. A table is rows of cells. Numbers keep the digits of the file, or the fifteen
// that a workbook stores. A cell with an error, such as #REF!, does not stop reading: it is a
// Fault.
package sheet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Kind is the type of a cell.
type Kind uint8

// The kinds of cells. In a CSV file every cell is Text.
const (
	Text   Kind = iota // characters, which may form a number
	Number             // a number as JSON writes it
	Date               // a day, month or year: 2024-05-01, 2024-05, 2024
	Fault              // a spreadsheet error, such as #REF!, or a time of day; the text describes it
)

// Cell is a cell of a table. An empty cell has no text.
type Cell struct {
	Text    string
	Kind    Kind
	Percent bool // whether it is a percentage; the text is the number before the % sign
	Hidden  bool // whether its column is hidden in the workbook
	Merged  bool // whether its text is from another cell that it is merged with
}

// Row is a row of a table. Empty cells at its end may be missing.
type Row struct {
	Line   int    // line in the file, or number of the row in its sheet, from 1
	Sheet  string // name of the sheet, if several are joined
	Cells  []Cell
	Hidden bool // whether it is hidden in the workbook
}

// At returns cell i, which is empty beyond the last one.
func (r Row) At(i int) Cell {
	if i < 0 || i >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[i]
}

// Options say how to read a file. All are optional.
type Options struct {
	Sheet     string // the sheet of a workbook; by default the first visible one
	Path      string // of the rows in a JSON file: names and indexes, such as data.0.rows
	Encoding  string // of a CSV file: utf-8, utf-16, windows-1252, iso-8859-1 …; by default detected
	Delimiter string // of a CSV file; by default detected
}

// Table is a table in a file.
type Table struct {
	Format    string   // csv, xlsx, json or ndjson
	Sheets    []string // the visible sheets, if the format has sheets
	Hidden    []string // the hidden sheets
	Sheet     string   // the sheet of the table
	Notes     []string // what was detected, for people
	Delimiter rune     // of a CSV file; a comma for JSON
	Guessed   bool     // whether nothing in a CSV file shows its encoding; it may be one of Alternatives
	rows      func(yield func(Row, error) bool)
	close     func() error
}

// Rows yields the rows, each valid until the next. It can be called repeatedly. In formats that
// name columns, such as JSON, row 0 contains the column names.
func (t *Table) Rows() iter.Seq2[Row, error] { return t.rows }

func (t *Table) Close() error { return t.close() }

// Limits of a table.
const (
	maxColumns = 16_384 // as Excel
	maxCell    = 4 << 20
	maxRow     = 64 << 20 // of text, before it is split
	maxRows    = 1 << 20  // of a workbook, as in Excel and LibreOffice
)

// ErrLimit is part of errors about values that exceed a limit.
var ErrLimit = errors.New("too large")

// source is a file that fails to read once its context is done.
type source struct {
	io.ReaderAt
	size int64
	ctx  context.Context
}

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.ReaderAt.ReadAt(p, at)
}

// reader returns a reader of the whole file.
func (s *source) reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

var formats = map[string]func(*source, Options) (*Table, error){
	"csv": openCSV, "tsv": openCSV, "tab": openCSV, "txt": openCSV,
	"xlsx": openXLSX, "xlsm": openXLSX,
	"json": openJSON, "ndjson": openNDJSON, "jsonl": openNDJSON,
}

// Open opens the table in the file at path. The file's extension determines the format.
func Open(ctx context.Context, path string, o Options) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t, err := Read(ctx, path, f, info.Size(), o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.close = f.Close
	return t, nil
}

// Read opens the table in r, which has size bytes. The extension of name determines the format.
func Read(ctx context.Context, name string, r io.ReaderAt, size int64, o Options) (*Table, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	open, found := formats[ending]
	switch {
	case ending == "xls" || ending == "ods":
		return nil, fmt.Errorf("unsupported format .%s: save the workbook as .xlsx or .csv", ending)
	case !found:
		return nil, fmt.Errorf("unknown table format %q (known: csv, tsv, xlsx, json, ndjson)", filepath.Ext(name))
	}
	if ending == "tsv" && o.Delimiter == "" {
		o.Delimiter = "tab"
	}
	t, err := open(&source{r, size, ctx}, o)
	if err != nil {
		return nil, err
	}
	rows := t.rows
	t.rows = func(yield func(Row, error) bool) {
		rows(func(row Row, err error) bool {
			if err == nil {
				err = context.Cause(ctx) // small files can expand to very many rows
			}
			return yield(row, err) && err == nil
		})
	}
	t.close = func() error { return nil }
	return t, nil
}

// limitedReader reads at most left bytes in total, and at most leftInRow bytes until reset. Then it
// fails.
type limitedReader struct {
	io.Reader
	left      int64
	leftInRow int64
	what      string
}

// reset allows another row.
func (b *limitedReader) reset() { b.leftInRow = maxRow }

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.left <= 0 || b.leftInRow <= 0 {
		return 0, fmt.Errorf("%s is %w", b.what, ErrLimit)
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left, b.leftInRow)])
	b.left -= int64(n)
	b.leftInRow -= int64(n)
	return n, err
}
