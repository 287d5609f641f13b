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
	d := &draft{id: id, path: path.Join("records", p.kind.Folder(), id+".yaml"), created: starter.Template(p.kind, id,
		today())}
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
	id := strings.TrimSpace(p.Get("@id"))
	if id == "" {
		id = p.x.freeID(p.kind, cmp.Or(p.Get("title"), p.Get("name")))
	}
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
	if public, _, err := p.isPublic(p.x.byID[d.id]); err == nil && public && (door == "change" || door == "remove") {
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
	now := d.was
	if p.r.Method == http.MethodPost {
		now = p.hold(p.value(p.kind.Shape(), d.was, ""), d)
	}
	final := form{p.Values, false}.value(p.kind.Shape(), d.was, "")
	if p.r.Method == http.MethodPost {
		final = p.hold(final, d)
	}
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
	put("not_before", strings.TrimSpace(p.Get("@not_before")), schema.String)
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
		<div class="field" id="f-@id"><label for="i-@id">{label}</label><p class="help" id="d-@id"{english}>{help}</p>
		<input id="i-@id" name="@id" value="{value}" dir="ltr" aria-describedby="d-@id"></div>`)
	summaryForm = markup.Parse(`<div class="summary" id="summary" role="alert" tabindex="-1"><h2>{head}</h2><ul>{list}</ul></div>`)
	jumpForm    = markup.Parse(`<li><a href="{address}">{field}</a>: <span{english}>{text}</span></li>`)
	plainField  = markup.Parse(`<div class="field"><label for="i-{name}">{label}</label>{help}{control}</div>`)
	helpForm    = markup.Parse(`<p class="help">{text}</p>`)
)

// show writes the form of a record.
func (p *page) show(d *draft, now *node, door string) {
	title, lead := p.say("new")+": "+p.kindName(p.kind), "new_lead"
	if d.created == nil {
		lead = door + "_lead"
		title = p.say(door) + ": " + cmp.Or(now.find("title").shown(), now.find("name").shown(), d.id)
	}
	p.open(title)
	p.Fill(leadForm, markup.With("text", p.say(lead)))
	p.summary()
	p.startForm()
	p.HTML(`<button class="first" name="do" value="check" tabindex="-1" aria-hidden="true"></button>`) // what Enter presses
	p.hidden("@was", d.digest)
	if d.created != nil {
		p.Fill(idFieldForm, markup.With("label", p.x.words.ID), markup.By("english", p.english), markup.With("help",
			p.say("id_help")),
			markup.With("value", p.Get("@id")))
	} else {
		p.quiet(d.path + " · " + d.id + " · " + p.say("version_is", "n", d.was.find("version").shown()))
	}
	p.fields(now, d.created != nil)
	if door == "change" {
		p.holdFields(now)
	}
	p.doorFields(door)
	p.Fill(buttonForm, markup.With("do", "save"), markup.With("text", p.say("save")))
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
	p.Fill(summaryForm, markup.With("head", p.say("to_mend", "n", strconv.Itoa(count))), markup.By("list", func() {
		for _, at := range slices.Sorted(maps.Keys(p.found)) {
			for _, problem := range p.found[at] {
				field := p.x.words.Member(schema.TopMember(at))
				if at == "" || at == "@" {
					field = p.kindName(p.kind)
				}
				p.Fill(jumpForm, markup.With("address", "#f-"+at), markup.With("field", field), markup.By("english",
					p.english), markup.With("text", sentence(&problem)))
			}
		}
	}))
}

// holdFields are the switch of a draft and the day of an embargo.
func (p *page) holdFields(now *node) {
	p.HTML(`<fieldset class="group"><legend>`)
	p.Text(p.say("hold"))
	p.HTML(`</legend><label class="choice"><input type="checkbox" name="@draft" value="true"`)
	if now.find("draft").shown() == "true" {
		p.HTML(" checked")
	}
	p.HTML(`> `)
	p.Text(p.say("draft_help"))
	p.HTML(`</label>`)
	p.hidden("@hold", "1")
	p.plain("@not_before", p.say("not_before"), "", func() {
		day := now.find("not_before").shown()
		p.Fill(inputForm, markup.With("path", "@not_before"), markup.With("value", day), markup.By("more", func() {
			if day == "" || isDay(day) {
				p.HTML(` type="date"`)
			}
		}))
	})
	p.HTML(`</fieldset>`)
}

// plain writes a field of the form itself.
func (p *page) plain(name, label, help string, control func()) {
	p.Fill(plainField, markup.With("name", name), markup.With("label", label), markup.By("help", func() {
		if help != "" {
			p.Fill(helpForm, markup.With("text", help))
		}
	}), markup.By("control", control))
}

// save shows what would be written, and writes it once that was agreed to.
func (p *page) save(d *draft, now, final *node, door, do string, problems []schema.Problem) {
	errs := 0
	had := p.judge(d.was)
	for _, problem := range problems {
		if problem.Severity() == codes.Error && (d.created != nil || !slices.ContainsFunc(had,
			func(q schema.Problem) bool {
				return q.Code == problem.Code && q.Pointer == problem.Pointer
			})) {
			errs++
		}
	}
	isDraft := final.find("draft").shown() == "true"
	if errs > 0 && !isDraft {
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
		p.Fill(noteForm, markup.With("text", p.say("no_change_text")))
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
		p.Fill(leadForm, markup.With("text", p.say("makes_wrong")))
	}
	for _, f := range files {
		p.Fill(shownForm, markup.With("name", p.say("file")+" "+f.Path), markup.By("inner", func() {
			p.Fill(preForm, markup.With("text", string(f.Diff())))
		}))
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
		o, err := publish.Check(p.r.Context(), fsys, store.NewMemory(), publish.Options{
			Date:            today(),
			PreviousUnknown: true,
		})
		if err != nil {
			return nil, err
		}
		return o.Check.Problems, nil
	}
	after, err := check(amend.With(p.Files, files))
	if err != nil {
		return nil, err
	}
	type key struct{ code, record, pointer, message string }
	keyOf := func(q *schema.Problem) key { return key{string(q.Code), q.Record, q.Pointer, q.Message} }
	known := map[key]bool{}
	var before []schema.Problem
	if slices.ContainsFunc(after, func(q schema.Problem) bool { return q.Severity() == codes.Error }) {
		if before = p.findings(); before == nil { // nothing was built since it changed
			if before, err = check(p.Files); err != nil {
				return nil, err
			}
		}
	}
	for _, q := range before {
		known[keyOf(&q)] = true
	}
	for _, q := range after {
		if q.Severity() == codes.Error && !known[keyOf(&q)] {
			list = append(list, q)
		}
	}
	return list, nil
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
		p.Fill(noteForm, markup.With("text", p.say("saved_text")))
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
	p.HTML(`<ul><li>`)
	if p.kind.HasPage() {
		p.Fill(anchorForm, markup.With("address", "/"+p.kind.Folder()+"/"+d.id+"/"), markup.With("text",
			p.say("as_read")))
		p.HTML(`</li><li>`)
	}
	p.Fill(anchorForm, markup.With("address", recordAddress(d.id)), markup.With("text", p.say("go_on")))
	p.HTML(`</li><li>`)
	p.Fill(anchorForm, markup.With("address", Root), markup.With("text", p.say("write")))
	p.HTML(`</li></ul>`)
}

var (
	changesForm = markup.Parse(`<table class="changes"><thead><tr><th scope="col">{member}</th><th scope="col">{before}</th><th scope="col">{after}</th></tr></thead><tbody>{rows}</tbody></table>`)
	changeForm  = markup.Parse(`<tr><th scope="row">{member}</th><td>{before}</td><td>{after}</td></tr>`)
)

// inWords shows what a change does to a record.
func (p *page) inWords(was, now *node, set []amend.Setting) {
	if len(set) == 0 {
		return
	}
	p.Fill(changesForm, markup.With("member", p.say("member")), markup.With("before", p.say("before")),
		markup.With("after", p.say("after")),
		markup.By("rows", func() {
			for _, s := range set {
				var names []string
				for _, step := range strings.Split(s.Path, ".") {
					if i, err := strconv.Atoi(step); err == nil {
						names = append(names, strconv.Itoa(i+1))
					} else {
						names = append(names, p.x.words.Member(step))
					}
				}
				p.Fill(changeForm, markup.With("member", strings.Join(names, " › ")),
					markup.With("before", p.text(p.kind.Shape(), was, s.Path)), markup.With("after",
						p.text(p.kind.Shape(), now, s.Path)))
			}
		}))
}

// text is what stands at a path of a value, in words.
func (p *page) text(s *schema.Shape, n *node, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		i, err := strconv.Atoi(step)
		switch m := (*schema.Member)(nil); {
		case n == nil:
		case n.typ == schema.Array && err == nil && i < len(n.list):
			if n = n.list[i]; s != nil {
				s = s.Elem
			}
		default:
			if n = n.find(step); s != nil {
				m = s.Member(step)
			}
			if s = nil; m != nil {
				s = m.Shape
			}
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
		var inner *schema.Shape
		switch {
		case s != nil && n.typ == schema.Array:
			inner = s.Elem
		case s != nil && s.Member(c.name) != nil:
			inner = s.Member(c.name).Shape
		}
		part := p.inText(inner, c)
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
	p.Fill(refusedForm, markup.With("text", p.say("conflict_text")))
	final := form{p.Values, false}.value(p.kind.Shape(), d.was, "")
	set := difference(p.kind.Shape(), d.was, final, "", true)
	if len(set) > 0 {
		p.Fill(sectionForm, markup.With("head", p.say("conflict_both")), markup.By("inner", func() {
			p.inWords(d.was,
				final, set)
		}))
	}
	p.HTML(`<form method="post" class="record">`)
	p.Set("@was", d.digest)
	p.carry()
	p.button("check", p.say("conflict_mine"))
	p.HTML(`</form><p>`)
	p.Fill(anchorForm, markup.With("address", recordAddress(d.id)), markup.With("text", p.say("conflict_theirs")))
	p.HTML(`</p>`)
	p.end(http.StatusConflict)
}
