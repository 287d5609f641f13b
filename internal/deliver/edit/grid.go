package edit

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
	"stele/internal/show/site/markup"
	"stele/record"
)

var (
	gridForm     = markup.Parse(`<div class="scroll"><table class="grid"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>`)
	gridHeadForm = markup.Parse(`<th scope="col">{name}</th>`)
	cellForm     = markup.Parse(`<td><input name="{name}" value="{value}" aria-label="{label}" dir="auto"></td>`)
	keptForm     = markup.Parse(`<td class="quiet">{value}</td>`)
)

// grids lists the tables of the folder.
func (p *page) grids() {
	counts := map[string]int{}
	for _, r := range p.x.list {
		if strings.HasSuffix(strings.ToLower(r.file), ".csv") {
			counts[r.file]++
		}
	}
	if len(counts) == 0 {
		return
	}
	p.section("tables", func() {
		p.HTML("<ul>")
		for _, at := range slices.Sorted(maps.Keys(counts)) {
			p.Fill(nameItemForm, with("address", Root+"grid/"+(&url.URL{Path: at}).EscapedPath()), with("title", at),
				with("about", p.x.words.Counted(p.x.words.CountedRecords, counts[at])))
		}
		p.HTML("</ul>")
	})
}

// editable reports whether a column is the author's to write.
func editable(column string) bool {
	top, _, _ := strings.Cut(column, ".")
	return top != "id" && top != "kind" && !slices.Contains(written, top)
}

const (
	gridRows  = 200 // on a page
	blankRows = 3   // for new ones
)

// table is a table of records that a grid shows.
type table struct {
	path    string
	kind    *record.Kind
	columns []string
	all     []amend.Row
	rows    []amend.Row // that the query finds, on this page
	found   int         // all that it finds
	digest  string
}

func (p *page) table() (*table, error) {
	t := &table{path: p.r.PathValue("path")}
	for _, r := range p.x.list {
		if r.file == t.path {
			t.kind = r.kind
			break
		}
	}
	if t.kind == nil || !strings.HasSuffix(strings.ToLower(t.path), ".csv") || t.kind.Name == record.KindChangeEvent {
		return nil, errNoRecord
	}
	data, err := fs.ReadFile(p.Files, t.path)
	if err != nil {
		return nil, err
	}
	t.digest = digest(data)
	if t.columns, t.all, err = amend.Rows(p.Files, t.path); err != nil {
		return nil, err
	}
	query := strings.ToLower(p.r.URL.Query().Get("q"))
	from, _ := strconv.Atoi(p.r.URL.Query().Get("from"))
	for _, row := range t.all {
		if !strings.Contains(strings.ToLower(strings.Join(row.Cells, "\n")+"\n"+row.ID), query) {
			continue
		}
		if t.found++; t.found > from && len(t.rows) < gridRows {
			t.rows = append(t.rows, row)
		}
	}
	return t, nil
}

// cells are what a form changes in a table.
type cells struct {
	list      []cell
	conflicts []fields.Conflict
	columns   []string // of the form
}

// cell is a cell of a row that was changed in the form.
type cell struct {
	row              *amend.Row
	column, was, now string
}

// changed compares the cells of the form with those that it was opened with and with those that are
// in the table now.
func (p *page) changed(t *table) (*cells, error) {
	o := fields.OpenRows(t.columns, t.all, t.rows)
	if p.Form.Has("@base") {
		o = fields.Opened{}
		if err := fields.Unpack(p.Get("@base"), &o); err != nil {
			return nil, errors.New(p.say("unreadable"))
		}
	}
	c := &cells{columns: o.Columns}
	var take map[string]string
	if p.Get("@seen") == t.digest {
		take = p.taken()
	}
	find := fields.Finder(t.all)
	for _, base := range o.Rows {
		if len(base.Cells) != len(o.Columns) {
			return nil, errors.New(p.say("unreadable"))
		}
		var row *amend.Row
		for i, column := range o.Columns {
			name := "c." + strconv.Itoa(int(base.Line)) + "." + strconv.Itoa(i)
			mine := fields.UnixLines(p.Get(name))
			if !editable(column) || !p.Form.Has(name) || mine == fields.UnixLines(base.Cells[i]) {
				continue
			}
			if row == nil {
				if row = find(base); row == nil {
					return nil, errors.New(p.say("row_gone", "row", base.ID))
				}
			}
			c.compare(cell{row, column, base.Cells[i], mine}, t.columns, name, take, p.pathName(column))
		}
	}
	return c, nil
}

