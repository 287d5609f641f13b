package input

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// column is a node of the plan that maps the cells of a row to members, according to the header.
type column struct {
	name  string
	at    schema.Pos
	cell  int // index of the cell, or -1 for an object or list
	array bool
	inner []*column
}

// splitCSV reads rows and sends them in batches, so that a table can be larger than memory. It
// reports whether there were any rows.
func (s splitter) splitCSV(f *file, r *bufio.Reader) (found bool) {
	rows := newRowReader(f.Path, r)
	header, problem := rows.readRow()
	if problem != nil {
		s.sendProblem(f, problem)
		return true
	}
	if header == nil {
		return false
	}
	plan, problems := planColumns(f, header)
	if len(problems) > 0 {
		s(Batch{file: f, problems: problems})
		return true
	}
	from := int64(0)
	for !rows.ended {
		b := Batch{file: f, plan: plan}
		for len(b.rows)+len(b.problems) < 512 && rows.offset()-from < batchSize && !rows.ended {
			row, problem := rows.readRow()
			switch {
			case problem != nil:
				b.problems = append(b.problems, *problem)
			case row == nil:
			case len(row) != len(header):
				b.problems = append(b.problems, *widthProblem(f, row, len(header)))
			default:
				b.rows = append(b.rows, row)
				found = found || plan.hasValue(row)
			}
		}
		found = found || len(b.problems) > 0
		b.bytes, from = rows.offset()-from, rows.offset()
		if !s(b) {
			return true
		}
	}
	return found
}

func widthProblem(f *file, row []cell, want int) *schema.Problem {
	if isConflict(row[0].text) {
		return conflictProblem(f.Path, row[0].at.Line)
	}
	fix := "put quotation marks around a cell that contains a comma"
	if len(row) < want {
		fix = "write a comma for each empty cell"
	}
	return newProblem(codes.MalformedCSV, f.Path, schema.Pos{Line: row[0].at.Line}, fmt.Sprintf("the row has %d cells, the header has %d", len(row), want), fix)
}

func planColumns(f *file, header []cell) (*column, []schema.Problem) {
	root := &column{cell: -1}
	var problems []schema.Problem
	if len(header) == 1 && strings.ContainsAny(header[0].text, ";\t") {
		return nil, []schema.Problem{*newProblem(codes.MalformedCSV, f.Path, header[0].at, "the header has only one cell: the columns may not be separated by commas", "save the table with commas between the cells")}
	}
	if len(header) > maxColumns {
		return nil, []schema.Problem{*newProblem(codes.TooLarge, f.Path, header[maxColumns].at,
			fmt.Sprintf("the header has more than %d columns", maxColumns), "split the table")}
	}
	for i, h := range header {
		if message := root.add(strings.Split(strings.TrimSpace(h.text), "."), h.at, i); message != "" {
			p := newProblem(codes.MalformedCSV, f.Path, h.at, message, "name each column after one member, such as title or source_links.0.url")
			p.Width = utf8.RuneCountInString(h.text)
			problems = append(problems, *p)
		}
	}
	return root, problems
}

// add adds a column at path, or returns the reason why it cannot.
func (c *column) add(path []string, at schema.Pos, cell int) string {
	name := path[0]
	if name == "" {
		return "a column without a name"
	}
	if len(path) > schema.MaxDepth {
		return fmt.Sprintf("values are nested more than %d deep", schema.MaxDepth)
	}
	number, err := strconv.Atoi(name)
	isIndex := err == nil && strconv.Itoa(number) == name // 01 is a name
	if len(c.inner) > 0 && c.array != isIndex {
		return "a column has an index where another has a name"
	}
	if c.array = isIndex; isIndex && (number < 0 || number > len(c.inner)) {
		return "indexes must count from 0, without gaps, from left to right"
	}
	for _, in := range c.inner {
		if in.name != name {
			continue
		}
		if len(path) == 1 || in.cell >= 0 {
			return "duplicate column for a member"
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

func (c *column) hasValue(row []cell) bool {
	if c.cell >= 0 {
		return row[c.cell].text != ""
	}
	return slices.ContainsFunc(c.inner, func(in *column) bool { return in.hasValue(row) })
}

// isEmptyList reports whether a row says that a list is empty: its first element is [], and the
// others are empty cells.
func (c *column) isEmptyList(row []cell) bool {
	if !c.array || c.inner[0].cell < 0 || row[c.inner[0].cell].text != "[]" {
		return false
	}
	return !slices.ContainsFunc(c.inner[1:], func(in *column) bool { return in.hasValue(row) })
}

// writeCells adds the column's cells in row to t. Empty cells are omitted members, or null elements
// of a list if a later element exists.
func (c *column) writeCells(t *schema.Tree, row []cell) {
	if c.cell >= 0 {
		t.AddScalar(schema.Cell, row[c.cell].text, row[c.cell].at)
		return
	}
	typ := schema.Object
	if c.array {
		typ = schema.Array
	}
	t.Open(typ, schema.Pos{Line: row[0].at.Line, Column: 1})
	if c.isEmptyList(row) {
		t.Close()
		return
	}
	for i, in := range c.inner {
		switch {
		case in.hasValue(row):
			if !c.array {
				t.SetName(in.name, in.at)
			}
			in.writeCells(t, row)
		case c.array && slices.ContainsFunc(c.inner[i+1:], func(in *column) bool { return in.hasValue(row) }):
			t.AddScalar(schema.Null, "", in.position(row)) // an empty element before others
		}
	}
	t.Close()
}

// position returns the position of the column's first cell in row.
func (c *column) position(row []cell) schema.Pos {
	for c.cell < 0 {
		c = c.inner[0]
	}
	return row[c.cell].at
}

// readRows yields the record of each row.
func (p *Reader) readRows(f *file, plan *column, rows [][]cell) {
	for _, row := range rows {
		if !plan.hasValue(row) { // a row of commas only, as spreadsheets add at the end
			continue
		}
		p.tree.Reset(f.Path)
		plan.writeCells(&p.tree, row)
		p.yieldRecord(f)
	}
}
