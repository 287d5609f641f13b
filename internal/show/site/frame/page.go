// Package frame contains the parts that all pages share: head, navigation and footer, links,
// badges, dates and citations; and writes pages into a release. A page knows the publisher's
// settings, the texts of its language and its lookups, but not the site.
package frame

import (
	"net/url"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/internal/author/reading/settings/color"
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The parts that several sorts of pages have.
var (
	theirsForm  = markup.Parse(`<span{lang}>{text}</span>`)
	headingForm = markup.Parse(`
		<header class="opening">
			<h1>{title}</h1>
			<p class="lead">{lead}</p>
			{more}
		</header>`)

	linkForm    = markup.Parse(`<a href="{address}">{text}</a>`)
	quietForm   = markup.Parse(`<p class="quiet">{text}</p>`)
	dateForm    = markup.Parse(`<time>{date}</time>`)
	dayForm     = markup.Parse(`<time datetime="{date}">{text}</time>`)
	fileForm    = markup.Parse(`<a href="{address}"><code>{address}</code></a>`)
	licenseForm = markup.Parse(`<a href="{address}" rel="license">{id}</a>`)
	// of another site, which this one does not endorse
	OutsideForm   = markup.Parse(`<a href="{address}" rel="nofollow">{text}</a>`)
	SummaryForm   = markup.Parse(`<p{lang}>{text}</p>`)
	itemForm      = markup.Parse(`<li>{item}</li>`)
	ReferenceForm = markup.Parse(`<a href="{address}"{lang}>{title}</a>`)
)

// Page writes a page. A goroutine uses it for one page after another.
type Page struct {
	markup.Writer
	*Common
	*lookup.Reader
	badges map[badgeKey]*badgeText
	pieces map[pieceKey]*markup.Piece
	Own    string // URL of the page
}

// pieceKey identifies a shared part of pages and the value that it depends on.
type pieceKey struct{ part, of string }

// Repeat writes a part that many pages share. Pages with equal part and of reuse the output of
// write.
func (p *Page) Repeat(part, of string, write func()) {
	key := pieceKey{part, of}
	piece := p.pieces[key]
	if piece == nil {
		if p.pieces == nil {
			p.pieces = map[pieceKey]*markup.Piece{}
		}
		piece = new(markup.Piece)
		p.pieces[key] = piece
	}
	p.Again(piece, write)
}

// Common contains the data that all pages of a release share.
type Common struct {
	Settings settings.Settings
	Words    *words.Set
	texts    map[string]string // the texts in forms
	cited    *words.Set        // in the language of the records, if its texts exist
	assets   *assets.Set
	Base     string   // base_url without a trailing slash
	At       *url.URL // the same, parsed
	accent   color.RGB
	foreign  bool // whether the publisher's texts are in another language than the pages
}

// WriteHeading writes the title of a page and lead, its purpose. more, if not nil, writes more
// content.
func (p *Page) WriteHeading(title, lead string, more func()) {
	if more == nil {
		more = func() {}
	}
	p.Fill(headingForm, markup.With("title", title), markup.With("lead", lead), markup.By("more", more))
}

// WriteAnchor writes a link to address.
func (p *Page) WriteAnchor(address, text string) {
	p.Fill(linkForm, markup.With("address", address), markup.With("text", text))
}

// WriteSecondaryText writes a secondary paragraph.
func (p *Page) WriteSecondaryText(text string) { p.Fill(quietForm, markup.With("text", text)) }

// WriteAndMore writes that count more elements are not shown, unless count is 0.
func (p *Page) WriteAndMore(count int) {
	if count > 0 {
		p.WriteSecondaryText(p.Words.Counted(p.Words.AndMore, count))
	}
}

// WritePublisherText writes text by the publisher within text of the page.
func (p *Page) WritePublisherText(text string) {
	if !p.foreign || text == "" {
		p.Text(text)
		return
	}
	p.Fill(theirsForm, markup.With("text", text))
}

// WriteLang writes the language attributes of an element with the publisher's text, if its language
// differs from the page's.
func (p *Page) WriteLang() {
	if !p.foreign {
		return
	}
	p.Attr("lang", p.Settings.Language)
	if dir := p.dir(); dir != "" {
		p.Attr("dir", dir)
	}
}

// WriteExternalLink writes a link to another site, with a shortened URL as its text.
func (p *Page) WriteExternalLink(u record.URL) {
	short := strings.TrimPrefix(strings.TrimPrefix(string(u), "https://"), "http://")
	p.Fill(OutsideForm, markup.With("address", string(u)),
		markup.With("text", strings.TrimSuffix(strings.TrimPrefix(short, "www."), "/")))
}

// WriteFileLink writes a link to a file of the release.
func (p *Page) WriteFileLink(address string) { p.Fill(fileForm, markup.With("address", address)) }

// WriteNotice writes a link to at, the announcement of a source's change.
func (p *Page) WriteNotice(at record.URL) {
	p.Text(p.Words.Notice)
	p.HTML(" ")
	p.WriteExternalLink(at)
}

func (p *Page) WriteDate(d record.Date) {
	if text := p.Words.Day(d); text != string(d) {
		p.Fill(dayForm, markup.With("date", string(d)), markup.With("text", text))
		return
	}
	p.Fill(dateForm, markup.With("date", string(d)))
}

// WriteLicense writes an SPDX identifier with a link to the text of the licence.
func (p *Page) WriteLicense(id string) {
	p.Fill(licenseForm, markup.With("address", render.LicenseURL(id)), markup.With("id", id))
}

// WriteSummary writes text, the explanation of a change, unless it is empty.
func (p *Page) WriteSummary(text string) {
	if text != "" {
		p.Fill(SummaryForm, markup.With("text", text))
	}
}

// WriteScriptWords writes the texts that scripts use into the page.
func (p *Page) WriteScriptWords() {
	w := p.Words.Scripts()
	if p.foreign {
		w["lang"] = p.Settings.Language
		if dir := p.dir(); dir != "" {
			w["dir"] = dir
		}
	}
	p.Data("words", layout.TypeJSON, w)
}

// dir returns the direction of the publisher's texts, if it differs from that of the page.
func (p *Page) dir() string {
	theirs := settings.IsRightToLeft(p.Settings.Language)
	switch {
	case theirs == settings.IsRightToLeft(p.Words.Tag):
		return ""
	case theirs:
		return "rtl"
	}
	return "ltr"
}

// Shown is the maximum number of elements of a list on a page. The page counts the other elements,
// which are in the JSON.
const Shown = 200

// WriteLink writes a link to the record with the given ID, with its title as text.
func (p *Page) WriteLink(id string) {
	r := p.Refer(id)
	p.Again(&r.Link, func() {
		p.Fill(ReferenceForm, markup.With("address", r.Address), markup.With("title", r.Title))
	})
}