// compare adds a cell that the form changed, or a conflict if it was changed in the table too.
func (c *cells) compare(mine cell, columns []string, name string, take map[string]string, label string) {
	there := ""
	if at := slices.Index(columns, mine.column); at >= 0 {
		there = mine.row.Cells[at]
	}
	before := mine.was
	mine.was = there
	switch {
	case fields.UnixLines(there) == mine.now:
	case there == before || take[name] == "mine":
		c.list = append(c.list, mine)
	case take[name] == "":
		c.conflicts = append(c.conflicts, fields.Conflict{
			Path: name, Label: mine.row.ID + " › " + label,
			Before: textNode(before), There: textNode(there), Mine: textNode(mine.now),
		})
	}
}

func textNode(s string) *fields.Node { return &fields.Node{Text: s, Type: schema.Cell} }

// grid shows the rows of a table, and proposes what was changed in them.
func (p *page) grid() {
	t, err := p.table()
	if err != nil {
		p.failKeeping(http.StatusNotFound, err)
		return
	}
	p.kind = t.kind
	do := p.Get("do")
	if strings.Contains(do, " ") {
		p.Do(do, string(today()))
	}
	c, err := p.changed(t)
	switch {
	case err != nil:
		p.refused(err.Error())
		p.showGrid(t, &cells{columns: t.columns})
		return
	case do == "save" && len(c.conflicts) > 0:
		p.showConflicts(t.path, t.digest, c.conflicts)
		return
	case do == "save":
		files, err := p.planRows(t, c)
		if err == nil && len(files) > 0 {
			p.propose(&proposal{files: files, words: p.cellsInWords(c), next: Root + "?saved"})
			return
		}
		p.refused(cmp.Or(err, errors.New(p.say("no_change_text"))).Error())
	}
	p.showGrid(t, c)
}

// planRows turns the cells of the form into changes of the table.
func (p *page) planRows(t *table, c *cells) ([]amend.File, error) {
	set := map[int32][]amend.Setting{}
	public := false
	for _, cell := range c.list {
		now := amend.Setting{Path: cell.column, Value: strings.TrimSpace(cell.now)}
		set[cell.row.Line] = append(set[cell.row.Line], now)
		if r := p.x.byID[cell.row.ID]; r != nil {
			switch status, _ := p.status(r); status {
			case published.Locked:
				return nil, errors.New(cell.row.ID + ": " + p.say("is_locked"))
			case published.Published:
				public = true
			}
		}
	}
	added := p.newRows(c.columns)
	if len(set)+len(added) == 0 {
		return nil, nil
	}
	change := amend.Change{Date: today(), Published: p.lookUp()}
	if change.Published == nil && p.Get("@why") == "" {
		change.Published = neverPublished
	}
	var err error
	change.Correction, change.Update, err = p.reason(change.Date)
	if err == nil && public && change.Correction == nil && change.Update == nil {
		err = errors.New(p.say("grid_why"))
	}
	if err != nil {
		return nil, err
	}
	return amend.PlanRows(p.Files, t.path, set, added, change)
}

// cellsInWords returns the cells that change.
func (p *page) cellsInWords(c *cells) (edits []edit) {
	for _, c := range c.list {
		edits = append(edits, p.edit(c.row.ID+" › "+p.pathName(c.column), c.was, c.now))
	}
	for _, row := range p.newRows(c.columns) {
		var texts []string
		for _, column := range c.columns {
			if row[column] != "" {
				texts = append(texts, p.pathName(column)+": "+row[column])
			}
		}
		edits = append(edits, edit{p.say("new"), "", strings.Join(texts, ", ")})
	}
	if summary := p.Trimmed("@summary"); summary != "" && p.Get("@why") != "" {
		edits = append(edits, edit{p.say("grid_reason"), "", summary})
	}
	return edits
}

// newRows are the rows that were written at the end of a form with some columns.
func (p *page) newRows(columns []string) (added []map[string]string) {
	for n := range p.Count("n") {
		row := map[string]string{}
		for i, column := range columns {
			text := p.Trimmed("n." + strconv.Itoa(n) + "." + strconv.Itoa(i))
			if text != "" && editable(column) {
				row[column] = text
			}
		}
		if len(row) > 0 {
			added = append(added, row)
		}
	}
	return added
}

