package edit

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/judging/explain"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

//go:embed edit.js
var script []byte

//go:embed edit.css
var styleSheet []byte

//go:embed words.yaml
var wordsFile []byte

// texts are the words of the forms, by language and name.
var texts = func() (all map[string]map[string]string) {
	if err := yaml.Unmarshal(wordsFile, &all); err != nil {
		panic("edit: words.yaml: " + err.Error()) // a mistake in the program
	}
	return all
}()

// page is an answer in the making.
type page struct {
	*Editor
	markup.Writer
	x *index
	w http.ResponseWriter
	r *http.Request
	form

	kind  *record.Kind
	named string                      // of a control that has no label of its own
	found map[string][]schema.Problem // by the path of the field that they are about
}

func (e *Editor) newPage(w http.ResponseWriter, r *http.Request) (*page, error) {
	x, err := e.current()
	if err != nil {
		return nil, err
	}
	p := &page{Editor: e, x: x, w: w, r: r, form: form{url.Values{}, true}, found: map[string][]schema.Problem{}}
	if r.Method == http.MethodPost && !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseForm(); err != nil {
			return nil, err
		}
		p.Values = r.PostForm
	}
	p.BeginAnywhere("/")
	return p, nil
}

// say is a text of the forms in the language of the pages, with what fills its holes.
func (p *page) say(name string, fill ...string) string {
	s, ok := texts[p.x.words.Tag][name]
	if !ok {
		s, ok = texts["en"][name]
	}
	if !ok {
		panic("edit: there is no word " + name) // a mistake in the program
	}
	for i := 0; i+1 < len(fill); i += 2 {
		s = strings.ReplaceAll(s, "{"+fill[i]+"}", fill[i+1])
	}
	return s
}

var (
	topForm = markup.Parse(`
		<!doctype html>

		<html lang="{language}"{dir}><head><meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · {site}</title>
		<link rel="stylesheet" href="/.stele/edit/style.css">
		<script type="module" src="/.stele/edit/edit.js"></script></head>
		<body class="editing">
		<a class="skip" href="#main">{skip}</a>
		<header class="masthead">
			<a class="name" href="/.stele/edit/"><span>{site}</span></a>
			<nav aria-label="{main}"><a href="/.stele/edit/">{write}</a><a href="/.stele/edit/import">{import}</a><a href="/.stele/edit/publish">{publish}</a><a href="/">{preview}</a></nav>
		</header>
		<main id="main"><h1>{title}</h1>`)
	leadForm     = markup.Parse(`<p class="lead">{text}</p>`)
	textForm     = markup.Parse(`<p>{text}</p>`)
	quietForm    = markup.Parse(`<p class="quiet">{text}</p>`)
	noteForm     = markup.Parse(`<p class="note" role="status">{text}</p>`)
	refusedForm  = markup.Parse(`<div class="summary" role="alert" tabindex="-1"><p>{text}</p></div>`)
	anchorForm   = markup.Parse(`<a href="{address}">{text}</a>`)
	preForm      = markup.Parse(`<pre dir="ltr" tabindex="0">{text}</pre>`)
	shownForm    = markup.Parse(`<details open><summary>{name}</summary>{inner}</details>`)
	foldForm     = markup.Parse(`<details><summary>{name}</summary>{inner}</details>`)
	hiddenForm   = markup.Parse(`<input type="hidden" name="{name}" value="{value}">`)
	buttonForm   = markup.Parse(`<button name="do" value="{do}">{text}</button> `)
	quietButton  = markup.Parse(`<button class="second" name="do" value="{do}"{plain}>{text}</button> `)
	sectionForm  = markup.Parse(`<section><h2>{head}</h2>{inner}</section>`)
	findingForm  = markup.Parse(`<li><a href="{address}">{where}</a>: <span{english}>{text}</span> <a class="code" href="{code}">{name}</a></li>`)
	nameItemForm = markup.Parse(`<li><a href="{address}">{title}</a> <span class="quiet">{about}</span></li>`)
)

// open writes everything up to the content.
func (p *page) open(title string) {
	language := p.x.words.Tag
	p.Fill(topForm, markup.With("language", language), markup.By("dir", func() {
		if settings.RightToLeft(language) {
			p.HTML(` dir="rtl"`)
		}
	}), markup.With("title", title), markup.With("site", p.x.settings.Title), markup.With("skip", p.x.words.Skip),
		markup.With("main", p.x.words.Main), markup.With("write", p.say("write")), markup.With("import",
			p.say("import")),
		markup.With("publish", p.say("publish")), markup.With("preview", p.say("preview")))
}

// end sends the page.
func (p *page) end(status int) {
	p.HTML("</main></body></html>\n")
	p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	p.w.WriteHeader(status)
	p.w.Write(p.Bytes()) // a client that is gone needs no answer
}

// fail shows what went wrong, and that nothing was written.
func (p *page) fail(status int, err error) {
	p.open(p.say("not_done"))
	p.Fill(refusedForm, markup.With("text", err.Error()))
	p.Fill(quietForm, markup.With("text", p.say("nothing_written")))
	p.end(status)
}

func (p *page) quiet(text string) { p.Fill(quietForm, markup.With("text", text)) }

func (p *page) hidden(name, value string) {
	p.Fill(hiddenForm, markup.With("name", name), markup.With("value", value))
}

// startForm begins a form that comes back to its own address.
func (p *page) startForm() { p.HTML(`<form method="post" class="record" autocomplete="off">`) }

