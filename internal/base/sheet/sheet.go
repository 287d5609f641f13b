// Package sheet reads tables as people have them: CSV of any make, workbooks of Excel and
// LibreOffice, JSON and NDJSON. Whatever the file, a table is rows of cells, and the digits of a
// number are those of the file; of a workbook's the fifteen that it keeps. A cell that is neither a
// text, a number nor a date stops nothing: it is a Fault, for whoever wants it.
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

// Kind is what a file holds in a cell.
type Kind uint8

// The kinds of cells. In a CSV file every cell is Text.
const (
	Text   Kind = iota // characters, which may well be a number as somebody typed it
	Number             // a number as JSON writes it
	Date               // a day, month or year: 2024-05-01, 2024-05, 2024
	Fault              // an error of a spreadsheet, such as #REF!, or a time of day; the text says which
)

// Cell is a place of a table. One that is empty has no text.
type Cell struct {
	Text    string
	Kind    Kind
	Percent bool // a number that a spreadsheet shows as so many per cent, which it is here too
	Hidden  bool // its column is hidden in the workbook
	Merged  bool // it has the text of the cell that it is merged with, above or before it
}

// Row is a row of a table. Cells that are missing at its end are empty.
type Row struct {
	Line   int    // of the file, or the number of the row in its sheet, from 1
	Sheet  string // the sheet, if several are joined
	Cells  []Cell
	Hidden bool // in the workbook
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
	Sheet     string // a sheet of a workbook; otherwise the first one that is not hidden
	Path      string // where the rows are in a JSON file: names and places, such as data.0.rows
	Encoding  string // of a CSV file: utf-8, utf-16, windows-1252, iso-8859-1 …; otherwise found out
	Delimiter string // of a CSV file: otherwise found out
}

// Table is a table in a file.
type Table struct {
	Format    string   // csv, xlsx, json or ndjson
	Sheets    []string // those of the file that are not hidden, where it can have several
	Hidden    []string // the sheets that are
	Sheet     string   // the one of a workbook that is read
	Notes     []string // what was found out about the file, for people
	Delimiter rune     // of a CSV file; JSON has a comma
	rows      func(yield func(Row, error) bool)
	close     func() error
}

// Rows yields the rows, which are valid until the next one. It can be called again. A file whose
// columns have names, as JSON has, begins with a row of them, in line 0.
func (t *Table) Rows() iter.Seq2[Row, error] { return t.rows }

// Close closes the file.
func (t *Table) Close() error { return t.close() }

// What a table may have at most.
const (
	maxColumns = 16_384 // as Excel
	maxCell    = 4 << 20
	maxRow     = 64 << 20 // of text, before it is taken apart
	maxRows    = 1 << 20  // of a workbook, as Excel and LibreOffice
)

// ErrLimit is in errors about tables that are larger than any that is read.
var ErrLimit = errors.New("too large")

// source is a file, whose reading ends with its context.
type source struct {
	io.ReaderAt
	size int64
	ctx  context.Context
}

// ReadAt reads, unless somebody wants no more of it.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.ReaderAt.ReadAt(p, at)
}

// reader reads from the beginning.
func (s *source) reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

var formats = map[string]func(*source, Options) (*Table, error){
	"csv": openCSV, "tsv": openCSV, "tab": openCSV, "txt": openCSV,
	"xlsx": openXLSX, "xlsm": openXLSX,
	"json": openJSON, "ndjson": openNDJSON, "jsonl": openNDJSON,
}

// Open opens a table. The name's ending says what it is.
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

// Read reads a table that is open already.
func Read(ctx context.Context, name string, r io.ReaderAt, size int64, o Options) (*Table, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	open, found := formats[ending]
	switch {
	case ending == "xls" || ending == "ods":
		return nil, fmt.Errorf("a workbook that ends in .%s is not read: save it as .xlsx or .csv", ending)
	case !found:
		return nil, fmt.Errorf("files that end in %q are not read as tables: csv, tsv, xlsx, json and ndjson are", filepath.Ext(name))
	}
	t, err := open(&source{r, size, ctx}, o)
	if err != nil {
		return nil, err
	}
	rows := t.rows
	t.rows = func(yield func(Row, error) bool) {
		rows(func(row Row, err error) bool {
			if err == nil {
				err = context.Cause(ctx) // a few bytes can stand for very many rows
			}
			return yield(row, err) && err == nil
		})
	}
	t.close = func() error { return nil }
	return t, nil
}

// bounded reads at most so much, and of it at most so much until reset, and then fails rather than
// ends.
type bounded struct {
	io.Reader
	left int64
	once int64
	what string
}

// reset says that a row or an element of the text is done.
func (b *bounded) reset() { b.once = maxRow }

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 || b.once <= 0 {
		return 0, fmt.Errorf("%s is %w", b.what, ErrLimit)
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left, b.once)])
	b.left -= int64(n)
	b.once -= int64(n)
	return n, err
}
