package edit

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/tables"
	"stele/internal/author/reading/input"
	"stele/internal/base/sheet"
	"stele/internal/deliver/fields"
	"stele/internal/show/site/markup"
)

var (
	uploadForm = markup.Parse(`
		<form method="post" enctype="multipart/form-data" class="record upload">
			{?maps}<div class="field"><label for="i-map">{=import_saved}</label><select id="i-map" name="map">{maps}</select></div>{/}<div class="field"><label for="i-table">{=import_file}</label><p class="help">{=import_help}</p><input type="file" id="i-table" name="table" required></div>
			<button>{=import_go}</button>
		</form>`)
	rowsForm = markup.Parse(`<div class="scroll"><table>{rows}</table></div>`)
	itemForm = markup.Parse(`<li>{text}</li>`)
	tdForm   = markup.Parse(`<td>{text}</td>`)
)

// importTable receives a table, proposes records, and writes them.
func (p *page) importTable() {
	if p.r.Method == http.MethodGet {
		p.openPage(p.say("import"))
		p.fillLine(leadForm, p.say("import_lead"))
		p.Fill(uploadForm, markup.Each("maps", append(p.savedMaps(), ""), func(name string) {
			p.writeOption(name, cmp.Or(name, p.say("import_none_saved")), "")
		}))
		p.sendPage(http.StatusOK)
		return
	}
	if strings.HasPrefix(p.r.Header.Get("Content-Type"), "multipart/") {
		if err := p.storeUpload(); err != nil {
			p.fail(http.StatusBadRequest, err)
			return
		}
	}
	p.mu.Lock()
	path := p.tables[p.Get("@table")]
	p.mu.Unlock()
	if path == "" {
		p.fail(http.StatusNotFound, errors.New(p.say("import_again")))
		return
	}
	if err := p.showTable(path); err != nil {
		p.fail(http.StatusBadRequest, errors.New(tables.ErrorIn(err, p.x.words.Tag)))
	}
}

// storeUpload stores an uploaded table until the program stops. It is never completely in memory.
func (p *page) storeUpload() error {
	parts, err := p.r.MultipartReader()
	if err != nil {
		return err
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return err
		}
		switch part.FormName() {
		case "map":
			name, err := io.ReadAll(io.LimitReader(part, 1000))
			if err != nil {
				return err
			}
			p.Set("@saved", string(name))
		case "table":
			return p.storeTable(part, part.FileName())
		}
	}
}

func (p *page) storeTable(in io.Reader, name string) error {
	dir, err := os.MkdirTemp("", "stele-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))))
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close(), os.RemoveAll(dir))
	}
	token := rand.Text()
	p.mu.Lock()
	if len(p.tables) >= maxTables { // those that are left
		err = p.Close()
		clear(p.tables)
	}
	p.tables[token] = path
	p.mu.Unlock()
	p.Set("@table", token)
	return errors.Join(err, out.Close())
}

// Close deletes the uploaded tables.
func (e *Editor) Close() (err error) {
	for _, path := range e.tables {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(path)))
	}
	return err
}

// mapsFolder is the folder with the maps for next editions of tables.
const mapsFolder = "imports"

// savedMaps returns the names of the maps of earlier imports.
func (p *page) savedMaps() (names []string) {
	entries, _ := fs.ReadDir(p.Files, mapsFolder) // without the folder there are none
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".yaml") {
			names = append(names, e.Name())
		}
	}
	return names
}

// reading describes how a table is read: with a proposed map and the answers in the form, or with a
// map whose text is in the form.
type reading struct {
	path     string
	text     string           // text of the map
	made     bool             // whether it is derived from the answers
	proposal *tables.Proposal // empty for a saved or hand-written map
	ready    bool             // whether the plan can be saved
	plan     *tables.Plan
	result   *tables.Result
}

// showTable asks what only the author knows about a table, shows the resulting records, and
// proposes to save them.
func (p *page) showTable(path string) error {
	var r *reading
	var err error
	do, title := p.Get("do"), p.say("import")+": "+filepath.Base(path)
	p.runWithProgress(title, func() { // it takes as long as the command
		if r, err = p.reading(path); err == nil && do != "" && len(r.proposal.Questions) == 0 {
			r.plan, r.result, err = p.planTable(p.r.Context(), path, r.text)
		}
	})
	if r == nil {
		return err
	}
	r.ready = err == nil
	if do == "save" && err == nil && r.plan != nil {
		pr, err := p.importProposal(r)
		if err == nil {
			p.showProposal(pr)
		}
		return err
	}
	p.openPage(title)
	switch {
	case err != nil:
		p.fillLine(refusedForm, p.rewordForForms(tables.ErrorIn(err, p.x.words.Tag)))
	case do != "" && len(r.proposal.Questions) > 0:
		p.fillLine(refusedForm, p.say("import_unanswered"))
	}
	p.showReading(r)
	p.sendPage(http.StatusOK)
	return nil
}

