package fields

import (
	"errors"
	"slices"
	"strconv"

	"stele/internal/author/editing/amend"
	"stele/internal/base/schema"
)

// Opened is the original content of a grid. The row of the file that belongs to a row of the grid
// is determined by its ID, and its position among the rows with that ID.
type Opened struct {
	Columns []string    `json:"c"`
	Rows    []OpenedRow `json:"r"`
}

// OpenedRow is a row of the original grid.
type OpenedRow struct {
	Line  int32    `json:"l"`
	ID    string   `json:"i"`
	Nth   int      `json:"n"`
	Of    int      `json:"o"`
	Cells []string `json:"c"`
}

// OpenRows returns the original content of a form that shows rows, which are some of the rows all
// of a table.
func OpenRows(columns []string, all, rows []amend.Row) Opened {
	o := Opened{Columns: columns}
	of, nth := map[string]int{}, map[int32]int{}
	for _, row := range all {
		of[row.ID]++
		nth[row.Line] = of[row.ID]
	}
	for _, row := range rows {
		o.Rows = append(o.Rows, OpenedRow{row.Line, row.ID, nth[row.Line], of[row.ID], row.Cells})
	}
	return o
}

// Finder returns a function that finds the row of a table for a row of a form: by its position
// among the rows with its ID if their number is unchanged, otherwise the only one with equal cells.
func Finder(all []amend.Row) func(OpenedRow) *amend.Row {
	byID := map[string][]*amend.Row{}
	for i := range all {
		byID[all[i].ID] = append(byID[all[i].ID], &all[i])
	}
	return func(o OpenedRow) *amend.Row {
		rows := byID[o.ID]
		if len(rows) == o.Of && o.Nth >= 1 && o.Nth <= o.Of {
			return rows[o.Nth-1]
		}
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *amend.Row) bool { return !slices.Equal(r.Cells, o.Cells) })
		if len(rows) == 1 {
			return rows[0]
		}
		return nil
	}
}

// Cells contains the changes that a form makes to a table.
type Cells struct {
	List      []Cell
	Conflicts []Conflict // labelled with the ID of the row and the column
	Columns   []string   // of the form
}

// Cell is a cell that was changed in the form.
type Cell struct {
	Row              *amend.Row
	Column, Was, Now string
}

// GoneError says that a row changed in the form is no longer in the table.
type GoneError struct{ ID string }

func (e GoneError) Error() string { return "the row " + e.ID + " was changed or deleted" }

// Cells compares the cells of a form with the original cells, and with those now in the table. take
// contains the user's choices in conflicts.
func (f Form) Cells(
	o Opened, columns []string, all []amend.Row, take map[string]string, editable func(string) bool,
) (*Cells, error) {
	c := &Cells{Columns: o.Columns}
	find := Finder(all)
	for _, base := range o.Rows {
		if len(base.Cells) != len(o.Columns) {
			return nil, errors.New("the number of cells in a row differs from the number of columns")
		}
		var row *amend.Row
		for i, column := range o.Columns {
			name := "c." + strconv.Itoa(int(base.Line)) + "." + strconv.Itoa(i)
			mine := UnixLines(f.Get(name))
			if !editable(column) || !f.Has(name) || mine == UnixLines(base.Cells[i]) {
				continue
			}
			if row == nil {
				if row = find(base); row == nil {
					return nil, GoneError{base.ID}
				}
			}
			c.addChange(Cell{row, column, base.Cells[i], mine}, columns, name, take)
		}
	}
	return c, nil
}

// addChange adds mine, a cell that the form changed. If the table's cell changed too, it adds a
// conflict instead.
func (c *Cells) addChange(mine Cell, columns []string, name string, take map[string]string) {
	there := ""
	if at := slices.Index(columns, mine.Column); at >= 0 {
		there = mine.Row.Cells[at]
	}
	before := mine.Was
	mine.Was = there
	switch {
	case UnixLines(there) == mine.Now:
	case there == before || take[name] == "mine":
		c.List = append(c.List, mine)
	case take[name] == "":
		text := func(s string) *Node { return &Node{Text: s, Type: schema.Cell} }
		c.Conflicts = append(c.Conflicts, Conflict{
			Path: name, Label: mine.Row.ID + " › " + mine.Column,
			Before: text(before), There: text(there), Mine: text(mine.Now),
		})
	}
}
