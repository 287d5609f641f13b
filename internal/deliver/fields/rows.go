package fields

import (
	"slices"

	"stele/internal/author/editing/amend"
)

// Opened is what a grid was opened with. Which row of the file one of its rows is follows from the
// ID, and from how many rows have that ID: the nth of so many.
type Opened struct {
	Columns []string    `json:"c"`
	Rows    []OpenedRow `json:"r"`
}

// OpenedRow is a row that a grid was opened with.
type OpenedRow struct {
	Line  int32    `json:"l"`
	ID    string   `json:"i"`
	Nth   int      `json:"n"`
	Of    int      `json:"o"`
	Cells []string `json:"c"`
}

// OpenRows returns what a form with some of all rows of a table carries.
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

// Finder returns a function that finds the row of a table that a row of a form was: the nth of
// as many rows with its ID as there were, or else the only row with the same cells.
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
