package source

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/record"
)

// cell is a field of CSV and where it stands.
type cell struct {
	text string
	at   record.Pos
}

// column is a node of the plan that a header makes: which cells become which members.
type column struct {
	name  string
	at    record.Pos
	cell  int // index of the cell, or -1 for an object or list
	array bool
	inner []*column
}

// splitCSV reads rows and hands them over in batches, so that a table may be larger than memory.
func (s *splitter) splitCSV(f *file, r io.Reader) {
	guard := &rowGuard{r: skipBOM(r)}
	rows := csv.NewReader(guard)
	rows.FieldsPerRecord = -1 // widths are checked here, with a message of ours
	guard.rows = rows
	header, problem := readRow(f, rows)
	if problem != nil {
		s.send(batch{file: f, problems: []record.Problem{*problem}})
		return
	}
	if header == nil {
		s.send(batch{file: f}) // an empty file
		return
	}
	plan, problems := planColumns(f, header)
	if len(problems) > 0 {
		s.send(batch{file: f, problems: problems})
		return
	}
	for done := false; !done; {
		b := batch{file: f, plan: plan}
		from := rows.InputOffset()
		for len(b.rows) < 512 && !done {
			row, problem := readRow(f, rows)
			if problem == nil && row != nil && len(row) != len(header) {
				problem = widthProblem(f, row, len(header))
				row = nil
			}
			if problem != nil {
				b.problems = append(b.problems, *problem)
				done = guard.tooLong
				continue
			}
			if done = row == nil; !done {
				b.rows = append(b.rows, row)
			}
		}
		b.bytes = rows.InputOffset() - from
		if !s.send(b) {
			return
		}
	}
}

// readRow reads a row; at the end of the file it answers nil.
func readRow(f *file, rows *csv.Reader) ([]cell, *record.Problem) {
	fields, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, csvProblem(f, rows, err)
	}
	row := make([]cell, len(fields))
	wide, last := 0, 0 // bytes of earlier fields in the line that are no characters of their own
	for i, text := range fields {
		line, col := rows.FieldPos(i)
		if line != last {
			wide, last = 0, line
		}
		row[i] = cell{text, record.Pos{Line: int32(line), Column: int32(col - wide)}}
		wide += len(text) - utf8.RuneCountInString(text)
		if problem := checkText(f.path, []byte(text), int32(line)); problem != nil {
			problem.Line, problem.Column = line, col
			return nil, problem
		}
	}
	return row, nil
}

func csvProblem(f *file, rows *csv.Reader, err error) *record.Problem {
	e, ok := errors.AsType[*csv.ParseError](err)
	var p record.Problem
	switch {
	case errors.Is(err, errRowTooLong):
		line := 1
		if ok {
			line = e.StartLine
		}
		p = fault(record.FIL05, f.path, record.Pos{Line: int32(line)}, fmt.Sprintf("a row is longer than %d MiB; the rest of the file is not read", maxLine>>20), "a quotation mark may not be closed: look at this row")
	case !ok:
		p = fault(record.FIL01, f.path, record.Pos{}, "the file cannot be read: "+reason(err), "")
	case errors.Is(err, csv.ErrQuote):
		p = fault(record.FIL03, f.path, record.Pos{Line: int32(e.StartLine), Column: int32(e.Column)}, "not valid CSV: a quotation mark is not closed, or stands inside a quoted cell", "double the quotation marks inside a quoted cell: \"\"")
	default:
		p = fault(record.FIL03, f.path, record.Pos{Line: int32(e.Line), Column: int32(e.Column)}, "not valid CSV: a quotation mark in a cell that is not quoted", "put the whole cell in quotation marks and double those inside: \"\"")
	}
	return &p
}

func widthProblem(f *file, row []cell, want int) *record.Problem {
	fix := "put a cell that holds a comma in quotation marks"
	if len(row) < want {
		fix = "write a comma for each empty cell"
	}
	p := fault(record.FIL07, f.path, record.Pos{Line: row[0].at.Line}, fmt.Sprintf("the row has %d cells, the header has %d", len(row), want), fix)
	return &p
}

// planColumns turns a header into a plan.
func planColumns(f *file, header []cell) (*column, []record.Problem) {
	root := &column{cell: -1}
	var problems []record.Problem
	if len(header) == 1 && strings.ContainsAny(header[0].text, ";\t") {
		return nil, []record.Problem{fault(record.FIL07, f.path, header[0].at, "the header is one cell: the columns seem to be separated by something other than commas", "save the table with commas between the cells")}
	}
	for i, h := range header {
		if message := root.add(strings.Split(strings.TrimSpace(h.text), "."), h.at, i); message != "" {
			p := fault(record.FIL07, f.path, h.at, message, "name each column after one member, such as title or source_links.0.url")
			p.Width = utf8.RuneCountInString(h.text)
			problems = append(problems, p)
		}
	}
	return root, problems
}

// add puts a column at its path; it answers with what keeps it from being put there.
func (c *column) add(path []string, at record.Pos, cell int) string {
	name := path[0]
	if name == "" {
		return "a column has no name"
	}
	number, err := strconv.Atoi(name)
	isIndex := err == nil
	if len(c.inner) > 0 && c.array != isIndex {
		return "a column counts elements where another names members"
	}
	if c.array = isIndex; isIndex && (number < 0 || number > len(c.inner)) {
		return "elements are counted from 0, without gaps, from left to right"
	}
	for _, in := range c.inner {
		if in.name != name {
			continue
		}
		if len(path) == 1 || in.cell >= 0 {
			return "two columns give the same member"
		}
		return in.add(path[1:], at, cell)
	}
	in := &column{name: name, at: at, cell: -1}
	c.inner = append(c.inner, in)
	if len(path) == 1 {
		in.cell = cell
		return ""
	}
	return in.add(path[1:], at, cell)
}

// filled reports whether a row has anything for a column.
func (c *column) filled(row []cell) bool {
	if c.cell >= 0 {
		return row[c.cell].text != ""
	}
	for _, in := range c.inner {
		if in.filled(row) {
			return true
		}
	}
	return false
}

// write adds a row's cells to a tree; empty cells are members that are not there.
func (c *column) write(t *record.Tree, row []cell) {
	if c.cell >= 0 {
		t.Scalar(record.Cell, row[c.cell].text, row[c.cell].at)
		return
	}
	typ := record.Object
	if c.array {
		typ = record.Array
	}
	t.Open(typ, record.Pos{Line: row[0].at.Line, Column: 1})
	for _, in := range c.inner {
		if in.filled(row) {
			if !c.array {
				t.Member(in.name, in.at)
			}
			in.write(t, row)
		}
	}
	t.Close()
}

// readRows passes on the record of each row.
func (p *parser) readRows(f *file, plan *column, rows [][]cell) {
	for _, row := range rows {
		if !plan.filled(row) { // a line of commas, as spreadsheets leave at the end
			continue
		}
		p.tree.Reset(f.path)
		plan.write(p.tree, row)
		p.record(f)
	}
}

var errRowTooLong = errors.New("row too long")

// rowGuard keeps the CSV reader from collecting a row without end.
type rowGuard struct {
	r       io.Reader
	rows    *csv.Reader
	read    int64
	tooLong bool
}

func (g *rowGuard) Read(b []byte) (int, error) {
	if g.rows != nil && g.read-g.rows.InputOffset() > maxLine {
		g.tooLong = true
		return 0, errRowTooLong
	}
	n, err := g.r.Read(b)
	g.read += int64(n)
	return n, err
}
