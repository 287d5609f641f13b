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
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/internal/show/site/markup"
	"stele/record"
)

var holdShape = schema.ShapeOf[record.Hold]()

// draft is a record that a form shows.
type draft struct {
	id      string
	path    string // of its file
	files   fs.FS  // the folder, with the file as it stands there or would begin
	created []byte // what a new file begins with; nil for one that is there
	was     *node  // with the defaults
	digest  string // of what it is, by which a change by somebody else is noticed
}

// load reads the record that the address names.
func (p *page) load() (*draft, error) {
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
		return nil, errNoRecord
	}
	d := &draft{id: r.id, path: r.file, files: p.Files, was: nodeOf(is.Merged, 0)}
	d.digest = digest(nodeOf(is.Own, 0).appendJSON(nil, p.kind.Shape()))
	return d, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// begin prepares a record that is not there yet, from the template of its kind.
func (p *page) begin(id string) (*draft, error) {
	if message, fix := record.ID(id).Problem(); message != "" {
		return nil, fmt.Errorf("%s: %s", message, fix)
	}
	if p.x.byID[id] != nil {
		return nil, errors.New(p.say("id_taken", "id", id))
	}
	d := &draft{id: id, path: path.Join("records", p.kind.Folder(), id+".yaml")}
	d.created = starter.Template(p.kind, id, today())
	if _, err := fs.Stat(p.Files, d.path); !errors.Is(err, fs.ErrNotExist) {
		return nil, cmp.Or(err, errors.New(p.say("id_taken", "id", d.path)))
	}
	d.files = amend.With(p.Files, []amend.File{{Path: d.path, New: d.created}})
	is, err := amend.Open(d.files, d.path, id)
	if err != nil || is == nil {
		return nil, cmp.Or(err, errNoRecord)
	}
	d.was = nodeOf(is.Merged, 0)
	return d, nil
}

