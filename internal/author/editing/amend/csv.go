package amend

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/base/schema"
)

// table is the text of a CSV file that is edited cell by cell.
type table struct {
	data    []byte
	columns []string
	added   []string
	splices []splice
	cells   map[int]map[int]string // cells of new columns, by the offset at which a row ends
}

// csvSplices returns the replacements that change a table. It adds new columns on the right.
func (s *state) csvSplices(wanted map[int]value) ([]splice, error) {
	t := &table{data: s.data, cells: map[int]map[int]string{}}
	lines := map[int32]int{} // records by the line of their row
	for _, n := range s.selectedNumbers() {
		lines[s.chosen[n].own.Nodes[0].At.Line] = n
	}
	done := 0
	ends, err := t.readRows(func(line int32, row []span) error {
		n, chosen := lines[line]
		if !chosen {
			return nil
		}
		done++
		want := wanted[n]
		if err := t.editRow(row, s.chosen[n].own, &want); err != nil {
			return fmt.Errorf("%s: %w", s.chosen[n].id, err)
		}
		return nil
	})
	if err == nil && done != len(lines) {
		err = errUnclear
	}
	return t.addColumns(ends), err
}

// readRows reads the names of the columns, calls visit for each other row with the row's first
// line, and returns the offsets at which rows end.
func (t *table) readRows(visit func(line int32, row []span) error) (ends []int, err error) {
	lines := newSource(t.data).lines
	reader := csv.NewReader(bytes.NewReader(t.data[lines[0]:]))
	reader.FieldsPerRecord, reader.ReuseRecord = -1, true
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return ends, nil
		}
		if err != nil {
			return nil, errUnclear
		}
		row := make([]span, len(fields))
		for i := range row {
			line, column := reader.FieldPos(i)
			row[i].from = lines[line-1] + column - 1
			if i > 0 {
				row[i-1].to = row[i].from - len(",")
			}
		}
		whole := bytes.TrimSuffix(t.data[:lines[0]+int(reader.InputOffset())], []byte("\n"))
		end := len(bytes.TrimSuffix(whole, []byte("\r")))
		row[len(row)-1].to = end
		ends = append(ends, end)
		if t.columns == nil {
			for _, name := range fields {
				t.columns = append(t.columns, strings.TrimSpace(name))
			}
			continue
		}
		line, _ := reader.FieldPos(0)
		if err := visit(int32(line), row); err != nil {
			return ends, err
		}
	}
}

// readColumns reads the names of the columns, and returns the offsets at which rows end.
func (t *table) readColumns() (ends []int, err error) {
	return t.readRows(func(int32, []span) error { return nil })
}

// rowEnd returns the offset after the line break of the row that begins on startLine.
func (t *table) rowEnd(startLine int32) (end int, err error) {
	_, err = t.readRows(func(line int32, row []span) error {
		if line == startLine {
			end = row[len(row)-1].to
			_, rest, _ := bytes.Cut(t.data[end:], []byte("\n"))
			end = len(t.data) - len(rest)
		}
		return nil
	})
	return end, err
}

func (t *table) addColumns(ends []int) []splice {
	if len(t.added) == 0 {
		return t.splices
	}
	for i, end := range ends {
		var b strings.Builder
		for n, name := range t.added {
			b.WriteByte(',')
			if i > 0 {
				name = t.cells[end][n]
			}
			b.WriteString(quoteCell(name, nil))
		}
		t.splices = append(t.splices, splice{end, end, b.String()})
	}
	return t.splices
}

// span is the position of a cell, including its quotation marks.
type span struct{ from, to int }

// editRow changes the cells of row, which has the values in tree, to those in want.
func (t *table) editRow(row []span, tree *schema.Tree, want *value) error {
	if len(row) != len(t.columns) {
		return errUnclear
	}
	was := valueAt(tree, 0)
	visitChanges(want, &was, nil, func(path []string, text string) { t.setCell(row, strings.Join(path, "."), text) })
	visitChanges(&was, want, nil, func(path []string, _ string) {
		if _, kept := want.lookUp(path); !kept {
			t.setCell(row, strings.Join(path, "."), "")
		}
	})
	return nil
}

// visitChanges calls visit for each scalar of v that differs from was.
func visitChanges(v, was *value, path []string, visit func([]string, string)) {
	if v.isScalar() {
		if was == nil || !was.equal(v) {
			visit(path, v.text)
		}
		return
	}
	if v.typ == schema.Array && len(v.members) == 0 && was == nil {
		visit(append(slices.Clone(path), "0"), "[]") // see docs/writing-records.md
		return
	}
	for i, m := range v.members {
		step := v.pathSegment(i)
		var before *value
		if was != nil {
			if b, ok := was.lookUp([]string{step}); ok {
				before = &b
			}
		}
		visitChanges(&m.value, before, append(slices.Clone(path), step), visit)
	}
}

// setCell changes the cell in column name to text, and adds the column if it does not exist.
func (t *table) setCell(row []span, name, text string) {
	if i := slices.Index(t.columns, name); i >= 0 {
		t.splices = append(t.splices, splice{row[i].from, row[i].to, quoteCell(text, t.data[row[i].from:row[i].to])})
		return
	}
	i := slices.Index(t.added, name)
	if i < 0 {
		i = len(t.added)
		t.added = append(t.added, name)
	}
	end := row[len(row)-1].to
	if t.cells[end] == nil {
		t.cells[end] = map[int]string{}
	}
	t.cells[end][i] = text
}

// quoteCell returns a cell with text s, in quotation marks if s needs them or if old, the replaced
// cell, has them.
func quoteCell(s string, old []byte) string {
	if strings.ContainsAny(s, ",\"\r\n") || strings.TrimSpace(s) != s || len(old) > 0 && old[0] == '"' {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