// reading returns the map of a table.
func (p *page) reading(path string) (*reading, error) {
	r := &reading{path: path, text: fields.UnixLines(p.Get("@map")), proposal: &tables.Proposal{}}
	name := p.Get("@saved")
	switch {
	case r.text != "" && digest([]byte(r.text)) != p.Get("@made"):
		return r, nil
	case r.text == "" && slices.Contains(p.savedMaps(), name):
		text, err := fs.ReadFile(p.Files, mapsFolder+"/"+name)
		r.text = string(text)
		return r, err
	}
	open := func(o sheet.Options) (*sheet.Table, error) { return sheet.Open(p.r.Context(), path, o) }
	answers := tables.Answers{}
	for _, folder := range p.Values["@drop"] {
		answers["drop "+folder] = "yes"
	}
	for name := range p.Values {
		id, ok := answerID(name)
		if text := cmp.Or(tables.FreeAnswer(id, p.Trimmed("@free."+id)), p.Trimmed("@answer."+id)); ok && text != "" {
			answers[id] = text
		}
	}
	schemes, err := input.FolderAreas(p.Files)
	if err != nil {
		return nil, err
	}
	if r.proposal, err = tables.Propose(open, filepath.Base(path), sheet.Options{}, schemes, answers); err != nil {
		return nil, err
	}
	r.made = true
	shared := map[string]string{}
	for _, name := range sharedMembers {
		shared[name] = p.Trimmed("@shared." + name)
	}
	r.text, err = tables.Fill(r.proposal.Map, shared)
	return r, err
}

// answerID returns the ID of the question that a field answers.
func answerID(field string) (id string, ok bool) {
	kind, id, _ := strings.Cut(field, ".")
	return id, kind == "@answer" || kind == "@free"
}

// sharedMembers are the members for which a table's form asks once, for all records.
var sharedMembers = []string{"summary", "claim_boundary.statement", "source_links.0.url", "source_links.0.source_id"}

// importProposal returns the proposal for a table's records and its map for the next edition.
func (p *page) importProposal(r *reading) (*proposal, error) {
	pr := &proposal{
		files: slices.Concat(r.plan.New, r.plan.Changed), next: Root + "?saved",
		lead: p.say("import_becomes", "n", strconv.Itoa(r.result.Figures)), words: p.changedFigures(r.plan),
	}
	base := filepath.Base(r.path)
	at := mapsFolder + "/" + strings.TrimSuffix(base, filepath.Ext(base)) + ".yaml"
	was, err := fs.ReadFile(p.Files, at)
	if errors.Is(err, fs.ErrNotExist) {
		was, err = nil, nil
	}
	if string(was) != r.text {
		pr.files = append(pr.files, amend.File{Path: at, Old: was, New: []byte(r.text)})
	}
	return pr, err
}

// changedFigures returns the figures that an import changes, in words.
func (p *page) changedFigures(plan *tables.Plan) (edits []edit) {
	for _, u := range plan.Updates {
		for _, c := range u.Changed {
			edits = append(edits, p.newEdit(c.About+" › "+p.pathText(c.Member), c.Old, c.New+c.Note()))
		}
		if len(u.Added) > 0 {
			edits = append(edits, edit{u.Path, "", p.say("import_becomes", "n", strconv.Itoa(len(u.Added)))})
		}
	}
	return edits
}

// showReading shows the questions, how columns are read, the resulting records, and what the user
// can change.
func (p *page) showReading(r *reading) {
	if tables.Speaks(p.x.words.Tag) { // what import says is not foreign
		p.Foreign = func() {}
	}
	p.startForm()
	p.writeHidden("@table", p.Get("@table"))
	p.writeHidden("@saved", p.Get("@saved"))
	if r.made {
		p.writeHidden("@made", digest([]byte(r.text)))
	}
	for i := range r.proposal.Questions {
		p.showQuestion(&r.proposal.Questions[i])
	}
	p.showAnswered(r)
	if r.plan != nil {
		p.showCounts(r.result)
		p.showResults(r)
	} else {
		p.showFirstRows(r.path)
	}
	if r.made {
		p.showReadings(r.proposal)
	}
	p.writeReasonFields()
	p.writeCheckbox("@keep", "yes", p.say("import_keep"))
	p.writeCheckbox("@over", "yes", p.say("import_over"))
	p.Fill(foldForm, with("name", p.say("import_map")), by("inner", func() {
		p.Fill(areaForm, with("path", "@map"), with("rows", "20"), by("more", func() {
			p.HTML(` dir="ltr"`)
			p.Attr("aria-label", p.say("import_map"))
		}), markup.Exactly("text", "\n"+r.text))
	}))
	p.writeButton("check", p.say("import_read"))
	if r.plan != nil && r.ready {
		p.writeSubmit("save", p.say("save"))
	}
	p.HTML(`</form>`)
}