// newRecord is the form of a record that is not there yet.
func (p *page) newRecord() {
	if p.kind = record.KindNamed(p.r.PathValue("kind")); p.kind == nil || p.kind.Name == record.KindChangeEvent {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	do := p.Get("do")
	id := cmp.Or(p.trimmed("@id"), p.x.freeID(p.kind, cmp.Or(p.Get("title"), p.Get("name"))))
	d, err := p.begin(id)
	if err != nil {
		p.refused(err.Error())
		d, err = p.begin(p.x.freeID(p.kind, id))
		do = ""
	}
	if err != nil {
		p.fail(http.StatusBadRequest, err)
		return
	}
	p.answer(d, "change", do)
}

// refused keeps a sentence for the top of the form.
func (p *page) refused(text string) {
	p.found["@"] = append(p.found["@"], schema.Problem{Code: codes.WrongValue, Message: text})
}

// record is the form behind one of the doors of a record that is there.
func (p *page) record() {
	d, err := p.load()
	if err != nil {
		p.fail(http.StatusNotFound, err)
		return
	}
	door := p.r.PathValue("door")
	if public, _, err := p.isPublic(p.x.byID[d.id]); err == nil && public && isEarly(door) {
		p.doors()
		return
	}
	if !slices.Contains(doors, door) {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	p.answer(d, door, p.Get("do"))
}

// answer shows a form, changes it as a button asks, or goes on to saving.
func (p *page) answer(d *draft, door, do string) {
	if do != "" && d.created == nil && p.Get("@was") != d.digest {
		p.conflict(d)
		return
	}
	switch do {
	case "draft":
		p.Set("@draft", "true")
		do = "save"
	case "finish":
		p.Del("@draft")
		do = "save"
	}
	if strings.Contains(do, " ") {
		p.do(do, string(today()))
		do = "check"
	}
	now := p.hold(p.value(p.kind.Shape(), d.was, ""), d) // as it was, where nothing was sent
	final := p.hold(form{p.Values, false}.value(p.kind.Shape(), d.was, ""), d)
	problems := p.judge(final)
	switch {
	case do == "live" && d.created != nil: // what is not written yet is not wrong yet
		p.showFound(slices.DeleteFunc(slices.Clone(problems), func(q schema.Problem) bool {
			return q.Value == "" || q.Code == codes.MalformedID // words of a title are being written
		}))
	case p.r.Method == http.MethodPost || d.created == nil:
		p.showFound(problems)
	}
	if slices.Contains([]string{"reverify", "retract", "redact", "remove"}, door) {
		p.other(d, door, do)
		return
	}
	if do != "save" && do != "write" {
		p.show(d, now, door)
		return
	}
	p.save(d, now, final, door, do, problems)
}

// hold puts into a record what keeps it from being published.
func (p *page) hold(n *node, d *draft) *node {
	if !p.form.Has("@hold") {
		return n
	}
	c := *n
	c.list = slices.DeleteFunc(slices.Clone(n.list), func(m *node) bool { return holdShape.Member(m.name) != nil })
	put := func(name, text string, typ schema.Type) {
		if was := d.was.find(name); was.shown() == text && was != nil {
			c.list = append(c.list, was)
		} else if text != "" {
			c.list = append(c.list, &node{name: name, text: text, typ: typ})
		}
	}
	put("draft", p.Get("@draft"), schema.Bool)
	put("not_before", p.trimmed("@not_before"), schema.String)
	return &c
}

// judge finds what is wrong with a record by itself, and references that lead nowhere.
func (p *page) judge(n *node) []schema.Problem {
	tree := new(schema.Tree)
	if !tree.ScanJSON("", string(n.appendJSON(nil, p.kind.Shape())), 1) {
		return []schema.Problem{{Code: codes.WrongValue, Message: p.say("unreadable")}}
	}
	parser := record.Parser{Date: today()}
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

// showFound lets the form show findings beside their fields.
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
func (p *page) show(d *draft, now *node, door string) {
	title, lead := p.say("new")+": "+p.kindName(p.kind), "new_lead"
	if d.created == nil {
		lead = door + "_lead"
		title = p.say(door) + ": " + cmp.Or(now.find("title").shown(), now.find("name").shown(), d.id)
	}
	p.open(title)
	p.line(leadForm, p.say(lead))
	p.summary()
	p.Fill(startForm)
	p.HTML(`<button class="first" name="do" value="check" tabindex="-1" aria-hidden="true"></button>`) // what Enter presses
	p.hidden("@was", d.digest)
	if d.created != nil {
		p.Fill(idFieldForm, with("value", p.Get("@id")))
	} else {
		p.line(quietForm, d.path+" · "+d.id+" · "+p.say("version_is", "n", d.was.find("version").shown()))
	}
	p.fields(now)
	if door == "change" {
		p.holdFields(now)
	}
	p.doorFields(door)
	p.submit("save", p.say("save"))
	p.button("check", p.say("check"))
	if d.was.find("draft").shown() == "true" {
		p.button("finish", p.say("finish"))
	}
	if d.created != nil || door == "change" {
		p.button("draft", p.say("save_draft"))
	}
	p.HTML("</form>")
	p.end(http.StatusOK)
}

// summary lists everything that was found, with links to the fields.
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
		for _, at := range slices.Sorted(maps.Keys(p.found)) {
			for _, problem := range p.found[at] {
				field := p.x.words.Member(schema.TopMember(at))
				if at == "" || at == "@" {
					field = p.kindName(p.kind)
				}
				p.Fill(jumpForm, with("address", "#f-"+at), with("field", field), with("text", sentence(&problem)))
			}
		}
	}))
}

// holdFields are the switch of a draft and the day of an embargo.
func (p *page) holdFields(now *node) {
	p.group("hold", func() {
		p.Fill(boxForm, with("name", "@draft"), with("value", "true"), with("text", p.say("draft_help")),
			markup.If("checked", now.find("draft").shown() == "true"))
		p.hidden("@hold", "1")
		p.plain("@not_before", p.say("not_before"), "", func() {
			day := now.find("not_before").shown()
			p.Fill(inputForm, with("path", "@not_before"), with("value", day), by("more", func() { p.typeOfDay(day) }))
		})
	})
}