func (p *page) style() {
	all, err := assets.StyleSheet(p.x.settings.AccentColor)
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	p.w.Header().Set("Content-Type", "text/css; charset=utf-8")
	p.w.Write(slices.Concat(all, styleSheet)) // a client that is gone needs no answer
}

// explain shows what a code means.
func (p *page) explain() {
	text, err := explain.Text(codes.Code(p.r.PathValue("code")), false)
	if err != nil {
		p.fail(http.StatusNotFound, err)
		return
	}
	p.open(p.r.PathValue("code"))
	p.Fill(preForm, markup.With("text", text))
	p.end(http.StatusOK)
}

// overview is where writing begins: what can be written, what is wrong, what is there.
func (p *page) overview() {
	p.open(p.say("write"))
	p.saved()
	p.Fill(leadForm, markup.With("text", p.say("write_lead")))
	query := p.r.URL.Query().Get("q")
	p.Fill(findForm, markup.With("label", p.say("find")), markup.With("q", query))
	if kind := p.r.URL.Query().Get("kind"); query != "" || kind != "" {
		var kinds []string
		if kind != "" {
			kinds = []string{kind}
		}
		found := p.x.search(query, kinds, gridRows)
		if len(found) == 0 {
			p.quiet(p.say("found_none", "words", query))
		}
		p.HTML("<ul>")
		for _, r := range found {
			p.Fill(nameItemForm, markup.With("address", recordAddress(r.id)), markup.With("title", r.title),
				markup.With("about", p.about(r)))
		}
		p.HTML("</ul>")
	}
	p.findingList()
	counts := map[*record.Kind]int{}
	for _, r := range p.x.list {
		counts[r.kind]++
	}
	p.HTML(`<section><h2>`)
	p.Text(p.say("new"))
	p.HTML(`</h2><ul class="kinds">`)
	for _, k := range record.Kinds {
		if k.Name == record.KindChangeEvent { // which builds write
			continue
		}
		p.Fill(kindForm, markup.With("address", Root+"new/"+k.Name), markup.With("name", p.kindName(k)),
			markup.With("doc", cmp.Or(p.x.words.Kinds[k.Name].Doc, k.Doc)), markup.With("list", Root+"?kind="+k.Name),
			markup.With("count", p.x.words.Counted(p.x.words.CountedRecords, counts[k])))
	}
	p.HTML(`</ul></section>`)
	p.grids()
	p.end(http.StatusOK)
}

var (
	findForm = markup.Parse(`<form class="find" role="search"><label>{label} <input type="search" name="q" value="{q}"></label><button>{label}</button></form>`)
	kindForm = markup.Parse(`<li><a href="{address}">{name}</a> <span class="quiet">{doc}</span> <a href="{list}">{count}</a></li>`)
)

func (p *page) kindName(k *record.Kind) string {
	return words.Capital(cmp.Or(p.x.words.Kinds[k.Name].One, k.One))
}

// about is what stands beside the title of a record: its kind, and whether it stands.
func (p *page) about(r *entry) string {
	s := p.kindName(r.kind)
	if r.retracted {
		s += " · " + p.x.words.Retracted
	}
	if r.held {
		s += " · " + p.say("draft")
	}
	return s + " · " + r.id
}

// findingList lists what the last build found, each with a link to its field.
func (p *page) findingList() {
	list := p.findings()
	if len(list) == 0 {
		p.quiet(p.say("nothing_wrong"))
		return
	}
	const most = 100
	p.Fill(sectionForm, markup.With("head", p.say("findings")), markup.By("inner", func() {
		p.HTML("<ul>")
		for _, problem := range list[:min(len(list), most)] {
			p.finding(&problem)
		}
		p.HTML("</ul>")
		if more := len(list) - most; more > 0 {
			p.quiet(p.say("and_more", "n", fmt.Sprint(more)))
		}
	}))
}

func (p *page) finding(problem *schema.Problem) {
	address, where := Root, problem.Position()
	if r := p.x.byID[problem.Record]; r != nil {
		address, where = recordAddress(r.id), r.title
		if at := pathOf(problem.Pointer); at != "" && r.kind.Name != record.KindChangeEvent {
			door := "/change#f-"
			if public, _, err := p.isPublic(r); err == nil && public {
				door = "/correct#f-"
			}
			address += door + at
		}
	}
	p.Fill(findingForm, markup.With("address", address), markup.With("where", where), markup.By("english", p.english),
		markup.With("text", sentence(problem)), markup.With("code", Root+"code/"+string(problem.Code)),
		markup.With("name", string(problem.Code)))
}

// sentence is what a finding says, and what to write.
func sentence(problem *schema.Problem) string {
	if problem.Fix == "" {
		return problem.Message
	}
	return problem.Message + "; " + problem.Fix
}

// pathOf is a JSON Pointer as the names of fields have it.
func pathOf(pointer string) string {
	return strings.NewReplacer("/", ".", "~1", "/", "~0", "~").Replace(strings.TrimPrefix(pointer, "/"))
}

func recordAddress(id string) string { return Root + "record/" + url.PathEscape(id) }

// find answers what is typed into a field with records, as the buttons that take them.
func (p *page) find() {
	q := p.r.URL.Query()
	var kinds []string
	if list := q.Get("kinds"); list != "" {
		kinds = strings.Split(list, ",")
	}
	p.choices(q.Get("path"), q.Get("q"), kinds)
	p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	p.w.Write(p.Bytes()) // a client that is gone needs no answer
}

var errNoRecord = errors.New("there is no such record")
