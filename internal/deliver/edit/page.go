package edit

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/judging/explain"
	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
	"stele/internal/deliver/signin"
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

// ownTexts returns the texts of the forms, by language and name.
var ownTexts = sync.OnceValue(func() (all map[string]map[string]string) {
	if err := yaml.Unmarshal(wordsFile, &all); err != nil {
		panic("edit: words.yaml: " + err.Error()) // a bug in the program
	}
	return all
})

// formTexts returns the texts of the pages and of the forms, in the language of the pages.
func formTexts(w *words.Set) map[string]string {
	all := w.Texts()
	maps.Copy(all, ownTexts()["en"])
	maps.Copy(all, ownTexts()[w.Tag])
	return all
}

var with, by = markup.With, markup.By

// page is a response that is being written.
type page struct {
	*Editor
	markup.Writer
	x *index
	w http.ResponseWriter
	r *http.Request
	fields.Form

	base     string // the state of the folder at the time of the request
	begun    bool   // the response has begun with a message that work continues
	kind     *record.Kind
	columns  []string                    // of the table whose shared members are edited; nil for a whole record
	named    string                      // label of a control without its own label
	revealed []scrutiny.Found            // redacted words that other texts repeat
	found    map[string][]schema.Problem // by the path of their field
}

func (e *Editor) newPage(w http.ResponseWriter, r *http.Request, x *index) (*page, error) {
	p := &page{Editor: e, x: x, w: w, r: r, found: map[string][]schema.Problem{}}
	p.Form = fields.Form{Values: url.Values{}, Blank: true}
	p.Texts = formTexts(x.words)
	p.Foreign = func() {
		if x.words.Tag != "en" {
			p.HTML(` lang="en" dir="ltr"`)
		}
	}
	if r.Method == http.MethodPost && !signin.IsUpload(r) {
		if err := r.ParseForm(); err != nil {
			return nil, err
		}
		p.Values = r.PostForm
	}
	p.BeginAnywhere(e.Prefix() + "/")
	return p, nil
}

// say returns the text name of the forms in the language of the pages, with its holes filled.
func (p *page) say(name string, fill ...string) string {
	s, ok := p.Texts[name]
	if !ok {
		panic("edit: unknown word " + name) // a bug in the program
	}
	for i := 0; i+1 < len(fill); i += 2 {
		s = strings.ReplaceAll(s, "{"+fill[i]+"}", fill[i+1])
	}
	return s
}

var (
	topForm = markup.Parse(`
		<!doctype html>

		<html lang="{language}"{?rtl} dir="rtl"{/}><head><meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · {site}</title>
		<link rel="stylesheet" href="/.stele/edit/style.css">
		<script type="module" src="/.stele/edit/edit.js"></script></head>
		<body class="editing">
		<a class="skip" href="#main">{=Skip}</a>
		<header class="masthead">
			<a class="name" href="/.stele/edit/"><span>{site}</span></a>
			<nav aria-label="{=Main}"><a href="/.stele/edit/">{=write}</a><a href="/.stele/edit/import">{=import}</a><a href="/.stele/edit/publish">{=publish}</a><a href="/.stele/edit/settings">{=settings}</a><a href="/">{=preview}</a></nav>
		</header>
		<main id="main"><h1>{title}</h1>`)
	titleForm    = markup.Parse(`<h2>{text}</h2>`)
	progressForm = markup.Parse(`<p class="progress" role="status">{text}</p>`)
	leadForm     = markup.Parse(`<p class="lead">{text}</p>`)
	textForm     = markup.Parse(`<p>{text}</p>`)
	quietForm    = markup.Parse(`<p class="quiet">{text}</p>`)
	noteForm     = markup.Parse(`<p class="note" role="status">{text}</p>`)
	refusedForm  = markup.Parse(`<div class="summary" role="alert" tabindex="-1"><p>{text}</p></div>`)
	anchorForm   = markup.Parse(`<a href="{address}">{text}</a>`)
	preForm      = markup.Parse(`<pre dir="ltr" tabindex="0">{text}</pre>`)
	startForm    = markup.Parse(`<form method="post" class="record" autocomplete="off"{fresh} data-restored="{=restored}" data-discard="{=discard}" data-lost="{=pasted_lost}">`)
	groupForm    = markup.Parse(`<fieldset class="group"><legend>{legend}</legend>{?help}<p class="help">{help}</p>{/}{inner}</fieldset>`)
	failForm     = markup.Parse(`<div class="summary" role="alert" tabindex="-1"><p>{text}</p></div><p class="quiet">{=nothing_written}</p>`)
	shownForm    = markup.Parse(`<details><summary>{=file} {name}</summary><pre dir="ltr" tabindex="0">{diff}</pre></details>`)
	foldForm     = markup.Parse(`<details><summary>{name}</summary>{inner}</details>`)
	hiddenForm   = markup.Parse(`<input type="hidden" name="{name}" value="{value}">`)
	buttonForm   = markup.Parse(`<button name="do" value="{do}">{text}</button> `)
	quietButton  = markup.Parse(`<button class="second" name="do" value="{do}">{text}</button> `)
	sectionForm  = markup.Parse(`<section><h2>{head}</h2>{inner}</section>`)
	findingForm  = markup.Parse(`<li><a href="{address}">{where}</a>: <span{lang}>{text}</span> <a class="code" href="{code}">{name}</a></li>`)
	nameItemForm = markup.Parse(`<li><a href="{address}">{title}</a> <span class="quiet">{about}</span></li>`)
)

