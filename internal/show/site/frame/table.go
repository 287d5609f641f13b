package frame

import (
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of all tables.
var (
	tableForm = markup.Parse(`
		<table{?class} class="{class}"{/}>{?caption}<caption{?unseen} class="sr"{/}>{caption}</caption>{/}
			<thead{?hidden} class="sr"{/}><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>`)
	columnForm  = markup.Parse(`<th scope="col"{?latest} aria-sort="descending"{/}{?number} class="num"{/}{?theirs}{lang}{/}>{name}</th>`)
	rowForm     = markup.Parse(`<tr{?id} id="{id}"{/}>{cells}</tr>`)
	rowHeadForm = markup.Parse(`<th scope="row"{?theirs}{lang}{/}>{cell}</th>`)
	cellForm    = markup.Parse(`<td{?number} class="num"{/}{?named} data-column="{column}"{/}{?theirs}{lang}{/}>{cell}</td>`)
)

// Column is a column of a table.
type Column struct {
	Name   string
	Head   bool // whether its cells are row headers
	Number bool
	Named  bool // whether narrow screens show its name before each cell
	Theirs bool // whether its cells are in the language of the records
	Label  bool // whether its name is
	Latest bool // whether rows are sorted by it, the latest first
}

// Table writes the rows of a table.
type Table struct {
	Class   string
	Caption func()
	Hidden  bool // whether its columns are for screen readers only
	Unseen  bool // whether its caption is for screen readers only
	Columns []Column
	page    *Page
}

// Table writes the table t, whose rows the function rows writes.
func (p *Page) Table(t Table, rows func(*Table)) {
	t.page = p
	p.Fill(tableForm, markup.With("class", t.Class), markup.By("caption", t.Caption), markup.ShowIf("hidden", t.Hidden),
		markup.ShowIf("unseen", t.Unseen),
		markup.Each("columns", t.Columns, func(c Column) {
			p.Fill(columnForm, markup.With("name", c.Name), markup.ShowIf("number", c.Number), markup.ShowIf("theirs", c.Label),
				markup.ShowIf("latest", c.Latest))
		}),
		markup.By("rows", func() { rows(&t) }))
}

// Row writes a row with the given ID. Each function writes a cell; nil leaves the cell empty.
func (t *Table) Row(id string, cells ...func()) {
	t.page.Fill(rowForm, markup.With("id", id), markup.By("cells", func() {
		for i, write := range cells {
			c := &t.Columns[i]
			if c.Head {
				t.page.Fill(rowHeadForm, markup.ShowIf("theirs", c.Theirs), markup.By("cell", write))
				continue
			}
			t.page.Fill(cellForm, markup.ShowIf("number", c.Number), markup.ShowIf("named", c.Named && write != nil),
				markup.With("column", c.Name), markup.ShowIf("theirs", c.Theirs), markup.By("cell", write))
		}
	}))
}

// Cell returns a function that writes text.
func (p *Page) Cell(text string) func() { return func() { p.Text(text) } }

// DateCell returns a function that writes d, or nil if d is "".
func (p *Page) DateCell(d record.Date) func() {
	if d == "" {
		return nil
	}
	return func() { p.WriteDate(d) }
}
