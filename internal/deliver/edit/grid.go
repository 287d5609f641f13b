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
	"stele/internal/author/reading/input"
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

// listGrids lists the tables of the folder.
func (p *page) listGrids() {
	counts := map[string]int{}
	for _, r := range p.x.list {
		if strings.HasSuffix(strings.ToLower(r.file), ".csv") {
			counts[r.file]++
		}
	}
	if len(counts) == 0 {
		return
	}
	p.writeSection("tables", func() {
		p.HTML("<ul>")
		for _, at := range slices.Sorted(maps.Keys(counts)) {
			p.Fill(nameItemForm, with("address", Root+"grid/"+(&url.URL{Path: at}).EscapedPath()), with("title", at),
				with("about", p.x.words.Counted(p.x.words.CountedRecords, counts[at])))
		}
		p.HTML("</ul>")
	})
}

// isEditable reports whether the author can edit a column.
func isEditable(column string) bool {
	top, _, _ := strings.Cut(column, ".")
	return top != "id" && top != "kind" && !slices.Contains(written, top)
}

const (
	gridRows  = 200 // rows of a page
	blankRows = 3   // empty rows for new records
)

// table is a table of records in a grid.
type table struct {
	path    string
	kind    *record.Kind
	columns []string
	all     []amend.Row
	rows    []amend.Row // matching rows on this page
	found   int         // number of matching rows
	digest  string
}