// openPage writes everything before the content.
func (p *page) openPage(title string) {
	if p.begun {
		p.fillLine(titleForm, title)
		return
	}
	language := p.x.words.Tag
	p.Fill(topForm, with("language", language), markup.ShowIf("rtl", settings.IsRightToLeft(language)), with("title", title),
		with("site", p.x.settings.Title))
}

// sendPage sends the page.
func (p *page) sendPage(status int) {
	p.HTML("</main></body></html>\n")
	if p.begun {
		p.w.Write(p.Bytes()) // the client may have disconnected
		return
	}
	p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	p.w.WriteHeader(status)
	p.w.Write(p.Bytes()) // the client may have disconnected
}

// runWithProgress calls do, which may take long. After a second it sends the beginning of the page,
// and then the elapsed time every second.
func (p *page) runWithProgress(title string, do func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		do()
	}()
	for began := time.Now(); ; {
		select {
		case mistake := <-done:
			if mistake != nil {
				panic(mistake) // a panic: the server stops only this response
			}
			return
		case <-time.After(time.Second):
		}
		if !p.begun {
			p.openPage(title)
			p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
			p.begun = true
		}
		p.fillLine(progressForm, p.say("working", "n", strconv.Itoa(int(time.Since(began).Seconds()))))
		p.w.Write(p.Bytes()) // the work stops if the client disconnects
		p.BeginAnywhere(p.Prefix() + "/")
		http.NewResponseController(p.w).Flush()
	}
}

// fail shows an error, and says that nothing was written.
func (p *page) fail(status int, err error) {
	p.openPage(p.say("not_done"))
	p.fillLine(failForm, p.rewordForForms(err.Error()))
	p.sendPage(status)
}

// startForm begins a form. If the form was just opened, its script restores text that the user
// typed before.
func (p *page) startForm() {
	p.Fill(startForm, by("fresh", func() {
		if p.r.Method == http.MethodGet {
			p.Attr("data-fresh", "yes")
		}
	}))
}

// fillLine writes a form that contains only a text.
func (p *page) fillLine(f *markup.Form, text string) { p.Fill(f, with("text", text)) }

func (p *page) writeHidden(name, value string) {
	p.Fill(hiddenForm, markup.Exactly("name", name), markup.Exactly("value", value))
}

func (p *page) writeLink(address, text string) {
	p.Fill(anchorForm, with("address", address), with("text", text))
}

// writeSubmit writes a button that sends the form. writeButton writes a button that changes the
// form and saves nothing.
func (p *page) writeSubmit(do, text string) { p.Fill(buttonForm, with("do", do), with("text", text)) }

func (p *page) writeButton(do, text string) { p.Fill(quietButton, with("do", do), with("text", text)) }

// writeGroup writes fields below a legend; writeSection writes any content below a heading. legend
// and head are names of texts of the forms.
func (p *page) writeGroup(legend string, inner func()) {
	p.Fill(groupForm, with("legend", p.say(legend)), with("help", ""), by("inner", inner))
}

func (p *page) writeSection(head string, inner func()) {
	p.Fill(sectionForm, with("head", p.say(head)), by("inner", inner))
}

func (p *page) writeStyle() {
	all, err := assets.StyleSheet(p.x.settings.AccentColor)
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	p.w.Header().Set("Content-Type", "text/css; charset=utf-8")
	p.w.Write(slices.Concat(all, styleSheet)) // the client may have disconnected
}

// explainCode shows the explanation of a code.
func (p *page) explainCode() {
	text, err := explain.Text(p.r.PathValue("code"), false)
	if err != nil {
		p.fail(http.StatusNotFound, err)
		return
	}
	p.openPage(p.r.PathValue("code"))
	p.fillLine(preForm, text)
	p.sendPage(http.StatusOK)
}