// reason is why figures changed, as the form has it; nothing where they were not published.
func (p *page) reason(day record.Date) (*record.Correction, *record.SourceUpdate, error) {
	summary := p.Trimmed("@summary")
	switch why := p.Get("@why"); {
	case why == "":
		return nil, nil, nil
	case summary == "":
		return nil, nil, errors.New(p.say("correct_why"))
	case why == "correct":
		return &record.Correction{Type: record.CorrectionCorrection, Summary: summary}, nil, nil
	}
	return nil, &record.SourceUpdate{
		Type: record.UpdateDataRevision, Date: day, Summary: summary, Effect: record.EffectRecordChanged,
	}, nil
}

// reasonFields ask for it.
func (p *page) reasonFields() {
	p.group("grid_reason", func() {
		for _, why := range []string{"", "correct", "revise"} {
			p.radio("@why", why, p.say("grid_"+why), "", p.Get("@why"))
		}
		p.textField("@summary", p.say("correct_summary"), true)
	})
}

// showGrid shows the rows of a page, with the cells that the form changed.
func (p *page) showGrid(t *table, c *cells) {
	mine := map[int32]map[string]string{}
	for _, cell := range c.list {
		if mine[cell.row.Line] == nil {
			mine[cell.row.Line] = map[string]string{}
		}
		mine[cell.row.Line][cell.column] = cell.now
	}
	for i := range t.all { // rows that were changed and are not found any more stay
		line := t.all[i].Line
		if mine[line] != nil && !slices.ContainsFunc(t.rows, func(r amend.Row) bool { return r.Line == line }) {
			t.rows = append(t.rows, t.all[i])
		}
	}
	base := fields.Pack(fields.OpenRows(t.columns, t.all, t.rows))
	if len(c.conflicts) > 0 {
		base = p.Get("@base")
	}
	p.open(p.x.words.Member(path.Base(path.Dir(t.path))))
	p.line(quietForm, t.path)
	p.line(leadForm, p.say("grid_lead"))
	p.summary()
	p.Fill(findForm, markup.Exactly("q", p.r.URL.Query().Get("q")))
	p.line(quietForm, p.say("grid_shown", "n", strconv.Itoa(len(t.rows)), "all", strconv.Itoa(t.found)))
	p.start()
	p.hidden("@base", base)
	blank := max(blankRows, p.Count("n"))
	p.hidden("n.#", strconv.Itoa(blank))
	p.gridTable(t, c, mine, blank)
	p.reasonFields()
	p.submit("save", p.say("save"))
	p.button("add n", p.say("add_row"))
	p.HTML(`</form>`)
	if from, _ := strconv.Atoi(p.r.URL.Query().Get("from")); from+gridRows < t.found {
		q := url.Values{"q": {p.r.URL.Query().Get("q")}, "from": {strconv.Itoa(from + gridRows)}}
		p.link(p.r.URL.Path+"?"+q.Encode(), p.x.words.Next)
	}
	p.end(http.StatusOK)
}

// gridTable writes the rows of a page, with the cells that were changed, and blank ones at the end.
func (p *page) gridTable(t *table, c *cells, mine map[int32]map[string]string, blank int) {
	p.Fill(gridForm, by("heads", func() {
		p.Fill(gridHeadForm, with("name", p.x.words.ID))
		for _, column := range t.columns {
			if editable(column) {
				p.Fill(gridHeadForm, with("name", p.pathName(column)))
			}
		}
	}), by("rows", func() {
		for _, row := range t.rows {
			p.gridRow(t, row.ID, "c."+strconv.Itoa(int(row.Line)), func(i int, column string) string {
				if text, ok := mine[row.Line][column]; ok {
					return text
				}
				return row.Cells[i]
			})
		}
		for n := range blank {
			name := "n." + strconv.Itoa(n)
			p.gridRow(t, p.say("new"), name, func(_ int, column string) string {
				at := slices.Index(c.columns, column)
				return p.Get(name + "." + strconv.Itoa(at))
			})
		}
	}))
}

// gridRow writes a row: its ID, and a cell for each column that can be written.
func (p *page) gridRow(t *table, id, name string, value func(i int, column string) string) {
	p.HTML("<tr>")
	p.Fill(keptForm, with("value", id))
	for i, column := range t.columns {
		if editable(column) {
			p.Fill(cellForm, with("name", name+"."+strconv.Itoa(i)), markup.Exactly("value", value(i, column)),
				with("label", p.pathName(column)+" "+id))
		}
	}
	p.HTML("</tr>")
}

// pathName is the path of a member or a column in words. Elements are counted from one.
func (p *page) pathName(path string) string {
	var names []string
	for step := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			step = strconv.Itoa(i + 1)
		}
		names = append(names, p.x.words.Member(step))
	}
	return strings.Join(names, " › ")
}
