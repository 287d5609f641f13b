package edit

import (
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
	columns, rows, err := amend.Rows(p.Files, t.path)
	if err != nil {
		return nil, err
	}
	query := strings.ToLower(p.r.URL.Query().Get("q"))
	from, _ := strconv.Atoi(p.r.URL.Query().Get("from"))
	for _, row := range rows {
		if !strings.Contains(strings.ToLower(strings.Join(row.Cells, "\n")+"\n"+row.ID), query) {
			continue
		}
		if t.found++; t.found > from && len(t.rows) < gridRows {
			t.rows = append(t.rows, row)
		}
	}
	t.columns = columns
	return t, nil
}

// grid shows the rows of a table, and takes what was changed in them.
func (p *page) grid() {
	t, err := p.table()
	if err != nil {
		p.fail(http.StatusNotFound, err)
		return
	}
	p.kind = t.kind
	do := p.Get("do")
	if do != "" && p.Get("@was") != t.digest { // what was written here stays in the form
		p.refused(p.say("conflict_text"))
		do = ""
	}
	if strings.Contains(do, " ") {
		p.do(do, string(today()))
	}
	if do == "save" || do == "write" {
		files, err := p.planRows(t)
		if err == nil && len(files) > 0 {
			p.confirm(&draft{path: t.path}, files, do, func() { p.cellsInWords(t) })
			return
		}
		if err == nil {
			err = errors.New(p.say("no_change_text"))
		}
		p.refused(err.Error())
	}
	p.showGrid(t)
}

// planRows turns the cells of the form into changes of the table.
func (p *page) planRows(t *table) ([]amend.File, error) {
	set := map[int32][]amend.Setting{}
	var known published
	public := false
	for _, c := range p.changedCells(t) {
		set[c.row.Line] = append(set[c.row.Line], amend.Setting{Path: c.column, Value: strings.TrimSpace(c.now)})
		was, is, err := p.isPublic(p.x.byID[c.row.ID])
		if err != nil {
			return nil, err
		}
		public, known = public || was, is
	}
	added := p.newRows(t)
	if len(set)+len(added) == 0 {
		return nil, nil
	}
	if known == nil && p.Get("@why") == "" {
		known = nowhere
	}
	c := amend.Change{Date: today(), Published: known}
	var err error
	c.Correction, c.Update, err = p.reason(c.Date)
	if err == nil && public && c.Correction == nil && c.Update == nil {
		err = errors.New(p.say("grid_why"))
	}
	if err != nil {
		return nil, err
	}
	return amend.PlanRows(p.Files, t.path, set, added, c)
}

// cell is a cell of a row that was changed in the form.
type cell struct {
	row              *amend.Row
	column, was, now string
}

func (p *page) changedCells(t *table) (list []cell) {
	for r := range t.rows {
		row := &t.rows[r]
		for i, column := range t.columns {
			name := "c." + row.ID + "." + strconv.Itoa(i)
			if editable(column) && p.form.Has(name) && unixLines(p.Get(name)) != unixLines(row.Cells[i]) {
				list = append(list, cell{row, column, row.Cells[i], p.Get(name)})
			}
		}
	}
	return list
}

// cellsInWords shows the cells that change.
func (p *page) cellsInWords(t *table) {
	p.Fill(changesForm, by("rows", func() {
		for _, c := range p.changedCells(t) {
			p.Fill(changeForm, with("member", c.row.ID+" › "+p.pathName(c.column)), with("before", c.was),
				with("after", c.now))
		}
		for _, row := range p.newRows(t) {
			for _, column := range slices.Sorted(maps.Keys(row)) {
				p.Fill(changeForm, with("member", p.say("new")+" › "+p.pathName(column)),
					with("before", p.say("nothing")), with("after", row[column]))
			}
		}
	}))
}

// newRows are the rows that were written at the end.
func (p *page) newRows(t *table) (added []map[string]string) {
	for n := range p.count("n") {
		row := map[string]string{}
		for i, column := range t.columns {
			text := p.trimmed("n." + strconv.Itoa(n) + "." + strconv.Itoa(i))
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
	summary := p.trimmed("@summary")
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

func (p *page) showGrid(t *table) {
	p.open(p.x.words.Member(path.Base(path.Dir(t.path))))
	p.line(quietForm, t.path)
	p.line(leadForm, p.say("grid_lead"))
	p.summary()
	p.Fill(findForm, with("q", p.r.URL.Query().Get("q")))
	p.line(quietForm, p.say("grid_shown", "n", strconv.Itoa(len(t.rows)), "all", strconv.Itoa(t.found)))
	p.Fill(startForm)
	p.hidden("@was", t.digest)
	blank := max(blankRows, p.count("n"))
	p.hidden("n.#", strconv.Itoa(blank))
	p.Fill(gridForm, by("heads", func() {
		p.Fill(gridHeadForm, with("name", p.x.words.ID))
		for _, column := range t.columns {
			if editable(column) {
				p.Fill(gridHeadForm, with("name", p.pathName(column)))
			}
		}
	}), by("rows", func() {
		for _, row := range t.rows {
			p.gridRow(t, "c."+row.ID, row.ID, row.Cells)
		}
		for n := range blank {
			p.gridRow(t, "n."+strconv.Itoa(n), p.say("new"), nil)
		}
	}))
	p.reasonFields()
	p.submit("save", p.say("save"))
	p.button("add n", p.say("add_row"))
	p.HTML(`</form>`)
	if from, _ := strconv.Atoi(p.r.URL.Query().Get("from")); from+len(t.rows) < t.found {
		q := url.Values{"q": {p.r.URL.Query().Get("q")}, "from": {strconv.Itoa(from + gridRows)}}
		p.link(p.r.URL.Path+"?"+q.Encode(), p.x.words.Next)
	}
	p.end(http.StatusOK)
}

// gridRow writes a row: its ID, and a cell for each column that can be written.
func (p *page) gridRow(t *table, name, id string, cells []string) {
	p.HTML("<tr>")
	p.Fill(keptForm, with("value", id))
	for i, column := range t.columns {
		if !editable(column) {
			continue
		}
		at := name + "." + strconv.Itoa(i)
		value := ""
		if cells != nil {
			value = cells[i]
		}
		if p.form.Has(at) {
			value = p.Get(at)
		}
		p.Fill(cellForm, with("name", at), with("value", value), with("label", p.pathName(column)+" "+id))
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