func (p *page) readTable() (*table, error) {
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

// changedCells compares the cells of the form with the cells when the form was opened and with the
// cells now in the table.
func (p *page) changedCells(t *table) (c *fields.Cells, err error) {
	o := fields.OpenRows(t.columns, t.all, t.rows)
	if p.Form.Has("@base") {
		o = fields.Opened{}
		err = fields.Unpack(p.Get("@base"), &o)
	}
	var take map[string]string
	if p.Get("@seen") == t.digest {
		take = p.conflictChoices()
	}
	if err == nil {
		c, err = p.Cells(o, t.columns, t.all, take, isEditable)
	}
	var gone fields.GoneError
	switch {
	case errors.As(err, &gone):
		err = errors.New(p.say("row_gone", "row", gone.ID))
	case err != nil:
		err = errors.New(p.say("unreadable"))
	default:
		for i := range c.Conflicts {
			row, column, _ := strings.Cut(c.Conflicts[i].Label, " › ")
			c.Conflicts[i].Label = row + " › " + p.pathText(column)
		}
	}
	return c, err
}

// answerGrid shows the rows of a table, and proposes changes to them.
func (p *page) answerGrid() {
	t, err := p.readTable()
	if err != nil {
		p.failKeeping(http.StatusNotFound, err)
		return
	}
	p.kind = t.kind
	do := p.Get("do")
	if strings.Contains(do, " ") {
		p.Do(do, string(p.x.today()))
	}
	c, err := p.changedCells(t)
	switch {
	case err != nil:
		p.showRefusal(err.Error())
		p.showGrid(t, &fields.Cells{Columns: t.columns})
		return
	case do == "save" && len(c.Conflicts) > 0:
		p.showConflicts(t.path, t.digest, c.Conflicts)
		return
	case do == "save":
		files, err := p.planRows(t, c)
		if err == nil && len(files) > 0 {
			p.showProposal(&proposal{files: files, words: p.cellEdits(c), next: Root + "?saved"})
			return
		}
		p.showRefusal(cmp.Or(err, errors.New(p.say("no_change_text"))).Error())
	}
	p.showGrid(t, c)
}

// planRows plans to write the changed cells of the form into the table.
func (p *page) planRows(t *table, c *fields.Cells) ([]amend.File, error) {
	set := map[int32][]amend.Setting{}
	public := false
	for _, cell := range c.List {
		now := amend.Setting{Path: cell.Column, Value: strings.TrimSpace(cell.Now)}
		set[cell.Row.Line] = append(set[cell.Row.Line], now)
		if r := p.x.byID[cell.Row.ID]; r != nil {
			switch status, _ := p.publishedStatus(r); status {
			case published.Locked:
				return nil, errors.New(cell.Row.ID + ": " + p.say("is_locked"))
			case published.Published:
				public = true
			}
		}
	}
	added := p.newRows(c.Columns)
	if len(set)+len(added) == 0 {
		return nil, nil
	}
	change := amend.Change{Date: p.x.today(), Published: p.lookUp(), By: p.Trimmed("@by")}
	if change.Published == nil && p.Get("@why") == "" {
		change.Published = neverPublished
	}
	var err error
	change.Correction, change.Update, err = p.readReason(change.Date)
	if err == nil && public && change.Correction == nil && change.Update == nil {
		err = errors.New(p.say("grid_why"))
	}
	if err != nil {
		return nil, err
	}
	return amend.PlanRows(p.Files, t.path, set, added, change)
}

// cellEdits returns the changed cells.
func (p *page) cellEdits(c *fields.Cells) (edits []edit) {
	for _, c := range c.List {
		edits = append(edits, p.newEdit(c.Row.ID+" › "+p.pathText(c.Column), c.Was, c.Now))
	}
	for _, row := range p.newRows(c.Columns) {
		var texts []string
		for _, column := range c.Columns {
			if row[column] != "" {
				texts = append(texts, p.pathText(column)+": "+row[column])
			}
		}
		edits = append(edits, edit{p.say("new"), "", strings.Join(texts, ", ")})
	}
	if summary := p.Trimmed("@summary"); summary != "" && p.Get("@why") != "" {
		edits = append(edits, edit{p.say("grid_reason"), "", summary})
	}
	return edits
}

// newRows returns the rows that the user added at the end of the form.
func (p *page) newRows(columns []string) (added []map[string]string) {
	for n := range p.Count("n") {
		row := map[string]string{}
		for i, column := range columns {
			text := p.Trimmed("n." + strconv.Itoa(n) + "." + strconv.Itoa(i))
			if text != "" && isEditable(column) {
				row[column] = text
			}
		}
		if len(row) > 0 {
			added = append(added, row)
		}
	}
	return added
}

// readReason returns the correction or source update that the form gives for changed figures, or
// nil if it gives none.
func (p *page) readReason(day record.Date) (*record.Correction, *record.SourceUpdate, error) {
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

// writeReasonFields writes the fields for the reason of a change.
func (p *page) writeReasonFields() {
	p.writeGroup("grid_reason", func() {
		for _, why := range []string{"", "correct", "revise"} {
			p.writeRadio("@why", why, p.say("grid_"+why), "", p.Get("@why"))
		}
		p.writeTextField("@summary", p.say("correct_summary"), true)
	})
}

// showGrid shows the rows of a page, with the cells that the form changed.
func (p *page) showGrid(t *table, c *fields.Cells) {
	mine := map[int32]map[string]string{}
	for _, cell := range c.List {
		if mine[cell.Row.Line] == nil {
			mine[cell.Row.Line] = map[string]string{}
		}
		mine[cell.Row.Line][cell.Column] = cell.Now
	}
	for i := range t.all { // changed rows stay, even if they no longer match
		line := t.all[i].Line
		if mine[line] != nil && !slices.ContainsFunc(t.rows, func(r amend.Row) bool { return r.Line == line }) {
			t.rows = append(t.rows, t.all[i])
		}
	}
	base := fields.Pack(fields.OpenRows(t.columns, t.all, t.rows))
	if len(c.Conflicts) > 0 {
		base = p.Get("@base")
	}
	p.openPage(p.x.words.Member(path.Base(path.Dir(t.path))))
	p.fillLine(quietForm, t.path)
	if _, err := fs.Stat(p.Files, path.Join(path.Dir(t.path), input.DefaultsFile)); err == nil {
		p.writeLink(Root+"shared/"+(&url.URL{Path: t.path}).EscapedPath(), p.say("shared_title"))
	}
	public := p.showGridState(t)
	p.fillLine(leadForm, p.say("grid_lead"))
	p.writeSummary()
	p.Fill(findForm, markup.Exactly("q", p.r.URL.Query().Get("q")))
	p.fillLine(quietForm, p.say("grid_shown", "n", strconv.Itoa(len(t.rows)), "all", strconv.Itoa(t.found)))
	p.startForm()
	p.writeHidden("@base", base)
	blank := max(blankRows, p.Count("n"))
	p.writeHidden("n.#", strconv.Itoa(blank))
	p.writeGridTable(t, c, mine, blank)
	if public {
		p.writeReasonFields()
		p.writeTextField("@by", p.say("verified_by"), false)
	}
	p.writeSubmit("save", p.say("save"))
	p.writeButton("add n", p.say("add_row"))
	p.HTML(`</form>`)
	if from, _ := strconv.Atoi(p.r.URL.Query().Get("from")); from+gridRows < t.found {
		q := url.Values{"q": {p.r.URL.Query().Get("q")}, "from": {strconv.Itoa(from + gridRows)}}
		p.writeLink(p.r.URL.Path+"?"+q.Encode(), p.x.words.Next)
	}
	p.sendPage(http.StatusOK)
}

// showGridState shows how many rows of a table are published, and reports whether a changed figure
// may be published.
func (p *page) showGridState(t *table) bool {
	counts := map[published.Status]int{}
	for i := range t.all {
		if r := p.x.byID[t.all[i].ID]; r != nil {
			status, _ := p.publishedStatus(r)
			counts[status]++
		}
	}
	all := strconv.Itoa(len(t.all))
	switch n := counts[published.Published]; {
	case counts[published.Locked] > 0:
		p.fillLine(textForm, p.say("state_locked"))
	case n > 0:
		p.fillLine(textForm, p.say("grid_public", "n", strconv.Itoa(n), "all", all))
	case counts[published.Unknown] > 0:
		p.fillLine(textForm, p.say("state_unknown"))
	default:
		p.fillLine(textForm, p.say("grid_private"))
		return false
	}
	p.showKnown()
	return true
}

// writeGridTable writes the rows of a page with the changed cells, and empty rows at the end.
func (p *page) writeGridTable(t *table, c *fields.Cells, mine map[int32]map[string]string, blank int) {
	p.Fill(gridForm, by("heads", func() {
		p.Fill(gridHeadForm, with("name", p.x.words.ID))
		for _, column := range t.columns {
			if isEditable(column) {
				p.Fill(gridHeadForm, with("name", p.pathText(column)))
			}
		}
	}), by("rows", func() {
		for _, row := range t.rows {
			p.writeGridRow(t, row.ID, "c."+strconv.Itoa(int(row.Line)), func(i int, column string) string {
				if text, ok := mine[row.Line][column]; ok {
					return text
				}
				return row.Cells[i]
			})
		}
		for n := range blank {
			name := "n." + strconv.Itoa(n)
			p.writeGridRow(t, p.say("new"), name, func(_ int, column string) string {
				at := slices.Index(c.Columns, column)
				return p.Get(name + "." + strconv.Itoa(at))
			})
		}
	}))
}

// writeGridRow writes a row: its ID, and a cell for each editable column.
func (p *page) writeGridRow(t *table, id, name string, value func(i int, column string) string) {
	p.HTML("<tr>")
	p.Fill(keptForm, with("value", id))
	for i, column := range t.columns {
		if isEditable(column) {
			p.Fill(cellForm, with("name", name+"."+strconv.Itoa(i)), markup.Exactly("value", value(i, column)),
				with("label", p.pathText(column)+" "+id))
		}
	}
	p.HTML("</tr>")
}

// pathText returns the path of a member or a column in words. Elements are counted from one.
func (p *page) pathText(path string) string {
	var names []string
	for step := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			step = strconv.Itoa(i + 1)
		}
		names = append(names, p.x.words.Member(step))
	}
	return strings.Join(names, " › ")
}
