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

// load reads the record that the path names. If its file was just moved, load builds the index
// again.
func (p *page) load() (*draft, error) {
	d, err := p.loadIndexed()
	if errors.Is(err, fs.ErrNotExist) {
		p.built(nil)
		if p.x, err = p.current(); err == nil {
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
	var base fields.Sent
	if err := fields.Unpack(p.Get("@base"), &base); err != nil {
		return errors.New(p.say("unreadable"))
	}
	if d.base = base.Node(); d.base.Same(d.was) {
		d.base = d.was
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// begin prepares a new record from the template of its kind.
func (p *page) begin(id string) (*draft, error) {
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

// newRecord is the form for a new record.
func (p *page) newRecord() {
	if p.kind = record.KindNamed(p.r.PathValue("kind")); p.kind == nil || p.kind.Name == record.KindChangeEvent {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	do := p.Get("do")
	id := cmp.Or(p.Trimmed("@id"), starter.ProposeID(p.kind, cmp.Or(p.Get("title"), p.Get("name")), p.x.has))
	d, err := p.begin(id)
	if err != nil {
		p.refused(err.Error())
		d, err = p.begin(starter.ProposeID(p.kind, id, p.x.has))
		do = ""
	}
	if err != nil {
		p.fail(http.StatusBadRequest, err)
		return
	}
	p.answer(d, "change", do)
}

// refused shows a sentence at the top of the form.
func (p *page) refused(text string) {
	p.found["@"] = append(p.found["@"], schema.Problem{Code: codes.WrongValue, Message: text})
}

// record is the form of a door for an existing record.
func (p *page) record() {
	d, err := p.load()
	if err != nil {
		p.failKeeping(http.StatusNotFound, err)
		return
	}
	door := p.r.PathValue("door")
	if !slices.Contains(doors, door) {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	status, _ := p.status(p.x.byID[d.id])
	switch {
	case p.x.byID[d.id].closes(door):
		p.refused(p.say("is_retracted"))
		p.doors()
		return
	case !opens(status, door):
		p.refused(p.say(choose(status == published.Locked, "is_locked", "is_public")))
		p.doors()
		return
	}
	switch do := p.Get("do"); door {
	case "reverify", "retract", "redact", "remove":
		p.other(d, door, do)
	case "undo":
		p.undo(d, do)
	default:
		p.answer(d, door, do)
	}
}

// failKeeping shows an error, and the submitted fields so that the user can copy them.
func (p *page) failKeeping(status int, err error) {
	if p.r.Method != http.MethodPost {
		p.fail(status, err)
		return
	}
	p.open(p.say("not_done"))
	p.line(failForm, p.inForms(err.Error()))
	kind := cmp.Or(p.Get("@kind"), record.Kinds[0].Name)
	p.Fill(keptFieldsForm, with("address", Root+"new/"+kind), by("fields", func() {
		signin.HideFields(&p.Writer, p.Values, "do", "@base")
		p.hidden("@id", p.r.PathValue("id"))
	}))
	p.end(status)
}

var keptFieldsForm = markup.Parse(`<form method="post" class="record" action="{address}">{fields}<button name="do" value="check">{=write_again}</button></form>`)

// answer shows a form, changes it for a button, or proposes to write it.
func (p *page) answer(d *draft, door, do string) {
	switch do {
	case "draft":
		p.Set("@draft", "true")
		do = "save"
	case "finish":
		p.Del("@draft")
		do = "save"
	}
	p.Set("do", do)
	do = p.change()
	shown, final, ok := p.merged(d, do)
	if !ok {
		return
	}
	problems := p.judge(final)
	switch {
	case do == "live" && d.created != nil: // an empty field is not wrong yet
		p.showFound(slices.DeleteFunc(slices.Clone(problems), func(q schema.Problem) bool {
			return q.Value == "" || q.Code == codes.MalformedID // the user is typing words of a title
		}))
	case p.r.Method == http.MethodPost || d.created == nil:
		p.showFound(problems)
	}
	if do != "save" {
		p.show(d, shown, door)
		return
	}
	p.save(d, shown, final, door, problems)
}

// merged returns the value of a form, once with empty lines for display and once without them,
// combined with changes by others since it was opened. If it is to be saved and both changed the
// same member, it asks which value to keep, and ok is false.
func (p *page) merged(d *draft, do string) (shown, final *fields.Node, ok bool) {
	shape := p.shape()
	shown = p.hold(p.Value(shape, d.base, ""), d)
	final = p.hold(fields.Form{Values: p.Values}.Value(shape, d.base, ""), d)
	if d.base == d.was {
		return shown, final, true
	}
	m := fields.Merge{}
	if p.Get("@seen") == digestOf(d.was) {
		m.Take = p.taken()
	}
	merged := m.Value(shape, d.base, final, d.was, "")
	if do == "save" && len(m.Conflicts) > 0 {
		p.showConflicts(d.path, digestOf(d.was), m.Conflicts)
		return nil, nil, false
	}
	if len(m.Conflicts) == 0 {
		shown = m.Value(shape, d.base, shown, d.was, "")
		d.base = d.was
	}
	return shown, merged, true
}

// shape returns the shape of the value on the page.
func (p *page) shape() *schema.Shape {
	if p.kind == nil {
		return settingsShape
	}
	return p.kind.Shape()
}

// taken returns the choices of the user in conflicts.
func (p *page) taken() map[string]string {
	take := map[string]string{}
	for name := range p.Values {
		if path, ok := strings.CutPrefix(name, "@take."); ok {
			take[path] = p.Get(name)
		}
	}
	return take
}

func digestOf(n *fields.Node) string { return digest([]byte(fields.Pack(n.Sent()))) }

// hold adds the members to a record that keep it from being published.
func (p *page) hold(n *fields.Node, d *draft) *fields.Node {
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

// judge returns the problems of a record itself, and its references to unknown records.
func (p *page) judge(n *fields.Node) []schema.Problem {
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
		at := pathOf(problem.Pointer)
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

// show writes the form of a record.
func (p *page) show(d *draft, now *fields.Node, door string) {
	title, lead := p.say("new")+": "+p.kindName(p.kind), "new_lead"
	if d.created == nil {
		lead = door + "_lead"
		title = p.say(door) + ": " + cmp.Or(now.Find("title").Shown(), now.Find("name").Shown(), d.id)
	}
	p.open(title)
	p.line(leadForm, p.say(lead))
	p.summary()
	p.start()
	// the button for Enter
	p.HTML(`<button class="first" name="do" value="check" tabindex="-1" aria-hidden="true"></button>`)
	p.hidden("@kind", p.kind.Name)
	if d.created != nil {
		p.Fill(idFieldForm, markup.Exactly("value", p.Get("@id")))
	} else {
		p.hidden("@base", fields.Pack(d.base.Sent()))
		p.line(quietForm, d.path+" · "+d.id+" · "+p.say("version_is", "n", d.was.Find("version").Shown()))
	}
	p.fields(now)
	if door == "change" {
		p.holdFields(now)
	}
	p.doorFields(d, door)
	p.submit("save", p.say("save"))
	p.button("check", p.say("check"))
	if d.was.Find("draft").Shown() == "true" {
		p.button("finish", p.say("finish"))
	}
	if d.created != nil || door == "change" {
		p.button("draft", p.say("save_draft"))
	}
	p.HTML("</form>")
	p.end(http.StatusOK)
}

// summary lists all findings in the order of their fields on the page, with links to the fields.
func (p *page) summary() {
	count := 0
	for _, list := range p.found {
		count += len(list)
	}
	if count == 0 {
		p.HTML(`<div id="summary"></div>`)
		return
	}
	p.Fill(summaryForm, with("head", p.say("to_mend", "n", strconv.Itoa(count))), by("list", func() {
		for _, at := range fields.InOrder(p.shape(), slices.Collect(maps.Keys(p.found))) {
			for _, problem := range p.found[at] {
				field := p.x.words.Member(schema.TopMember(at))
				if (at == "" || at == "@") && p.kind != nil {
					field = p.kindName(p.kind)
				}
				p.Fill(jumpForm, with("address", "#f-"+at), with("field", field), with("text", p.sentence(&problem)))
			}
		}
	}))
}

// holdFields writes the fields for draft and embargo.
func (p *page) holdFields(now *fields.Node) {
	p.group("hold", func() {
		p.Fill(boxForm, with("name", "@draft"), with("value", "true"), with("text", p.say("draft_help")),
			markup.If("checked", now.Find("draft").Shown() == "true"))
		p.hidden("@hold", "1")
		p.plain("@not_before", p.say("not_before"), "", func() {
			day := now.Find("not_before").Shown()
			p.Fill(inputForm, with("path", "@not_before"), with("value", day), by("more", func() { p.typeOfDay(day) }))
		})
	})
}

// plain writes a field of the form itself.
func (p *page) plain(name, label, help string, control func()) {
	p.Fill(plainField, with("name", name), with("label", label), with("help", help), by("control", control))
}

// save proposes to write a record as its form has it.
func (p *page) save(d *draft, shown, final *fields.Node, door string, problems []schema.Problem) {
	had := p.judge(d.was)
	isNew := slices.ContainsFunc(problems, func(is schema.Problem) bool {
		same := func(was schema.Problem) bool { return was.Code == is.Code && was.Pointer == is.Pointer }
		return is.Severity() == codes.Error && (d.created != nil || !slices.ContainsFunc(had, same))
	})
	isDraft := final.Find("draft").Shown() == "true"
	if isNew && !isDraft {
		p.show(d, shown, door)
		return
	}
	change, err := p.asked(d, final, door)
	if err == nil && len(change.Set) == 0 && d.created == nil && change.Correction == nil && change.Update == nil {
		err = errors.New(p.say("no_change_text"))
	}
	var files []amend.File
	if err == nil {
		change.Draft = isDraft
		files, err = amend.PlanRecords(d.files, d.path, change, d.id)
	}
	if err != nil {
		p.refused(err.Error())
		p.show(d, shown, door)
		return
	}
	was := d.was
	if d.created != nil {
		files[0].Old, was = nil, &fields.Node{Type: schema.Object}
	}
	p.propose(&proposal{files: files, words: p.inWords(was, final, change), next: recordAddress(d.id) + "?saved"})
}

// links writes links to related pages of a record.
func (p *page) links(d *draft) {
	p.Fill(linksForm, markup.If("has_page", p.kind.HasPage()), with("page", "/"+p.kind.Folder()+"/"+d.id+"/"),
		with("record", recordAddress(d.id)))
}

var linksForm = markup.Parse(`<ul>{?has_page}<li><a href="{page}">{=as_read}</a></li>{/}<li><a href="{record}">{=go_on}</a></li><li><a href="/.stele/edit/">{=write}</a></li></ul>`)

// inWords returns the changes of a record; for a new record, all members.
func (p *page) inWords(was, now *fields.Node, c amend.Change) (edits []edit) {
	set := c.Set
	if len(was.List) == 0 {
		set = fields.Difference(p.shape(), was, now, "", true)
	}
	for _, s := range set {
		before := ""
		if len(was.List) > 0 {
			before = p.text(p.shape(), was, s.Path)
		}
		edits = append(edits, edit{p.pathName(s.Path), before, p.text(p.shape(), now, s.Path)})
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

// text returns the value at a path, in words.
func (p *page) text(s *schema.Shape, n *fields.Node, path string) string {
	s, n = fields.At(s, n, path)
	return p.inText(s, n)
}

func (p *page) inText(s *schema.Shape, n *fields.Node) string {
	switch {
	case n == nil:
		return p.say("nothing")
	case n.Plain() && s != nil && s.List != nil && n.Shown() != "":
		return p.x.words.Written(s, n.Shown())
	case n.Plain():
		return n.Shown()
	}
	var parts []string
	for _, c := range n.List {
		part := p.inText(fields.Inner(s, c.Name), c)
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
	p.open(p.say("conflict"))
	p.line(quietForm, about)
	p.line(refusedForm, p.say("conflict_text"))
	p.HTML(`<form method="post" class="record">`)
	p.Fill(conflictsForm, markup.Each("rows", list, func(c fields.Conflict) {
		p.Fill(conflictForm, with("member", cmp.Or(c.Label, p.pathName(c.Path))), with("before", p.inText(c.Shape, c.Before)),
			with("there", p.inText(c.Shape, c.There)), with("mine", p.inText(c.Shape, c.Mine)), with("name", "@take."+c.Path))
	}))
	taken := []string{"do", "@seen", "@again"}
	for name := range p.taken() {
		taken = append(taken, "@take."+name)
	}
	signin.HideFields(&p.Writer, p.Values, taken...)
	p.hidden("@seen", seen)
	p.submit("save", p.say("save"))
	p.button("check", p.say("back"))
	p.HTML(`</form>`)
	p.end(http.StatusConflict)
}