// showAnswered shows the answered questions, and keeps answers to questions that are no longer
// asked.
func (p *page) showAnswered(r *reading) {
	known := r.proposal.Answered
	if len(known) > 0 {
		p.Fill(foldForm, with("name", p.say("import_answered", "n", strconv.Itoa(len(known)))), by("inner", func() {
			for i := range known {
				p.showQuestion(&known[i])
			}
		}))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		id, isAnswer := answerID(name)
		isAsked := func(q tables.Question) bool { return q.ID == id }
		_, folder, _ := strings.Cut(id, " ")
		isShown := func(s tables.Proposed) bool { return s.Folder == folder }
		if !isAnswer || slices.ContainsFunc(r.proposal.Questions, isAsked) || slices.ContainsFunc(known, isAsked) ||
			slices.ContainsFunc(r.proposal.Series, isShown) {
			continue
		}
		p.writeHidden(name, p.Get(name))
	}
}

// showQuestion asks a question, and shows the result of each answer for some cells of the table.
func (p *page) showQuestion(q *tables.Question) {
	p.Fill(questionForm, with("text", p.inLanguage(q.Text)), by("choices", func() {
		for _, c := range q.Choices {
			var examples []string
			for _, e := range c.Examples[:min(len(c.Examples), 5)] {
				if text := e.Text + " → " + e.Result; !slices.Contains(examples, text) {
					examples = append(examples, text)
				}
			}
			p.writeRadio("@answer."+q.ID, c.Value, p.inLanguage(c.Label), strings.Join(examples, ", "), p.Get("@answer."+q.ID))
		}
		if label := p.inLanguage(q.Free); label != "" {
			switch {
			case strings.HasPrefix(q.ID, "mark "):
				label = p.say("import_footnote")
			case strings.HasPrefix(q.ID, "period"):
				label = p.say("import_year_begins")
			}
			p.writeTextField("@free."+q.ID, label, false)
		}
	}))
}

var (
	questionForm = markup.Parse(`<fieldset class="group question"{lang}><legend>{text}</legend>{choices}</fieldset>`)
	columnsForm  = markup.Parse(`<div class="scroll" tabindex="0"><table class="changes"><tbody>{rows}</tbody></table></div>`)
	columnForm   = markup.Parse(`<tr><th scope="row">{column}</th><td{lang}>{reading}</td><td class="quiet"{lang}>{why}</td></tr>`)
	resultForm   = markup.Parse(`<div class="scroll" tabindex="0"><table class="changes"><thead><tr><th scope="col">{=line}</th><th scope="col">{=original}</th><th scope="col">{=becomes}</th></tr></thead><tbody>{rows}</tbody></table></div>`)
	becomesForm  = markup.Parse(`<tr><td>{line}</td><td class="quiet">{original}</td><td>{about}: {?differs}<mark>{value}</mark>{/}{?same}{same}{/}</td></tr>`)
)

// inLanguage returns a text from import in the language of the pages.
func (p *page) inLanguage(text tables.Phrase) string { return text.In(p.x.words.Tag) }

