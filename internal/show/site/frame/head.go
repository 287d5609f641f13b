package frame

import (
	"cmp"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
)

// The frame of every page.
var (
	topForm = markup.Parse(`
		<!doctype html>
		<html lang="{language}"{dir}><head><meta charset="utf-8">
		<meta http-equiv="Content-Security-Policy" content="` + layout.MetaPolicy + `">
		<meta name="viewport" content="width=device-width, initial-scale=1"><title>`)
	alternateForm = markup.Parse(`<link rel="alternate" type="{type}" href="{address}">`)
	styleForm     = markup.Parse(`<link rel="stylesheet" href="{address}">`)
	loadedForm    = markup.Parse(`
		<link rel="icon" href="{icon}"><link rel="apple-touch-icon" href="{touch}">
		<script type="module" src="{keys}" data-failed="{=ScriptFailed}"></script>`)
	scriptForm    = markup.Parse(`<script type="module" src="{address}"></script>`)
	canonicalForm = markup.Parse(`<link rel="canonical" href="{address}">`)
	openGraphForm = markup.Parse(`
		<meta property="og:title" content="{title}">
		<meta property="og:description" content="{description}">
		<meta property="og:url" content="{address}">
		<meta property="og:type" content="{kind}">
		<meta property="og:image" content="{picture}"><meta property="og:image:alt" content="{alt}">`)
	cardForm = markup.Parse(`
		<meta property="og:site_name" content="{site}">
		<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
		<meta name="twitter:card" content="summary_large_image">`)
)

// Head describes a page.
type Head struct {
	Title       string
	Description string
	Kind        string   // og:type; "website" if empty
	Picture     string   // URL of the page's picture; "" for that of the start page
	PictureText string   // description of the picture; the title if empty
	Section     string   // the URL of its entry in the navigation
	Alternate   string   // URL of the same as JSON
	Scripts     []string // names of assets
	Data        any      // JSON-LD
	Linked      func()   // writes JSON-LD instead
	Cite        *Citation
	Feeds       string // folder of feeds for readers of this page; "" for none
	Twin        string // URL of the same as Markdown
	Signposts   *Signposts
	Wide        bool // whether it uses the full width
	Bare        bool // whether it is embedded in other pages, without navigation
	Hidden      bool // whether search engines should omit it
	// URL of the page that search engines should show instead, or ""
	Canonical string
	Moved     string // URL of the page that replaces this one, or ""
}

// Open writes the part of the page before its content.
func (p *Page) Open(h Head) {
	p.Repeat("top", "", p.writeTop)
	p.Text(h.Title)
	if h.Title != p.Settings.Title {
		p.HTML(" · ")
		p.Text(p.Settings.Title)
	}
	p.HTML("</title>\n<meta name=\"description\"")
	description := words.Truncate(h.Description, 200)
	p.Attr("content", description)
	p.HTML(">")
	if h.Moved != "" {
		h.Hidden, h.Canonical = true, p.Base+h.Moved
		p.Refresh(h.Moved)
	}
	p.writeOpenGraph(h, description)
	if h.Cite != nil {
		p.writeCitationTags(h.Cite)
	}
	p.writeFileLinks(h)
	if h.Data != nil {
		p.Data("", layout.TypeJSONLD, h.Data)
	}
	if h.Linked != nil {
		h.Linked()
	}
	p.HTML("</head>\n<body")
	switch {
	case h.Bare:
		p.HTML(" class=\"bare\"><main id=\"main\">\n")
		return
	case h.Wide:
		p.HTML(` class="wide"`)
	}
	p.HTML(">")
	p.Repeat("masthead", h.Section, func() { p.writeMasthead(h.Section) })
	p.HTML("<main id=\"main\">\n")
}

var movedForm = markup.Parse(`<h1><a href="{address}"{lang}>{title}</a></h1>`)

// Lead writes a page that redirects to the page that replaces it.
func (p *Page) Lead(h Head, title string) {
	h.Scripts = nil
	p.Open(h)
	p.Fill(movedForm, markup.With("address", h.Moved), markup.With("title", title))
	p.Close()
}

// writeTop writes the part before the title, which all pages share.
func (p *Page) writeTop() {
	language := p.Words.Tag
	if !p.foreign {
		language = p.Settings.Language // may include a country
	}
	p.Fill(topForm, markup.With("language", language), markup.When(settings.IsRightToLeft(language), "dir", func() { p.HTML(` dir="rtl"`) }))
}

// writeFileLinks writes links to the page's files: its content as JSON, feeds, styles and scripts.
func (p *Page) writeFileLinks(h Head) {
	if h.Alternate != "" {
		p.Fill(alternateForm, markup.With("type", layout.TypeJSON), markup.With("address", h.Alternate))
	}
	if h.Twin != "" {
		p.Fill(alternateForm, markup.With("type", layout.TypeMarkdown), markup.With("address", h.Twin))
	}
	if h.Signposts != nil {
		p.writeSignposts(h.Signposts)
	}
	if h.Feeds != "" && p.Base != "" {
		p.Repeat("feeds", h.Feeds, func() { p.writeFeedLinks(h.Feeds) })
	}
	p.HTML("\n")
	p.Repeat("assets", strings.Join(h.Scripts, " "), func() { p.assetsOf(h.Scripts) })
	p.HTML("\n")
}

func (p *Page) assetsOf(scripts []string) {
	p.Fill(styleForm, markup.With("address", p.assets.Address("style.css")))
	if p.assets.Style != "" {
		p.Fill(styleForm, markup.With("address", p.assets.Address(p.assets.Style)))
	}
	p.Fill(loadedForm, markup.With("icon", p.assets.Address("icon.svg")),
		markup.With("touch", p.assets.Address(assets.TouchPicture)),
		markup.With("keys", p.assets.Address("keys.js")))
	for _, name := range scripts {
		p.Fill(scriptForm, markup.With("address", p.assets.Address(name)))
	}
}

// writeOpenGraph writes the metadata that other sites show when the page is shared.
func (p *Page) writeOpenGraph(h Head, description string) {
	switch {
	case h.Hidden && (h.Canonical == "" || p.Base == ""):
		p.HTML(`<meta name="robots" content="noindex">`)
	case h.Hidden:
		p.HTML(`<meta name="robots" content="noindex">`)
		p.Fill(canonicalForm, markup.With("address", h.Canonical))
	case p.Base == "": // pictures and canonical links need absolute URLs
	default:
		p.Fill(canonicalForm, markup.With("address", p.Own))
		p.Fill(openGraphForm, markup.With("title", h.Title), markup.With("description", description),
			markup.With("address", p.Own),
			markup.With("kind", cmp.Or(h.Kind, "website")), markup.With("picture", p.Base+cmp.Or(h.Picture, CardAddress("/"))),
			markup.With("alt", cmp.Or(h.PictureText, h.Title)))
		p.Repeat("card", "", func() { p.Fill(cardForm, markup.With("site", p.Settings.Title)) })
	}
}

// CloseBare ends a page without navigation.
func (p *Page) CloseBare() { p.HTML("</main></body></html>\n") }

// Asset returns the URL of the asset with the given name, which scripts load.
func (p *Page) Asset(name string) string { return p.assets.Address(name) }

// Close writes the part of the page after its content.
func (p *Page) Close() { p.Repeat("footer", "", p.writeFooter) }