// plain writes a field of the form itself.
func (p *page) plain(name, label, help string, control func()) {
	p.Fill(plainField, with("name", name), with("label", label), with("help", help), by("control", control))
}

// save shows what would be written, and writes it once that was agreed to.
func (p *page) save(d *draft, now, final *node, door, do string, problems []schema.Problem) {
	had := p.judge(d.was)
	isNew := slices.ContainsFunc(problems, func(is schema.Problem) bool {
		same := func(was schema.Problem) bool { return was.Code == is.Code && was.Pointer == is.Pointer }
		return is.Severity() == codes.Error && (d.created != nil || !slices.ContainsFunc(had, same))
	})
	isDraft := final.find("draft").shown() == "true"
	if isNew && !isDraft {
		p.show(d, now, door)
		return
	}
	change, err := p.change(d, final, door)
	if err != nil {
		p.refused(err.Error())
		p.show(d, now, door)
		return
	}
	if len(change.Set) == 0 && d.created == nil && change.Correction == nil && change.Update == nil {
		p.open(p.say("no_change"))
		p.line(noteForm, p.say("no_change_text"))
		p.links(d)
		p.end(http.StatusOK)
		return
	}
	change.Draft = isDraft
	files, err := amend.PlanRecord(d.files, d.path, d.id, change)
	if err != nil {
		p.refused(err.Error())
		p.show(d, now, door)
		return
	}
	if d.created != nil {
		files[0].Old = nil
	}
	p.confirm(d, files, do, func() { p.inWords(d.was, final, change.Set) })
}

// confirm shows a change in words and, once it was agreed to, writes it.
func (p *page) confirm(d *draft, files []amend.File, do string, words func()) {
	worse, err := p.worse(files, d.id)
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	if do == "write" && (len(worse) == 0 || p.Get("@all_the_same") == "yes") {
		p.write(d, files)
		return
	}
	p.open(p.say("is_this_right"))
	words()
	if len(worse) > 0 {
		p.line(leadForm, p.say("makes_wrong"))
	}
	for _, f := range files {
		p.Fill(shownForm, with("name", f.Path), with("diff", string(f.Diff())))
	}
	p.HTML(`<form method="post" class="record">`)
	p.carry()
	p.writeButton(worse)
	p.button("check", p.say("back"))
	p.HTML(`</form>`)
	p.end(http.StatusOK)
}

// carry brings what was written in a form along to the next page.
func (p *page) carry() {
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		if name == "do" || name == "@all_the_same" {
			continue
		}
		for _, value := range p.Values[name] {
			p.hidden(name, value)
		}
	}
}

// worse returns the errors that a change would make anywhere in the folder.
func (p *page) worse(files []amend.File, own string) (list []schema.Problem, err error) {
	check := func(fsys fs.FS) ([]schema.Problem, error) {
		opt := publish.Options{Date: today(), PreviousUnknown: true}
		o, err := publish.Check(p.r.Context(), fsys, store.NewMemory(), opt)
		if err != nil {
			return nil, err
		}
		return o.Check.Problems, nil
	}
	after, err := check(amend.With(p.Files, files))
	if err != nil {
		return nil, err
	}
	after = slices.DeleteFunc(after, func(q schema.Problem) bool { return q.Severity() != codes.Error })
	if len(after) == 0 {
		return nil, nil
	}
	before := p.findings()
	if before == nil { // nothing was built since it changed
		if before, err = check(p.Files); err != nil {
			return nil, err
		}
	}
	known := map[[4]string]bool{}
	keyOf := func(q *schema.Problem) [4]string { return [4]string{string(q.Code), q.Record, q.Pointer, q.Message} }
	for i := range before {
		known[keyOf(&before[i])] = true
	}
	return slices.DeleteFunc(after, func(q schema.Problem) bool { return known[keyOf(&q)] }), nil
}