// showOverview shows the first page: kinds to write, findings, and existing records.
func (p *page) showOverview() {
	p.openPage(p.say("write"))
	p.showSaved()
	p.fillLine(leadForm, p.say("write_lead"))
	query := p.r.URL.Query().Get("q")
	p.Fill(findForm, with("q", query))
	if kind := p.r.URL.Query().Get("kind"); query != "" || kind != "" {
		found := p.x.search(query, kind, gridRows)
		if len(found) == 0 {
			p.fillLine(quietForm, p.say("found_none", "words", query))
		}
		p.HTML("<ul>")
		for _, r := range found {
			p.Fill(nameItemForm, with("address", recordAddress(r.id)), with("title", r.title), with("about", p.entryNote(r)))
		}
		p.HTML("</ul>")
	}
	p.findingList()
	p.listMissing()
	counts := map[*record.Kind]int{}
	for _, r := range p.x.list {
		counts[r.kind]++
	}
	p.writeSection("new", func() {
		p.HTML(`<ul class="kinds">`)
		for _, k := range record.Kinds {
			if k.Name == record.KindChangeEvent { // which builds write
				continue
			}
			p.Fill(kindForm, with("address", Root+"new/"+k.Name), with("name", p.kindName(k)),
				with("doc", cmp.Or(p.x.words.Kinds[k.Name].Doc, k.Doc)), with("list", Root+"?kind="+k.Name),
				with("count", p.x.words.Counted(p.x.words.CountedRecords, counts[k])))
		}
		p.HTML(`</ul>`)
	})
	p.listGrids()
	p.showKnown()
	p.Fill(keyForm)
	p.sendPage(http.StatusOK)
}

// showSignInAddress shows an address with which another browser can sign in once.
func (p *page) showSignInAddress() {
	p.openPage(p.say("other_browser"))
	p.fillLine(leadForm, p.say("other_browser_lead"))
	p.fillLine(preForm, "http://"+p.r.Host+p.Gate().NewKey())
	p.sendPage(http.StatusOK)
}

var keyForm = markup.Parse(`<form method="post" class="key" action="/.stele/edit/key"><button class="second">{=other_browser}</button></form>`)

var (
	findForm = markup.Parse(`<form class="find" role="search"><label>{=find} <input type="search" name="q" value="{q}"></label><button>{=find}</button></form>`)
	kindForm = markup.Parse(`<li><a href="{address}">{name}</a> <span class="quiet">{doc}</span> <a href="{list}">{count}</a></li>`)
)

func (p *page) kindName(k *record.Kind) string {
	return words.Capital(cmp.Or(p.x.words.Kinds[k.Name].One, k.One))
}

// entryNote returns the text next to the title of a record: its kind, and whether it is retracted.
func (p *page) entryNote(r *entry) string {
	s := p.kindName(r.kind)
	if r.retracted {
		s += " · " + p.x.words.Retracted
	}
	if p.x.isHeldBack(r) {
		s += " · " + p.say("draft")
	}
	return s + " · " + r.id
}

// findingList lists the findings of the last build, each with a link to its field.
func (p *page) findingList() {
	list := p.findings()
	if len(list) == 0 {
		p.fillLine(quietForm, p.say("nothing_wrong"))
		return
	}
	const most = 100
	p.writeSection("findings", func() {
		p.listProblems(list[:min(len(list), most)])
		if more := len(list) - most; more > 0 {
			p.fillLine(quietForm, p.say("and_more", "n", fmt.Sprint(more)))
		}
	})
}

func (p *page) listProblems(problems []schema.Problem) {
	if len(problems) == 0 {
		return
	}
	p.HTML("<ul>")
	for i := range problems {
		p.writeFinding(&problems[i])
	}
	p.HTML("</ul>")
}

func (p *page) writeFinding(problem *schema.Problem) {
	address, where := Root, problem.Position()
	l, _ := p.known.Last()
	if problem.Code == codes.Vanished && l.KindOf(problem.Record) != nil {
		address = recordAddress(problem.Record) // where it can be restored
	}
	if r := p.x.byID[problem.Record]; r != nil {
		address, where = recordAddress(r.id), r.title
		status, _ := p.publishedStatus(r)
		at := fieldName(problem.Pointer)
		if at != "" && r.kind.Name != record.KindChangeEvent && status != published.Locked {
			address += pick(status == published.Published, "/correct#f-", "/change#f-") + at
		}
	}
	p.Fill(findingForm, with("address", address), with("where", where), with("text", p.findingText(problem)),
		with("code", Root+"code/"+string(problem.Code)), with("name", string(problem.Code)))
}

// findingText returns a finding with its remedy, in the words of forms.
func (p *page) findingText(problem *schema.Problem) string {
	if problem.Fix == "" {
		return p.rewordForForms(problem.Message)
	}
	return p.rewordForForms(problem.Message + "; " + problem.Fix)
}

// fieldName converts a JSON Pointer to the name of a field.
func fieldName(pointer string) string {
	return strings.NewReplacer("/", ".", "~1", "/", "~0", "~").Replace(strings.TrimPrefix(pointer, "/"))
}

func recordAddress(id string) string { return Root + "record/" + url.PathEscape(id) }

// answerFind answers a search in a field with buttons, one for each matching record.
func (p *page) answerFind() {
	q := p.r.URL.Query()
	p.writeChoices(q.Get("path"), q.Get("q"), q.Get("kinds"))
	p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	p.w.Write(p.Bytes()) // the client may have disconnected
}

var errNoRecord = errors.New("unknown record")
