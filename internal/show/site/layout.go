package site

import (
	"cmp"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
)

// The frame of every page.
var (
	topForm = markup.Parse(`
		<!doctype html>

		<html lang="{language}"><head><meta charset="utf-8">
		<meta http-equiv="Content-Security-Policy" content="` + layout.MetaPolicy + `">

		<meta name="viewport" content="width=device-width, initial-scale=1"><title>`)
	canonicalForm = markup.Parse(`<link rel="canonical" href="{address}">`)
	openGraphForm = markup.Parse(`
		<meta property="og:title" content="{title}">
		<meta property="og:description" content="{description}">
		<meta property="og:url" content="{address}">
		<meta property="og:type" content="{kind}">`)
	cardForm = markup.Parse(`
		<meta property="og:site_name" content="{site}">
		<meta property="og:image" content="{picture}">
		<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
		<meta name="twitter:card" content="summary_large_image">`)
	mastheadForm = markup.Parse(`
		<a class="skip" href="#main">{skip}</a>
		<header class="masthead">
			<a class="name" href="/">{logo}<span{lang}>{title}</span></a>
			<nav aria-label="{main}">{entries}</nav>
			{search}
		</header>

		`)
	logoForm   = markup.Parse(`<img alt="" src="{address}">`)
	entryForm  = markup.Parse(`<a href="{address}"{current}>{text}</a>`)
	footerForm = markup.Parse(`
		</main>

		<footer>
			<p class="notice"{lang}>{notice}</p>
			<p>{publisher} · {licensed} {license} · {write} <a href="{mail}">{contact}</a> · <a href="/` + layout.SearchFolder + `">{search}</a> · <a href="/labels/">{labels}</a> · <a href="/` + layout.ManifestPath + `">{manifest}</a>{signed}</p>
		</footer></body></html>

		`)
	signedForm  = markup.Parse(` · <a href="/signed/">{text}</a>`)
	licenseForm = markup.Parse(`<a href="{address}" rel="license">{id}</a>`)
)

// What stands on pages of several sorts.
var (
	headingForm = markup.Parse(`
		<header class="opening">
			<h1>{title}</h1>
			<p class="lead">{lead}</p>
			{more}
		</header>`)
	metaForm  = markup.Parse(`<p class="meta">{parts}</p>`)
	linkForm  = markup.Parse(`<a href="{address}">{text}</a>`)
	quietForm = markup.Parse(`<p class="quiet">{text}</p>`)
	moreForm  = markup.Parse(`<p class="quiet">{count} {more}</p>`)
)

// heading writes what a page is called and what it is for, and a function may say more.
func (p *page) heading(title, lead string, more func()) {
	p.Fill(headingForm, markup.With("title", title), markup.With("lead", lead), markup.By("more", more))
}

// nothing more.
func nothing() {}

// anchor writes a link.
func (p *page) anchor(address, text string) {
	p.Fill(linkForm, markup.With("address", address), markup.With("text", text))
}

// quiet writes a paragraph that need not be read.
func (p *page) quiet(text string) { p.Fill(quietForm, markup.With("text", text)) }

// andMore says how many there are that are not shown, unless there are none.
func (p *page) andMore(count int) {
	if count > 0 {
		p.Fill(moreForm, markup.Number("count", count), markup.With("more", p.words.AndMore))
	}
}

// theirs writes text of the publisher's between words of the page.
func (p *page) theirs(text string) {
	if !p.foreign || text == "" {
		p.Text(text)
		return
	}
	p.Fill(theirsForm, markup.By("lang", p.lang), markup.With("text", text))
}

var theirsForm = markup.Parse(`<span{lang}>{text}</span>`)

