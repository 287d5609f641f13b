package edit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
	"stele/internal/deliver/signin"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

var holdShape = schema.ShapeOf[record.Hold]()

// draft is a record in a form.
type draft struct {
	id      string
	path    string       // path of its file
	files   fs.FS        // the folder, including the new file of a new record
	created []byte       // the initial content of a new file; nil for an existing record
	was     *fields.Node // the record in the file, with its defaults
	base    *fields.Node // the record when the form was opened
}

// loadDraft reads the record that the path names. If its file was just moved, loadDraft builds the
// index again.
func (p *page) loadDraft() (*draft, error) {
	d, err := p.loadIndexed()
	if errors.Is(err, fs.ErrNotExist) {
		p.setFindings(nil)
		if p.x, err = p.currentIndex(); err == nil {
			d, err = p.loadIndexed()
		}
	}
	return d, err
}

func (p *page) loadIndexed() (*draft, error) {
	r := p.x.byID[p.r.PathValue("id")]
	if r == nil {
		return nil, errNoRecord
	}
	if r.kind.Name == record.KindChangeEvent {
		return nil, errors.New(p.say("no_events"))
	}
	p.kind = r.kind
	is, err := amend.Open(p.Files, r.file, r.id)
	switch {
	case err != nil:
		return nil, err
	case is == nil:
		return nil, fs.ErrNotExist
	}
	d := &draft{id: r.id, path: r.file, files: p.Files, was: fields.NodeOf(is.Merged, 0)}
	return d, p.setBase(d)
}

