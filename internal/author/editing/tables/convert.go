package tables

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/base/sheet"
)

// converter turns rows into records.
type converter struct {
	*Map
	table       *sheet.Table
	names       []string
	heading     []headRow
	last        int          // line of the last row
	unnamed     map[int]bool // columns without a heading that the map does not mention
	at          map[string]int
	series      []*seriesIn
	values      []int           // columns of figures
	taken       map[string]bool // names of columns that the map uses
	widths      map[int]bool    // number of cells in a row
	fills       []int           // columns in which an empty cell repeats the cell above
	layouts     map[int]*Layout // how the numbers of a column are read, if no series says it
	area        int             // column of areas, or -1
	sheet       string          // of the row
	ended       bool            // the rows of the sheet are after the last data row
	result      *Result
	files       map[string]*Values
	folders     map[string]string // texts from which a folder name was made
	faults      Faults
	known       map[string]int // faults by column and text
	looker      scrutiny.Looker
	looked      map[string]bool // texts that were checked for private content, by member
	ownReadings []*ownReading
	own         *ownReading       // how areas are read, if a scheme of the publisher has them
	unplaced    string            // text of the record's area, which own reads
	onShared    func(*sharedName) // is called with names of several areas; nil for a fault
	// readings has the readings of the map, and of periods those that the cells show.
	readings map[string]string
}

// Read reads the table in a file.
func (m *Map) Read(ctx context.Context, path string) (*Result, error) {
	t, err := openAll(func(o sheet.Options) (*sheet.Table, error) { return sheet.Open(ctx, path, o) }, &m.Table)
	if err != nil {
		return nil, err
	}
	result, err := m.Convert(t)
	return result, errors.Join(err, t.Close())
}

// openAll opens a table, or all sheets that l names as one table.
func openAll(open opener, l *Layout) (*sheet.Table, error) {
	if len(l.Sheets) == 0 {
		return open(l.Options)
	}
	var list []*sheet.Table
	for _, name := range l.Sheets {
		o := l.Options
		o.Sheet = name
		t, err := open(o)
		if err != nil {
			for _, t := range list {
				err = errors.Join(err, t.Close())
			}
			return nil, err
		}
		list = append(list, t)
	}
	return sheet.Join(list, l.Header), nil
}

// Convert reads t. If it cannot use a cell, the error is of type Faults.
func (m *Map) Convert(t *sheet.Table) (*Result, error) { return m.convert(t, nil) }