// write writes what was agreed to.
func (p *page) write(d *draft, files []amend.File) {
	p.saving.Lock()
	err := p.place(files)
	p.saving.Unlock()
	if err != nil {
		p.fail(http.StatusConflict, err)
		return
	}
	p.Built(nil)
	to := Root + "?saved"
	if d.id != "" {
		to = recordAddress(d.id) + "?saved"
	}
	http.Redirect(p.w, p.r, to, http.StatusSeeOther) // so that nothing is written again with a page
}

// saved shows that something was written just now.
func (p *page) saved() {
	if p.r.URL.Query().Has("saved") {
		p.line(noteForm, p.say("saved_text"))
	}
}

// place writes files, and makes the folder of a first record.
func (p *page) place(files []amend.File) error {
	for _, f := range files {
		if f.Old == nil {
			if err := os.MkdirAll(filepath.Join(p.Dir, filepath.FromSlash(path.Dir(f.Path))), 0o755); err != nil {
				return err
			}
		}
	}
	return amend.Write(p.Dir, files)
}

// links lead on from a record.
func (p *page) links(d *draft) {
	p.Fill(linksForm, markup.If("has_page", p.kind.HasPage()), with("page", "/"+p.kind.Folder()+"/"+d.id+"/"),
		with("record", recordAddress(d.id)))
}

var (
	linksForm   = markup.Parse(`<ul>{?has_page}<li><a href="{page}">{=as_read}</a></li>{/}<li><a href="{record}">{=go_on}</a></li><li><a href="/.stele/edit/">{=write}</a></li></ul>`)
	changesForm = markup.Parse(`<table class="changes"><thead><tr><th scope="col">{=member}</th><th scope="col">{=before}</th><th scope="col">{=after}</th></tr></thead><tbody>{rows}</tbody></table>`)
	changeForm  = markup.Parse(`<tr><th scope="row">{member}</th><td>{before}</td><td>{after}</td></tr>`)
)

// inWords shows what a change does to a record.
func (p *page) inWords(was, now *node, set []amend.Setting) {
	if len(set) == 0 {
		return
	}
	p.Fill(changesForm, markup.Each("rows", set, func(s amend.Setting) {
		p.Fill(changeForm, with("member", p.pathName(s.Path)),
			with("before", p.text(p.kind.Shape(), was, s.Path)), with("after", p.text(p.kind.Shape(), now, s.Path)))
	}))
}

// text is what stands at a path of a value, in words.
func (p *page) text(s *schema.Shape, n *node, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		i, err := strconv.Atoi(step)
		if n != nil && n.typ == schema.Array && err == nil && i < len(n.list) {
			n, s = n.list[i], inner(s, "")
		} else {
			n, s = n.find(step), inner(s, step)
		}
	}
	return p.inText(s, n)
}

func (p *page) inText(s *schema.Shape, n *node) string {
	switch {
	case n == nil:
		return p.say("nothing")
	case n.plain() && s != nil && s.List != nil && n.shown() != "":
		return p.x.words.Written(s, n.shown())
	case n.plain():
		return n.shown()
	}
	var parts []string
	for _, c := range n.list {
		part := p.inText(inner(s, c.name), c)
		if c.name != "" {
			part = p.x.words.Member(c.name) + ": " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// conflict shows that somebody else changed a record since its form was opened: what stands there
// now, and what was written here.
func (p *page) conflict(d *draft) {
	p.open(p.say("conflict"))
	p.line(refusedForm, p.say("conflict_text"))
	final := form{p.Values, false}.value(p.kind.Shape(), d.was, "")
	set := difference(p.kind.Shape(), d.was, final, "", true)
	if len(set) > 0 {
		p.section("conflict_both", func() { p.inWords(d.was, final, set) })
	}
	p.HTML(`<form method="post" class="record">`)
	p.Set("@was", d.digest)
	p.carry()
	p.button("check", p.say("conflict_mine"))
	p.HTML(`</form><p>`)
	p.link(recordAddress(d.id), p.say("conflict_theirs"))
	p.HTML(`</p>`)
	p.end(http.StatusConflict)
}