// setBase reads the values with which the form was opened.
func (p *page) setBase(d *draft) error {
	d.base = d.was
	if !p.Form.Has("@base") {
		return nil
	}
	d.base = new(fields.Node)
	if err := fields.Unpack(p.Get("@base"), d.base); err != nil {
		return errors.New(p.say("unreadable"))
	}
	if d.base.Same(d.was) {
		d.base = d.was
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// newDraft prepares a new record from the template of its kind.
func (p *page) newDraft(id string) (*draft, error) {
	if message, fix := record.ID(id).Problem(); message != "" {
		return nil, fmt.Errorf("%s: %s", message, fix)
	}
	if p.x.byID[id] != nil {
		return nil, errors.New(p.say("id_taken", "id", id))
	}
	d := &draft{id: id, path: path.Join("records", p.kind.Folder(), id+".yaml")}
	d.created = starter.Template(p.kind, id, p.x.today())
	if _, err := fs.Stat(p.Files, d.path); !errors.Is(err, fs.ErrNotExist) {
		return nil, cmp.Or(err, errors.New(p.say("id_taken", "id", d.path)))
	}
	d.files = amend.With(p.Files, []amend.File{{Path: d.path, New: d.created}})
	is, err := amend.Open(d.files, d.path, id)
	if err != nil || is == nil {
		return nil, cmp.Or(err, errNoRecord)
	}
	d.was = fields.NodeOf(is.Merged, 0)
	d.base = d.was
	return d, nil
}

// answerNewRecord answers requests to the form for a new record.
func (p *page) answerNewRecord() {
	if p.kind = record.KindNamed(p.r.PathValue("kind")); p.kind == nil || p.kind.Name == record.KindChangeEvent {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	do := p.Get("do")
	id := cmp.Or(p.Trimmed("@id"), starter.ProposeID(p.kind, cmp.Or(p.Get("title"), p.Get("name")), p.x.hasID))
	d, err := p.newDraft(id)
	if err != nil {
		p.showRefusal(err.Error())
		d, err = p.newDraft(starter.ProposeID(p.kind, id, p.x.hasID))
		do = ""
	}
	if err != nil {
		p.fail(http.StatusBadRequest, err)
		return
	}
	p.answerForm(d, "change", do)
}

// showRefusal shows a sentence at the top of the form.
func (p *page) showRefusal(text string) {
	p.found["@"] = append(p.found["@"], schema.Problem{Code: codes.WrongValue, Message: text})
}

// answerRecord answers requests to a door for an existing record.
func (p *page) answerRecord() {
	d, err := p.loadDraft()
	if err != nil {
		p.failKeeping(http.StatusNotFound, err)
		return
	}
	door := p.r.PathValue("door")
	if !slices.Contains(doors, door) {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	status, _ := p.publishedStatus(p.x.byID[d.id])
	switch {
	case p.x.byID[d.id].excludesAction(door):
		p.showRefusal(p.say("is_retracted"))
		p.showActions()
		return
	case !isActionOffered(status, door):
		p.showRefusal(p.say(pick(status == published.Locked, "is_locked", "is_public")))
		p.showActions()
		return
	}
	switch do := p.Get("do"); door {
	case "reverify", "retract", "redact", "remove":
		p.answerOther(d, door, do)
	case "undo":
		p.proposeUndo(d)
	default:
		p.answerForm(d, door, do)
	}
}

// failKeeping shows an error, and the submitted fields so that the user can copy them.
func (p *page) failKeeping(status int, err error) {
	if p.r.Method != http.MethodPost {
		p.fail(status, err)
		return
	}
	p.openPage(p.say("not_done"))
	p.fillLine(failForm, p.rewordForForms(err.Error()))
	kind := cmp.Or(p.Get("@kind"), record.Kinds[0].Name)
	p.Fill(keptFieldsForm, with("address", Root+"new/"+kind), by("fields", func() {
		signin.HideFields(&p.Writer, p.Values, "do", "@base")
		p.writeHidden("@id", p.r.PathValue("id"))
	}))
	p.sendPage(status)
}

var keptFieldsForm = markup.Parse(`<form method="post" class="record" action="{address}">{fields}<button name="do" value="check">{=write_again}</button></form>`)

// answerForm shows a form, changes it for a button, or proposes to write it.
func (p *page) answerForm(d *draft, door, do string) {
	switch do {
	case "draft":
		p.Set("@draft", "true")
		do = "save"
	case "finish":
		p.Del("@draft")
		do = "save"
	}
	p.Set("do", do)
	do = p.changeForm()
	shown, final, ok := p.mergeForm(d, do)
	if !ok {
		return
	}
	problems := p.checkRecord(final)
	switch {
	case do == "live" && d.created != nil: // an empty field is not wrong yet
		p.showFound(slices.DeleteFunc(slices.Clone(problems), func(q schema.Problem) bool {
			return q.Value == "" || q.Code == codes.MalformedID // the user is typing words of a title
		}))
	case p.r.Method == http.MethodPost || d.created == nil:
		p.showFound(problems)
	}
	if do != "save" {
		p.showForm(d, shown, door)
		return
	}
	p.proposeSave(d, shown, final, door, problems)
}

// mergeForm combines the values of a form with changes that others made since it was opened. shown
// includes empty lines, for display; final does not. If the form is to be saved and both changed
// the same member, mergeForm asks which value to keep, and ok is false.
func (p *page) mergeForm(d *draft, do string) (shown, final *fields.Node, ok bool) {
	shape := p.pageShape()
	shown = p.setHold(p.Value(shape, d.base, ""), d)
	final = p.setHold(fields.Form{Values: p.Values}.Value(shape, d.base, ""), d)
	if d.base == d.was {
		return shown, final, true
	}
	m := fields.Merge{}
	if p.Get("@seen") == nodeDigest(d.was) {
		m.Take = p.conflictChoices()
	}
	merged := m.Value(shape, d.base, final, d.was, "")
	if do == "save" && len(m.Conflicts) > 0 {
		p.showConflicts(d.path, nodeDigest(d.was), m.Conflicts)
		return nil, nil, false
	}
	if len(m.Conflicts) == 0 {
		shown = m.Value(shape, d.base, shown, d.was, "")
		d.base = d.was
	}
	return shown, merged, true
}

// pageShape returns the shape of the value on the page.
func (p *page) pageShape() *schema.Shape {
	if p.kind == nil {
		return settingsShape
	}
	return p.kind.Shape()
}

// conflictChoices returns the user's choices between conflicting values.
func (p *page) conflictChoices() map[string]string {
	take := map[string]string{}
	for name := range p.Values {
		if path, ok := strings.CutPrefix(name, "@take."); ok {
			take[path] = p.Get(name)
		}
	}
	return take
}

func nodeDigest(n *fields.Node) string { return digest([]byte(fields.Pack(n))) }

// setHold returns n with the members in the form that keep a record from being published.
func (p *page) setHold(n *fields.Node, d *draft) *fields.Node {
	if !p.Form.Has("@hold") {
		return n
	}
	c := *n
	isHold := func(m *fields.Node) bool { return holdShape.Member(m.Name) != nil }
	c.List = slices.DeleteFunc(slices.Clone(n.List), isHold)
	put := func(name, text string, typ schema.Type) {
		if was := d.base.Find(name); was.Shown() == text && was != nil {
			c.List = append(c.List, was)
		} else if text != "" {
			c.List = append(c.List, &fields.Node{Name: name, Text: text, Type: typ})
		}
	}
	put("draft", p.Get("@draft"), schema.Bool)
	put("not_before", p.Trimmed("@not_before"), schema.String)
	return &c
}

// checkRecord returns the problems of a record by itself, and its references to unknown records.
func (p *page) checkRecord(n *fields.Node) []schema.Problem {
	tree := new(schema.Tree)
	if !tree.ScanJSON("", string(n.AppendJSON(nil, p.kind.Shape())), 1) {
		return []schema.Problem{{Code: codes.WrongValue, Message: p.say("unreadable")}}
	}
	parser := record.Parser{Date: p.x.today()}
	_, refs, problems := parser.Decode(p.kind, tree)
	for _, r := range refs {
		if p.x.byID[r.To] == nil && r.To != "" {
			problems = append(problems, schema.Problem{
				Code: r.Missing, Pointer: r.Pointer(p.kind.Shape()), Message: p.say("no_record", "id", r.To),
			})
		}
	}
	return problems
}

// showFound makes the form show findings next to their fields.
func (p *page) showFound(problems []schema.Problem) {
	for _, problem := range problems {
		at := fieldName(problem.Pointer)
		if !slices.ContainsFunc(p.found[at], func(q schema.Problem) bool { return q.Message == problem.Message }) {
			p.found[at] = append(p.found[at], problem)
		}
	}
}

var (
	idFieldForm = markup.Parse(`
		<div class="field" id="f-@id"><label for="i-@id">{=ID}</label><p class="help" id="d-@id"{lang}>{=id_help}</p>
		<input id="i-@id" name="@id" value="{value}" dir="ltr" aria-describedby="d-@id"></div>`)
	summaryForm = markup.Parse(`<div class="summary" id="summary" role="alert" tabindex="-1"><h2>{head}</h2><ul>{list}</ul></div>`)
	jumpForm    = markup.Parse(`<li><a href="{address}">{field}</a>: <span{lang}>{text}</span></li>`)
	plainField  = markup.Parse(`<div class="field"><label for="i-{name}">{label}</label>{?help}<p class="help">{help}</p>{/}{control}</div>`)
)

// showForm writes the form of a record.
func (p *page) showForm(d *draft, now *fields.Node, door string) {
	title, lead := p.say("new")+": "+p.kindName(p.kind), "new_lead"
	if d.created == nil {
		lead = door + "_lead"
		title = p.say(door) + ": " + cmp.Or(now.Find("title").Shown(), now.Find("name").Shown(), d.id)
	}
	p.openPage(title)
	p.fillLine(leadForm, p.say(lead))
	p.writeSummary()
	p.startForm()
	// the button for Enter
	p.HTML(`<button class="first" name="do" value="check" tabindex="-1" aria-hidden="true"></button>`)
	p.writeHidden("@kind", p.kind.Name)
	if d.created != nil {
		p.Fill(idFieldForm, markup.Exactly("value", p.Get("@id")))
	} else {
		p.writeHidden("@base", fields.Pack(d.base))
		p.fillLine(quietForm, d.path+" · "+d.id+" · "+p.say("version_is", "n", d.was.Find("version").Shown()))
	}
	p.writeFields(now)
	if door == "change" {
		p.holdFields(now)
	}
	p.writeActionFields(d, door)
	p.writeSubmit("save", p.say("save"))
	p.writeButton("check", p.say("check"))
	if d.was.Find("draft").Shown() == "true" {
		p.writeButton("finish", p.say("finish"))
	}
	if d.created != nil || door == "change" {
		p.writeButton("draft", p.say("save_draft"))
	}
	p.HTML("</form>")
	p.sendPage(http.StatusOK)
}

// writeSummary lists all findings in the order of their fields on the page, with links to the
// fields.
func (p *page) writeSummary() {
	count := 0
	for _, list := range p.found {
		count += len(list)
	}
	if count == 0 {
		p.HTML(`<div id="summary"></div>`)
		return
	}
	p.Fill(summaryForm, with("head", p.say("to_mend", "n", strconv.Itoa(count))), by("list", func() {
		for _, at := range fields.SortPaths(p.pageShape(), slices.Collect(maps.Keys(p.found))) {
			for _, problem := range p.found[at] {
				field := p.x.words.Member(schema.TopMember(at))
				if (at == "" || at == "@") && p.kind != nil {
					field = p.kindName(p.kind)
				}
				p.Fill(jumpForm, with("address", "#f-"+at), with("field", field), with("text", p.findingText(&problem)))
			}
		}
	}))
}

// holdFields writes the fields for draft and embargo.
func (p *page) holdFields(now *fields.Node) {
	p.writeGroup("hold", func() {
		p.Fill(boxForm, with("name", "@draft"), with("value", "true"), with("text", p.say("draft_help")),
			markup.ShowIf("checked", now.Find("draft").Shown() == "true"))
		p.writeHidden("@hold", "1")
		p.writePlainField("@not_before", p.say("not_before"), "", func() {
			day := now.Find("not_before").Shown()
			p.Fill(inputForm, with("path", "@not_before"), with("value", day), by("more", func() { p.setDateType(day) }))
		})
	})
}

// writePlainField writes a field of the form itself.
func (p *page) writePlainField(name, label, help string, control func()) {
	p.Fill(plainField, with("name", name), with("label", label), with("help", help), by("control", control))
}

// proposeSave proposes to write a record with the values in its form.
func (p *page) proposeSave(d *draft, shown, final *fields.Node, door string, problems []schema.Problem) {
	had := p.checkRecord(d.was)
	isNew := slices.ContainsFunc(problems, func(is schema.Problem) bool {
		same := func(was schema.Problem) bool { return was.Code == is.Code && was.Pointer == is.Pointer }
		return is.Severity() == codes.Error && (d.created != nil || !slices.ContainsFunc(had, same))
	})
	isDraft := final.Find("draft").Shown() == "true"
	if isNew && !isDraft {
		p.showForm(d, shown, door)
		return
	}
	change, err := p.formChange(d, final, door)
	if err == nil && len(change.Set) == 0 && d.created == nil && change.Correction == nil && change.Update == nil {
		err = errors.New(p.say("no_change_text"))
	}
	var files []amend.File
	if err == nil {
		change.Draft = isDraft
		files, err = amend.PlanRecords(d.files, d.path, change, d.id)
	}
	if err != nil {
		p.showRefusal(err.Error())
		p.showForm(d, shown, door)
		return
	}
	was := d.was
	if d.created != nil {
		files[0].Old, was = nil, &fields.Node{Type: schema.Object}
	}
	p.showProposal(&proposal{files: files, words: p.recordEdits(was, final, change), next: recordAddress(d.id) + "?saved"})
}

// writeLinks writes links to related pages of a record.
func (p *page) writeLinks(d *draft) {
	p.Fill(linksForm, markup.ShowIf("has_page", p.kind.HasPage()), with("page", "/"+p.kind.Folder()+"/"+d.id+"/"),
		with("record", recordAddress(d.id)))
}

var linksForm = markup.Parse(`<ul>{?has_page}<li><a href="{page}">{=as_read}</a></li>{/}<li><a href="{record}">{=go_on}</a></li><li><a href="/.stele/edit/">{=write}</a></li></ul>`)

// recordEdits returns the changes to a record. For a new record, these are all members.
func (p *page) recordEdits(was, now *fields.Node, c amend.Change) (edits []edit) {
	set := c.Set
	if len(was.List) == 0 {
		set = fields.Difference(p.pageShape(), was, now, "", true)
	}
	for _, s := range set {
		before := ""
		if len(was.List) > 0 {
			before = p.valueText(p.pageShape(), was, s.Path)
		}
		edits = append(edits, edit{p.pathText(s.Path), before, p.valueText(p.pageShape(), now, s.Path)})
	}
	if c.Correction != nil {
		old := ""
		if list := was.Find("corrections").Children(); c.Replace > 0 && c.Replace <= len(list) {
			old = list[c.Replace-1].Find("summary").Shown()
		}
		edits = append(edits, edit{p.say("about_change"), "", p.x.words.Written(words.CorrectionTypes, string(c.Correction.Type))},
			edit{p.say("correct_summary"), old, c.Correction.Summary})
	}
	if c.Update != nil {
		edits = append(edits, edit{p.say("revise_summary"), "", c.Update.Summary})
	}
	return edits
}

// valueText returns the value at a path, in words.
func (p *page) valueText(s *schema.Shape, n *fields.Node, path string) string {
	s, n = fields.At(s, n, path)
	return p.nodeText(s, n)
}

func (p *page) nodeText(s *schema.Shape, n *fields.Node) string {
	switch {
	case n == nil:
		return p.say("nothing")
	case n.IsPlain() && s != nil && s.List != nil && n.Shown() != "":
		return p.x.words.Written(s, n.Shown())
	case n.IsPlain():
		return n.Shown()
	}
	var parts []string
	for _, c := range n.List {
		part := p.nodeText(fields.Inner(s, c.Name), c)
		if c.Name != "" {
			part = p.x.words.Member(c.Name) + ": " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

var (
	conflictsForm = markup.Parse(`<div class="scroll" tabindex="0"><table class="changes"><thead><tr><th scope="col">{=member}</th><th scope="col">{=when_begun}</th><th scope="col">{=there_now}</th><th scope="col">{=yours}</th></tr></thead><tbody>{rows}</tbody></table></div>`)
	conflictForm  = markup.Parse(`<tr><th scope="row">{member}</th><td>{before}</td><td><label class="choice"><input type="radio" name="{name}" value="theirs" required> <span>{there}</span></label></td><td><label class="choice"><input type="radio" name="{name}" value="mine"> <span>{mine}</span></label></td></tr>`)
)

// showConflicts shows the members or cells that both this form and another person changed, and asks
// which value to keep. seen is a digest of the current values.
func (p *page) showConflicts(about, seen string, list []fields.Conflict) {
	p.openPage(p.say("conflict"))
	p.fillLine(quietForm, about)
	p.fillLine(refusedForm, p.say("conflict_text"))
	p.HTML(`<form method="post" class="record">`)
	p.Fill(conflictsForm, markup.Each("rows", list, func(c fields.Conflict) {
		p.Fill(conflictForm, with("member", cmp.Or(c.Label, p.pathText(c.Path))), with("before", p.nodeText(c.Shape, c.Before)),
			with("there", p.nodeText(c.Shape, c.There)), with("mine", p.nodeText(c.Shape, c.Mine)), with("name", "@take."+c.Path))
	}))
	taken := []string{"do", "@seen", "@again"}
	for name := range p.conflictChoices() {
		taken = append(taken, "@take."+name)
	}
	signin.HideFields(&p.Writer, p.Values, taken...)
	p.writeHidden("@seen", seen)
	p.writeSubmit("save", p.say("save"))
	p.writeButton("check", p.say("back"))
	p.HTML(`</form>`)
	p.sendPage(http.StatusConflict)
}