// head describes a page.
type head struct {
	title       string
	description string
	kind        string   // og:type; "website" if empty
	section     string   // which entry of the navigation it belongs to: its address
	alternate   string   // address of the same as JSON
	scripts     []string // names of assets
	data        any      // JSON-LD
	linked      func()   // writes JSON-LD instead
	cite        *citation
	feeds       string // folder of the changes that readers may want to follow from here; "" for none
	twin        string // address of the same as Markdown
	wide        bool   // whether it uses the whole width
	hidden      bool   // whether search engines should leave it out
	// address of the page that search engines should show in its place; "" for none
	canonical string
}

// begin writes everything up to the content.
func (p *page) begin(h head) {
	p.again("top", "", p.top)
	p.Text(h.title)
	if h.title != p.settings.Title {
		p.HTML(" · ")
		p.Text(p.settings.Title)
	}
	p.HTML("</title>\n<meta name=\"description\"")
	description := words.First(h.description, 200)
	p.Attr("content", description)
	p.HTML(">")
	p.openGraph(h, description)
	if h.cite != nil {
		p.citationTags(h.cite)
	}
	p.files(h)
	if h.data != nil {
		p.Data("", layout.TypeJSONLD, h.data)
	}
	if h.linked != nil {
		h.linked()
	}
	p.HTML("</head>\n<body")
	if h.wide {
		p.HTML(` class="wide"`)
	}
	p.HTML(">")
	p.again("masthead", h.section, func() { p.masthead(h.section) })
	p.HTML("<main id=\"main\">\n")
}

// top writes what comes before the title of every page.
func (p *page) top() {
	language := ownLanguage
	if !p.foreign {
		language = p.settings.Language // perhaps of a country
	}
	p.Fill(topForm, markup.With("language", language))
}

// ownLanguage is that of the pages' own words.
const ownLanguage = "en"

// isForeign reports whether a language is another than that of the pages' own words.
func isForeign(tag string) bool {
	language, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return language != ownLanguage
}

// lang writes the attributes of an element with text of the publisher's, where that is in another
// language than the page's own words.
func (p *page) lang() {
	if !p.foreign {
		return
	}
	p.Attr("lang", p.settings.Language)
	if rightToLeft(p.settings.Language) {
		p.HTML(` dir="rtl"`)
	}
}

// files names the files that belong to a page: the same as JSON, feeds, styles and scripts.
func (p *page) files(h head) {
	if h.alternate != "" {
		p.HTML(`<link rel="alternate" type="` + layout.TypeJSON + `"`)
		p.Attr("href", h.alternate)
		p.HTML(">")
	}
	if h.twin != "" {
		p.HTML(`<link rel="alternate" type="` + layout.TypeMarkdown + `"`)
		p.Attr("href", h.twin)
		p.HTML(">")
	}
	if h.feeds != "" {
		p.again("feeds", h.feeds, func() { p.feedLinks(h.feeds) })
	}
	p.HTML("\n")
	p.again("assets", strings.Join(h.scripts, " "), func() { p.assetsOf(h.scripts) })
	p.HTML("\n")
}

// feedLinks names the feeds of a folder.
func (p *page) feedLinks(folder string) {
	for _, f := range feedFormats {
		p.HTML(`<link rel="alternate"`)
		p.Attr("type", f.mediaType)
		p.Attr("title", p.settings.Title+": "+folder+", "+f.name)
		p.Attr("href", layout.Address(layout.FeedPath(folder, f.suffix)))
		p.HTML(">")
	}
}

func (p *page) assetsOf(scripts []string) {
	p.HTML(`<link rel="stylesheet"`)
	p.Attr("href", p.assets.Address("style.css"))
	if p.assets.Style != "" {
		p.HTML(`><link rel="stylesheet"`)
		p.Attr("href", p.assets.Address(p.assets.Style))
	}
	p.HTML(`><link rel="icon"`)
	p.Attr("href", p.assets.Address("icon.svg"))
	p.HTML(`><link rel="apple-touch-icon"`)
	p.Attr("href", p.assets.Address(assets.TouchPicture))
	p.HTML(">")
	p.HTML(`<script type="module"`)
	p.Attr("src", p.assets.Address("keys.js"))
	p.Attr("data-failed", p.words.ScriptFailed)
	p.HTML("></script>")
	for _, name := range scripts {
		p.HTML(`<script type="module"`)
		p.Attr("src", p.assets.Address(name))
		p.HTML("></script>")
	}
}