func (m *Map) convert(t *sheet.Table, onShared func(*sharedName)) (*Result, error) {
	c := &converter{
		ownReadings: ownReadings(m.Schemes), onShared: onShared,
		Map: m, table: t, at: map[string]int{}, files: map[string]*Values{}, folders: map[string]string{},
		known: map[string]int{}, layouts: map[int]*Layout{}, widths: map[int]bool{}, looked: map[string]bool{},
		readings: map[string]string{},
		result:   &Result{Ignored: map[string]int{}, Without: map[string]int{}},
	}
	maps.Copy(c.readings, m.Readings)
	if len(t.Sheets) > 1 && m.Table.Sheet == "" && m.Table.Path == "" && t.Sheet != "" {
		return nil, fmt.Errorf("the workbook has the sheets %s: choose one below table in the map, such as sheet: %q", strings.Join(t.Sheets, ", "), t.Sheet)
	}
	if len(m.Table.Sections) > 0 {
		t = sheet.AddSections(t, m.Table.Header, m.Table.Sections)
		c.table = t
	}
	var err error
	if c.names, c.heading, c.last, err = m.readHeader(t); err != nil {
		return nil, err
	}
	if err := c.bindColumns(c.names); err != nil {
		return nil, err
	}
	if err := c.surveyColumns(); err != nil {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	for row, err := range c.eachRow {
		if err != nil {
			return nil, err
		}
		c.convertRow(row)
		if len(c.faults) >= maxFaults {
			break
		}
	}
	for _, v := range c.result.Files {
		c.reportDuplicates(v)
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return c.result, c.result.checkAllCellsCounted()
}

// eachRow yields the rows below the heading, with empty cells filled.
func (c *converter) eachRow(yield func(sheet.Row, error) bool) {
	above := make([]sheet.Cell, len(c.fills))
	c.sheet, c.ended = "", false
	for row, err := range c.table.Rows() {
		if err == nil && row.Line <= c.last {
			continue
		}
		if err == nil && len(c.fills) > 0 && firstText(row) != "" && c.reasonToIgnore(row) == "" {
			c.fillEmptyCells(&row, above)
		}
		if !yield(row, err) {
			return
		}
	}
}

// fillEmptyCells fills the empty cells of a row from the cells above. After a new text in a column,
// the columns to its right start again.
func (c *converter) fillEmptyCells(row *sheet.Row, above []sheet.Cell) {
	begun := false
	for i, at := range c.fills {
		switch text := trimSpace(row.At(at).Text); {
		case text != "":
			if above[i] = row.Cells[at]; above[i].Text != "" {
				above[i].Text = strings.Clone(above[i].Text)
			}
			begun = true
		case begun:
			above[i] = sheet.Cell{}
		default:
			for len(row.Cells) <= at {
				row.Cells = append(row.Cells, sheet.Cell{})
			}
			row.Cells[at] = above[i]
		}
	}
}

// reasonToIgnore returns the reason why a row is ignored, or "".
func (c *converter) reasonToIgnore(row sheet.Row) string {
	if row.Hidden && !c.Table.Hidden {
		return hiddenRow
	}
	if text := trimSpace(row.At(c.area).Text); c.area >= 0 {
		if a, known := c.Areas[text]; known && a.Code == "" {
			return strconv.Quote(text)
		}
	}
	for _, column := range slices.Sorted(maps.Keys(c.Ignore.rows)) {
		text := trimSpace(row.At(c.at[column]).Text)
		for _, word := range c.Ignore.rows[column] {
			begin, some := strings.CutSuffix(word, "…")
			if text == word || some && begin != "" && strings.HasPrefix(text, begin) {
				return strconv.Quote(word)
			}
		}
	}
	return ""
}

// IgnoredBecause returns the words for reason, one of the keys of Result.Ignored.
func IgnoredBecause(reason string) Phrase {
	if slices.Contains([]string{afterEnd, emptyRow, sameHead, heads, hiddenRow}, reason) {
		return say("ignored " + reason)
	}
	return literal(reason)
}

// Reasons for ignoring rows, besides the words of the map.
const (
	afterEnd = "after the end"
	emptyRow = "empty"
	sameHead = "repeating the heading"
	heads    = "heading a section"

	hiddenRow = "hidden"
)

// reasonToSkip returns the reason why a row is not part of the table, or "": it is empty, after the
// end, named in the map, or repeats the heading.
func (c *converter) reasonToSkip(row sheet.Row) string {
	if row.Sheet != c.sheet {
		c.sheet, c.ended = row.Sheet, false
	}
	c.ended = c.ended || c.Table.End != "" && strings.HasPrefix(firstText(row), c.Table.End)
	if c.ended {
		return afterEnd
	}
	if firstText(row) == "" {
		return emptyRow
	}
	if why := c.reasonToIgnore(row); why != "" {
		return why
	}
	if countFilled(row) == 1 && slices.Contains(c.Table.Sections, firstText(row)) {
		return heads
	}
	switch again, whole := repeatsHeader(row, c.heading); {
	case whole:
		return sameHead
	case again:
		c.addFault(row, "", say("fault second table"))
		return sameHead
	}
	return ""
}

// convertRow makes records from the values of a row, each with the first series that matches.
func (c *converter) convertRow(row sheet.Row) {
	c.result.Rows++
	cells := countFilled(row)
	c.result.Cells += cells
	if why := c.reasonToSkip(row); why != "" {
		c.result.Ignored[why]++
		c.result.Skipped += cells
		return
	}
	c.result.Written++
	short := len(row.Cells) < len(c.names) && !c.Table.Short && len(c.names) > 1
	if c.table.Format == "csv" && (short || len(row.Cells) > len(c.names) && len(c.widths) > 1) {
		name := map[bool]string{true: "fault short row", false: "fault long row"}[short]
		c.addFault(row, "", say(name, len(row.Cells), len(c.names)))
		return
	}
	c.countCells(row)
	done, before := map[int]bool{}, c.result.Figures
	for _, s := range c.series {
		if !s.matchesRow(row) {
			continue
		}
		for _, m := range s.found {
			if m.column >= 0 && done[m.column] {
				continue
			}
			done[m.column] = true
			c.addValue(s, m, row)
		}
	}
	for _, i := range c.values {
		if text := trimSpace(row.At(i).Text); text != "" && !done[i] && !slices.Contains(c.Table.Missing, text) {
			c.addFault(row, c.names[i], say("fault no series", c.rowSelectors(row)))
		}
	}
	if text := trimSpace(row.At(c.area).Text); c.area >= 0 && c.result.Figures == before && c.Columns["ref_area_scheme"] == "" {
		if err := c.setArea(map[string]string{}, text); err != nil { // a note, or a total without figures
			c.addFault(row, c.names[c.area], err)
		}
	}
	for i, cell := range row.Cells {
		if trimSpace(cell.Text) != "" && (i >= len(c.names) || c.unnamed[i]) {
			c.addFault(row, "", say("fault unnamed", cell.Text, i+1, unnamedColumn(i)))
		}
	}
}

// countCells counts the cells of a row with records: figures, the cells that describe them, and
// others.
func (c *converter) countCells(row sheet.Row) {
	for i, cell := range row.Cells {
		switch {
		case cell.Merged || trimSpace(cell.Text) == "":
		case slices.Contains(c.values, i):
			c.result.Measured++
		case i < len(c.names) && c.taken[c.names[i]]:
			c.result.About++
		default:
			c.result.Skipped++
		}
	}
}

// rowSelectors returns the cells of row by which series choose rows, in words.
func (c *converter) rowSelectors(row sheet.Row) (said string) {
	seen := map[int]bool{}
	for _, s := range c.series {
		for _, i := range slices.Sorted(maps.Keys(s.where)) {
			if !seen[i] {
				said += fmt.Sprintf(", whose %q is %q", c.names[i], trimSpace(row.At(i).Text))
			}
			seen[i] = true
		}
	}
	return said
}

func (s *seriesIn) matchesRow(row sheet.Row) bool {
	for i, word := range s.where {
		if trimSpace(row.At(i).Text) != word {
			return false
		}
	}
	return true
}