// showReadings shows how columns are read, and asks for the titles and units of the series and for
// the members that all records share.
func (p *page) showReadings(of *tables.Proposal) {
	if len(of.Readings) > 0 {
		p.writeSection("import_columns", func() {
			p.Fill(columnsForm, markup.Each("rows", of.Readings, func(r tables.Reading) {
				p.Fill(columnForm, with("column", r.Column), with("reading", p.inLanguage(r.Words())), with("why", p.inLanguage(r.Why)))
			}))
		})
	}
	for _, s := range of.Series {
		p.Fill(groupForm, with("legend", s.Column), with("help", ""), by("inner", func() {
			for _, f := range [][2]string{{"title", s.Title}, {"unit", s.Unit}, {"unit_label", s.UnitLabel}} {
				name := "@answer." + f[0] + " " + s.Folder
				p.Set(name, cmp.Or(p.Get(name), f[1]))
				p.writeTextField(name, p.say("import_"+f[0]), false)
			}
			p.writeCheckbox("@drop", s.Folder, p.say("import_drop"))
		}))
	}
	if len(of.Left) > 0 {
		p.writeGroup("import_left", func() {
			for _, l := range of.Left {
				p.writeCheckbox("@answer.column "+l.Column, "figures", p.say("import_take", "column", l.Column)+" ("+p.inLanguage(l.Why)+")")
			}
		})
	}
	p.writeGroup("import_shared", func() {
		for _, name := range sharedMembers {
			p.writeTextField("@shared."+name, p.say("import_shared_"+strings.ReplaceAll(name, ".", "_")), name == sharedMembers[0])
		}
	})
}

// showCounts shows how many rows and cells became figures, and what happened to the others.
func (p *page) showCounts(r *tables.Result) {
	p.writeSection("import_counts", func() {
		p.HTML("<ul>")
		item := func(n int, name string, fill ...string) {
			if n > 0 {
				p.fillLine(itemForm, p.say(name, append(fill, "n", strconv.Itoa(n))...))
			}
		}
		item(r.Rows, "import_rows", "written", strconv.Itoa(r.Written))
		for _, why := range slices.Sorted(maps.Keys(r.Ignored)) {
			item(r.Ignored[why], "import_ignored", "why", p.inLanguage(tables.IgnoredBecause(why)))
		}
		item(r.Missing, "import_missing")
		item(r.Omitted, "import_omitted")
		for _, member := range slices.Sorted(maps.Keys(r.Without)) {
			item(r.Without[member], "import_without", "what", p.pathText(member))
		}
		p.HTML("</ul>")
	})
}

// showResults shows the first records of each series next to the rows that they come from. It marks
// figures that are written differently in their row.
func (p *page) showResults(r *reading) {
	const most = 20
	rows := map[int][]string{}
	if t, err := sheet.Open(p.r.Context(), r.path, sheet.Options{}); err == nil {
		for row, err := range t.Rows() {
			if err != nil || len(rows) > 40*most {
				break
			}
			for _, c := range row.Cells {
				rows[row.Line] = append(rows[row.Line], c.Text)
			}
		}
		t.Close() // it was only read
	}
	for _, u := range r.plan.Updates {
		head := p.say("import_becomes", "n", strconv.Itoa(len(u.Rows))) + ": " + u.Path
		p.Fill(sectionForm, with("head", head), by("inner", func() {
			p.Fill(resultForm, by("rows", func() {
				for i, row := range u.Rows[:min(len(u.Rows), most)] {
					line := u.Line(i)
					value := tables.FigureText(row)
					same := slices.Contains(rows[line], value)
					p.Fill(becomesForm, with("line", strconv.Itoa(line)), with("original", strings.Join(rows[line], " · ")),
						with("about", tables.RowLabel(row)), markup.ShowIf("differs", !same),
						with("value", value), with("same", pick(same, value, "")))
				}
			}))
		}))
	}
}

// showFirstRows shows the beginning of a table.
func (p *page) showFirstRows(path string) {
	t, err := sheet.Open(p.r.Context(), path, sheet.Options{})
	if err != nil {
		p.fillLine(quietForm, err.Error())
		return
	}
	defer t.Close() // it was only read
	const most = 6
	count := 0
	p.writeSection("import_table", func() {
		p.Fill(rowsForm, by("rows", func() {
			for row, err := range t.Rows() {
				if count++; err != nil || count > most {
					return
				}
				p.HTML("<tr>")
				for _, c := range row.Cells {
					p.fillLine(tdForm, c.Text)
				}
				p.HTML("</tr>")
			}
		}))
	})
}

// planTable reads a table with a map, and compares it with the existing records.
func (p *page) planTable(ctx context.Context, path, text string) (*tables.Plan, *tables.Result, error) {
	m, err := tables.ReadMap(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	if m.Schemes, err = input.FolderAreas(p.Files); err != nil {
		return nil, nil, err
	}
	result, err := m.Read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	c := tables.Change{Date: p.x.today(), KeepGone: p.Get("@keep") == "yes", Corrected: p.Get("@over") == "yes"}
	if c.Correction, c.Update, err = p.readReason(c.Date); err != nil {
		return nil, nil, err
	}
	plan, err := result.Compare(p.Files, c)
	return plan, result, err
}