// openGraph writes what other sites show when somebody shares the page.
func (p *page) openGraph(h head, description string) {
	switch {
	case h.hidden && h.canonical == "":
		p.HTML(`<meta name="robots" content="noindex">`)
	case h.hidden:
		p.HTML(`<meta name="robots" content="noindex">`)
		p.Fill(canonicalForm, markup.With("address", h.canonical))
	default:
		p.Fill(canonicalForm, markup.With("address", p.own))
		p.Fill(openGraphForm, markup.With("title", h.title), markup.With("description", description),
			markup.With("address", p.own),
			markup.With("kind", cmp.Or(h.kind, "website")))
		p.again("card", "", func() {
			p.Fill(cardForm, markup.With("site", p.settings.Title),
				markup.With("picture", p.base+p.assets.Address(assets.CardPicture)))
		})
	}
}

// masthead writes what stands above the content of every page. The section is the one that the page
// belongs to.
func (p *page) masthead(section string) {
	p.Fill(mastheadForm, markup.By("lang", p.lang), markup.With("skip", p.words.Skip),
		markup.With("title", p.settings.Title), markup.With("main", p.words.Main),
		markup.By("logo", func() {
			if p.assets.Logo != "" {
				p.Fill(logoForm, markup.With("address", p.assets.Address(p.assets.Logo)))
			}
		}),
		markup.By("entries", func() {
			for _, entry := range []struct{ address, text string }{
				{"/#records", p.words.Records},
				{"/healthcare-statistics/", p.words.Statistics},
				{layout.Address(layout.GraphPage), p.words.Graph},
				{layout.Address(layout.ChangesPage), p.words.Changes},
				{"/developers/", p.words.Developers},
			} {
				p.Fill(entryForm, markup.With("address", entry.address), markup.With("text", entry.text),
					markup.By("current", func() {
						if entry.address == section {
							p.HTML(` aria-current="page"`)
						}
					}))
			}
		}),
		markup.By("search", func() { p.searchForm(p.words.SearchAll, p.words.SearchShort) }))
}

// end writes everything after the content.
func (p *page) end() { p.again("footer", "", p.footer) }

func (p *page) footer() {
	p.Fill(footerForm, markup.By("lang", p.lang), markup.With("notice", p.settings.Notice),
		markup.With("publisher", p.settings.Publisher),
		markup.With("licensed", p.words.License), markup.By("license", func() { p.license(p.settings.License) }),
		markup.With("write", p.words.Contact), markup.With("contact", p.settings.Contact),
		markup.With("mail", render.ContactURL(p.settings.Contact)),
		markup.With("search", p.words.Search), markup.With("labels", p.words.Labels),
		markup.With("manifest", p.words.Manifest),
		markup.By("signed", func() {
			if len(p.settings.SigningKeys) > 0 {
				p.Fill(signedForm, markup.With("text", p.words.Signed))
			}
		}))
}

// license writes an SPDX identifier with a link to its text.
func (p *page) license(id string) {
	p.Fill(licenseForm, markup.With("address", render.LicenseURL(id)), markup.With("id", id))
}

// rightToLeft reports whether a language is written from right to left.
func rightToLeft(tag string) bool {
	language, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch language {
	case "ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}

// scriptWords writes the words of scripts into the page.
func (p *page) scriptWords() {
	w := p.words.Script
	w.Standings = map[string]string{}
	for _, v := range words.Standings.List {
		w.Standings[v.Word] = words.Written(words.Standings, v.Word)
	}
	if p.foreign {
		w.Lang = p.settings.Language
		if rightToLeft(w.Lang) {
			w.Dir = "rtl"
		}
	}
	p.Data("words", layout.TypeJSON, w)
}
