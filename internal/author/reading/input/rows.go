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

// cell is a field of CSV and where it stands.
type cell struct {
	text string
	at   schema.Pos
}

// rowReader reads the rows of a CSV file.
type rowReader struct {
	file  string
	guard *rowGuard
	csv   *csv.Reader
	line  int  // the last line that was read
	ended bool // nothing more can be read
}

func newRowReader(file string, r io.Reader) *rowReader {
	guard := &rowGuard{r: &returnKeeper{r: r, buf: make([]byte, 32<<10)}}
	rows := csv.NewReader(guard)
	rows.FieldsPerRecord = -1 // widths are checked by us, with a message of ours
	return &rowReader{file: file, guard: guard, csv: rows}
}

func (r *rowReader) offset() int64 { return r.csv.InputOffset() }

// next reads a row; at the end of the file it answers nil.
func (r *rowReader) next() ([]cell, *schema.Problem) {
	r.guard.start, r.guard.commas = r.offset(), 0
	fields, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		r.ended = true
		return nil, nil
	}
	row := r.cells(fields)
	if err != nil {
		return nil, r.problem(row, err)
	}
	for _, c := range row {
		if problem := checkText(r.file, []byte(c.text), c.at.Line); problem != nil {
			problem.Line, problem.Column = int(c.at.Line), int(c.at.Column)
			return nil, problem
		}
	}
	return row, nil
}

// cells gives each field its position. The CSV reader counts columns in bytes, and we in
// characters.
func (r *rowReader) cells(fields []string) []cell {
	row := make([]cell, len(fields))
	more := 0 // how many bytes the current line has more than characters, up to the field
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

// problem says what is wrong with a row of which only some cells could be read.
func (r *rowReader) problem(read []cell, err error) *schema.Problem {
	e, parsed := errors.AsType[*csv.ParseError](err)
	r.ended = r.guard.tooLong || !parsed
	var p *schema.Problem
	switch {
	case r.guard.tooLong:
		at := schema.Pos{Line: int32(r.line + 1)}
		if len(read) > 0 {
			at.Line = read[0].at.Line
		}
		p = fault(codes.TooLarge, r.file, at, fmt.Sprintf("a row is longer than %d MiB or has more than %d cells; the rest of the file is not read", maxLine>>20, schema.MaxNodes), "a quotation mark may not be closed: look at this row")
	case !parsed:
		p = unreadable(r.file, err)
	case errors.Is(err, csv.ErrQuote):
		p = fault(codes.Malformed, r.file, r.errorAt(read, e), "not valid CSV: a quotation mark is not closed, or stands inside a quoted cell", "double the quotation marks inside a quoted cell: \"\"")
	default:
		p = fault(codes.Malformed, r.file, r.errorAt(read, e), "not valid CSV: a quotation mark in a cell that is not quoted", "put the whole cell in quotation marks and double those inside: \"\"")
	}
	if parsed {
		r.line = e.Line
	}
	return p
}

// errorAt returns where a row is wrong: the position, or the line that the row begins in, where the
// position is lines below that.
func (r *rowReader) errorAt(read []cell, e *csv.ParseError) schema.Pos {
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

// rowGuard keeps the CSV reader from collecting a row without end.
type rowGuard struct {
	r           io.Reader
	read, start int64 // bytes so far, and before the row
	commas      int   // of the row, more or less
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

// returnKeeper doubles each carriage return that ends a line inside a quoted cell. The CSV reader
// takes one away at the end of every line, also where that line is part of a text.
type returnKeeper struct {
	r        io.Reader
	state    cellState
	returned bool   // the last byte was a carriage return
	buf      []byte // for what is read
	kept     []byte // what was read and not passed on
	grown    []byte // for what was read with more carriage returns
	err      error  // what ended the reading
}

// cellState is where in a cell the bytes so far have led.
type cellState uint8

const (
	cellBegins cellState = iota
	cellBare
	cellQuoted
	cellClosed // after a quotation mark in a quoted cell: the last one, or the first of two
)

func (k *returnKeeper) Read(b []byte) (int, error) {
	if len(k.kept) == 0 && k.err == nil {
		var n int
		n, k.err = k.r.Read(k.buf)
		k.kept = k.double(k.buf[:n])
	}
	n := copy(b, k.kept)
	if k.kept = k.kept[n:]; len(k.kept) > 0 {
		return n, nil
	}
	return n, k.err
}

// double passes over bytes and doubles what has to be.
func (k *returnKeeper) double(data []byte) []byte {
	k.grown = k.grown[:0]
	from := 0
	for i, c := range data {
		if c == '\n' && k.returned && k.state == cellQuoted {
			k.grown = append(append(k.grown, data[from:i]...), '\r')
			from = i
		}
		k.pass(c)
	}
	if len(k.grown) == 0 {
		return data
	}
	k.grown = append(k.grown, data[from:]...)
	return k.grown
}

// pass notes a byte.
func (k *returnKeeper) pass(c byte) {
	k.returned = c == '\r'
	switch {
	case k.state == cellQuoted:
		if c == '"' {
			k.state = cellClosed
		}
	case c == '"' && k.state != cellBare: // the first of a cell, or the second of two
		k.state = cellQuoted
	case c == ',' || c == '\n':
		k.state = cellBegins
	default:
		k.state = cellBare
	}
}
