package sheet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SheetColumn is the name of the column that Join adds.
const SheetColumn = "Sheet"

// Join returns one table with the rows of several tables that have the same heading. It adds a
// column with the name of each row's sheet. The header lines are the same for all sheets.
func Join(tables []*Table, header []int) *Table {
	joined := &Table{Format: tables[0].Format, Notes: []string{fmt.Sprintf("%d sheets with the same heading", len(tables))}}
	joined.rows = func(yield func(Row, error) bool) {
		names := map[int]string{}
		wide := 0
		for i, t := range tables {
			for row, err := range t.rows {
				row.Sheet = t.Sheet
				named := slices.Contains(header, row.Line)
				if named && err == nil && i == 0 {
					names[row.Line], wide = rowText(row), max(wide, len(row.Cells))
				}
				if named && err == nil && rowText(row) != names[row.Line] {
					err = fmt.Errorf("sheet %q: row %d of the heading differs from that of sheet %q: import it with its own map", t.Sheet, row.Line, tables[0].Sheet)
				}
				if err == nil && (rowText(row) != "" || named) {
					text := t.Sheet
					if named {
						text = map[bool]string{true: SheetColumn}[row.Line == slices.Max(header)]
					}
					row.insert(wide, Cell{Text: text, Merged: !named})
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
	joined.close = func() (err error) {
		for _, t := range tables {
			err = errors.Join(err, t.Close())
		}
		return err
	}
	return joined
}

func rowText(row Row) string {
	var b strings.Builder
	for _, c := range row.Cells {
		if text := strings.TrimSpace(c.Text); text != "" {
			b.WriteString(text + "\x00")
		}
	}
	return b.String()
}

// insert inserts c into the row at index at.
func (r *Row) insert(at int, c Cell) {
	for len(r.Cells) < at {
		r.Cells = append(r.Cells, Cell{})
	}
	r.Cells = slices.Insert(r.Cells, at, c)
}

// SectionColumn is the name of the column that AddSections adds.
const SectionColumn = "Section"

// AddSections returns t with an additional column. Its value is the last of texts that was the only
// text of an earlier row. Those rows are left out.
func AddSections(t *Table, header []int, texts []string) *Table {
	divided := *t
	divided.rows = func(yield func(Row, error) bool) {
		wide, section, sheet := 0, "", ""
		t.rows(func(row Row, err error) bool {
			if row.Sheet != sheet {
				section, sheet = "", row.Sheet
			}
			only, _ := strings.CutSuffix(rowText(row), "\x00")
			switch {
			case err != nil:
			case slices.Contains(header, row.Line):
				if wide = max(wide, len(row.Cells)); row.Line == slices.Max(header) {
					row.insert(wide, Cell{Text: SectionColumn})
				}
			case slices.Contains(texts, only):
				section = only
			case only != "":
				row.insert(wide, Cell{Text: section, Merged: true})
			}
			return yield(row, err)
		})
	}
	return &divided
}
