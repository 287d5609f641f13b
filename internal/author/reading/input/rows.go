package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// cell is a field of CSV with its position.
type cell struct {
	text string
	at   schema.Pos
}

// rowReader reads the rows of a CSV file.
type rowReader struct {
	file  string
	guard *rowGuard
	csv   *csv.Reader
	line  int  // the number of the last line read
	ended bool // the rest cannot be read
}

func newRowReader(file string, r io.Reader) *rowReader {
	guard := &rowGuard{r: &returnKeeper{r: r, buf: make([]byte, 32<<10)}}
	rows := csv.NewReader(guard)
	rows.FieldsPerRecord = -1 // splitCSV checks the number of cells
	return &rowReader{file: file, guard: guard, csv: rows}
}

func (r *rowReader) offset() int64 { return r.csv.InputOffset() }

// readRow reads a row. At the end of the file it returns nil.
func (r *rowReader) readRow() ([]cell, *schema.Problem) {
	r.guard.start, r.guard.commas = r.offset(), 0
	fields, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		r.ended = true
		return nil, nil
	}
	row := r.newCells(fields)
	if err != nil {
		return nil, r.rowProblem(row, err)
	}
	for _, c := range row {
		if problem := checkText(r.file, []byte(c.text), c.at.Line); problem != nil {
			problem.Line, problem.Column = int(c.at.Line), int(c.at.Column)
			return nil, problem
		}
	}
	return row, nil
}

// newCells returns the fields with their positions. The CSV reader counts columns in bytes;
// positions count characters.
func (r *rowReader) newCells(fields []string) []cell {
	row := make([]cell, len(fields))
	more := 0 // number of bytes minus number of characters on the current line, up to the field
	for i, text := range fields {
		line, col := r.csv.FieldPos(i)
		if line != r.line {
			r.line, more = line, 0
		}
		row[i] = cell{text, schema.Pos{Line: int32(line), Column: int32(col - more)}}
		if last := strings.LastIndexByte(text, '\n'); last >= 0 {
			r.line += strings.Count(text, "\n")
			text, more = text[last+1:], 0
		}
		more += len(text) - utf8.RuneCountInString(text)
	}
	return row
}

// rowProblem returns the problem of a row of which only some cells could be read.
func (r *rowReader) rowProblem(read []cell, err error) *schema.Problem {
	e, parsed := errors.AsType[*csv.ParseError](err)
	r.ended = r.guard.tooLong || !parsed
	var p *schema.Problem
	switch {
	case r.guard.tooLong:
		at := schema.Pos{Line: int32(r.line + 1)}
		if len(read) > 0 {
			at.Line = read[0].at.Line
		}
		p = newProblem(codes.TooLarge, r.file, at, fmt.Sprintf("a row is longer than %d MiB or has more than %d cells; the rest of the file is not read", maxLine>>20, schema.MaxNodes), "a quotation mark may not be closed: look at this row")
	case !parsed:
		p = unreadableProblem(r.file, err)
	case errors.Is(err, csv.ErrQuote):
		p = newProblem(codes.Malformed, r.file, r.errorPosition(read, e), "malformed CSV: a quotation mark is not closed, or not doubled inside a quoted cell", "double the quotation marks inside a quoted cell: \"\"")
	default:
		p = newProblem(codes.Malformed, r.file, r.errorPosition(read, e), "malformed CSV: a quotation mark in an unquoted cell", "put quotation marks around the whole cell and double those inside: \"\"")
	}
	if parsed {
		r.line = e.Line
	}
	return p
}

// errorPosition returns the position of a malformed row, or its first line if the error is on a
// later line.
func (r *rowReader) errorPosition(read []cell, e *csv.ParseError) schema.Pos {
	if e.Line != e.StartLine {
		return schema.Pos{Line: int32(e.StartLine)}
	}
	col := e.Column
	for _, c := range read {
		col -= len(c.text) - utf8.RuneCountInString(c.text)
	}
	return schema.Pos{Line: int32(e.Line), Column: int32(col)}
}

var errRowTooLong = errors.New("row too long")

// rowGuard limits the length of a row that the CSV reader collects.
type rowGuard struct {
	r           io.Reader
	read, start int64 // number of bytes so far, and before the row
	commas      int   // approximate number of commas in the row
	tooLong     bool
}

func (g *rowGuard) Read(b []byte) (int, error) {
	if g.read-g.start > maxLine || g.commas > schema.MaxNodes {
		g.tooLong = true
		return 0, errRowTooLong
	}
	n, err := g.r.Read(b)
	g.read += int64(n)
	g.commas += bytes.Count(b[:n], []byte{','})
	return n, err
}

// returnKeeper doubles each carriage return before a line break inside a quoted cell, because the
// CSV reader removes one, even if it is part of a text.
type returnKeeper struct {
	r        io.Reader
	state    cellState
	returned bool   // the previous byte was a carriage return
	buf      []byte // for what is read
	kept     []byte // read but not returned yet
	grown    []byte // buffer for data with more carriage returns
	err      error  // the error that ended reading
}

// cellState is the state of parsing a cell.
type cellState uint8

const (
	cellBegins cellState = iota
	cellBare
	cellQuoted
	cellClosed // after a quotation mark in a quoted cell: the end, or the first of two
)

func (k *returnKeeper) Read(b []byte) (int, error) {
	if len(k.kept) == 0 && k.err == nil {
		var n int
		n, k.err = k.r.Read(k.buf)
		k.kept = k.doubleCRs(k.buf[:n])
	}
	n := copy(b, k.kept)
	if k.kept = k.kept[n:]; len(k.kept) > 0 {
		return n, nil
	}
	return n, k.err
}

// doubleCRs doubles the carriage returns in data where needed.
func (k *returnKeeper) doubleCRs(data []byte) []byte {
	k.grown = k.grown[:0]
	from := 0
	for i, c := range data {
		if c == '\n' && k.returned && k.state == cellQuoted {
			k.grown = append(append(k.grown, data[from:i]...), '\r')
			from = i
		}
		k.processByte(c)
	}
	if len(k.grown) == 0 {
		return data
	}
	k.grown = append(k.grown, data[from:]...)
	return k.grown
}

// processByte processes a byte.
func (k *returnKeeper) processByte(c byte) {
	k.returned = c == '\r'
	switch {
	case k.state == cellQuoted:
		if c == '"' {
			k.state = cellClosed
		}
	case c == '"' && k.state != cellBare: // the first mark of a cell, or the second of two
		k.state = cellQuoted
	case c == ',' || c == '\n':
		k.state = cellBegins
	default:
		k.state = cellBare
	}
}
