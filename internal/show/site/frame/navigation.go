package frame

import (
	"cmp"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// Links from a page to others.
var (
	crumbsForm    = markup.Parse(`<nav class="crumbs" aria-label="{=Breadcrumb}"><a href="/">{=Home}</a> <a href="{folder}">{of}</a>`)
	hereForm      = markup.Parse(` <span aria-current="page">{name}</span>`)
	searchBoxForm = markup.Parse(`
		<form class="find" role="search" aria-label="{name}" action="/` + layout.SearchFolder + `">
			<input type="search" name="q" autocomplete="off" spellcheck="false" placeholder="{hint}" aria-label="{=Search}" aria-keyshortcuts="/">
			<button>{=Search}</button>
		</form>`)
	// shown by the script that filters the lists of a page
	narrowForm    = markup.Parse(`<form class="filters narrowing" hidden><label>{search}<input type="search" autocomplete="off" spellcheck="false"></label></form>`)
	kindLinksForm = markup.Parse(`<section><h2>{=KindsHead}</h2><ul class="tally areas-list">{list}</ul></section>`)
	kindLinkForm  = markup.Parse(`<li><a href="{address}">{many}</a></li>`)
	downloadForm  = markup.Parse(`<a href="{path}" download>{format}</a>`)
	mastheadForm  = markup.Parse(`
		<a class="skip" href="#main">{=Skip}</a>
		<header class="masthead">
			<a class="name" href="/">{?logo}<img alt="" src="{logo}">{/}<span{lang}>{title}</span></a>
			<nav aria-label="{=Main}">{entries}</nav>
			{search}
		</header>`)
	entryForm  = markup.Parse(`<a href="{address}"{?current} aria-current="page"{/}>{text}</a>`)
	footerForm = markup.Parse(`
		</main>
		<footer>
			<p class="notice"{lang}>{notice}</p>
			<p>{publisher} · {=License} {license} · {=Contact} <a href="{mail}">{contact}</a> · <a href="/` + layout.SearchFolder + `">{=Search}</a> · <a href="/how/">{=How}</a> · <a href="/in-question/">{=InQuestion}</a> · <a href="/labels/">{=Labels}</a> · <a href="/developers/">{=Developers}</a> · <a href="/` + layout.ManifestPath + `">{=Manifest}</a>{?signed} · <a href="/signed/">{=Signed}</a>{/}{?calendar} · <a href="/calendar/">{=Calendar}</a>{/}</p>
		</footer></body></html>`)
	feedForm = markup.Parse(`<link rel="alternate" type="{type}" title="{title}" href="{address}">`)
)

// WriteBreadcrumbs writes the breadcrumbs from the list of a kind to the page with the given name,
// or to the list if name is "".
func (p *Page) WriteBreadcrumbs(k *record.Kind, name string) {
	p.WriteBreadcrumbsTo(layout.ListAddress(k.Folder(), 0), p.Words.Name(k), name)
}

// WriteBreadcrumbsTo writes the breadcrumbs from a list to the page with the given name.
func (p *Page) WriteBreadcrumbsTo(folder, of, name string) {
	p.Repeat("crumbs", folder, func() {
		p.Fill(crumbsForm, markup.With("folder", folder), markup.With("of", of))
	})
	if name != "" {
		p.Fill(hereForm, markup.By("name", func() { p.WritePublisherText(words.Truncate(name, 60)) }))
	}
	p.HTML("</nav>\n")
}

// WriteSearchForm writes the search box that every page has.
func (p *Page) WriteSearchForm(name, hint string) {
	p.Fill(searchBoxForm, markup.With("name", name), markup.With("hint", hint))
}

// WriteFilterBox writes a box that filters the lists and tables of the page, or of the part that
// contains the box. name is the name of the box's label among the words of the scripts.
func (p *Page) WriteFilterBox(name string) {
	p.Fill(narrowForm, markup.With("search", p.Words.Script[name]))
}

// WriteKindLinks writes links to all kinds, for browsing.
func (p *Page) WriteKindLinks() {
	p.Fill(kindLinksForm, markup.Each("list", record.Kinds, func(k *record.Kind) {
		p.Fill(kindLinkForm, markup.With("address", layout.ListAddress(k.Folder(), 0)), markup.With("many", p.Words.Name(k)))
	}))
}

// FeedFormats lists the formats of the feeds, which package describe writes.
var FeedFormats = []struct{ Name, Suffix, mediaType string }{
	{"Atom", ".atom", layout.TypeAtom},
	{"JSON Feed", ".json", layout.TypeJSONFeed},
}

// AllChanges is the folder of the feeds that contain all kinds.
const AllChanges = "changes"

// WriteDownload writes a link to d.
func (p *Page) WriteDownload(d render.Download) {
	p.Fill(downloadForm, markup.With("path", "/"+d.Path), markup.With("format", cmp.Or(p.Words.FormatNames[d.Format], d.Format)))
}

func (p *Page) writeFeedLinks(folder string) {
	for _, f := range FeedFormats {
		p.Fill(feedForm, markup.With("type", f.mediaType), markup.With("title", p.Settings.Title+": "+folder+", "+f.Name),
			markup.With("address", layout.Address(layout.FeedPath(folder, f.Suffix))))
	}
}

// writeMasthead writes the part above the content of every page, given the section of the page.
func (p *Page) writeMasthead(section string) {
	hasBox := section == "/" && slices.Contains(p.Settings.HomeSections(), "search") || section == "/"+layout.SearchFolder
	p.Fill(mastheadForm, markup.With("title", p.Settings.Title),
		markup.With("logo", p.assets.LogoAddress()),
		markup.By("entries", func() {
			for _, entry := range []struct{ address, text string }{
				{"/#records", p.Words.RecordsHead},
				{"/healthcare-statistics/", p.Words.Statistics},
				{"/" + lookup.PlacesFolder, p.Words.Places},
				{layout.Address(layout.GraphPage), p.Words.Graph},
				{layout.Address(layout.ChangesPage), p.Words.Changes},
				{"/developers/", p.Words.Developers},
			} {
				if len(p.Places) == 0 && entry.text == p.Words.Places {
					continue
				}
				p.Fill(entryForm, markup.With("address", entry.address), markup.With("text", entry.text),
					markup.ShowIf("current", entry.address == section))
			}
		}),
		markup.When(!hasBox, "search", func() { p.WriteSearchForm(p.Words.SearchAll, p.Words.SearchShort) }))
}

func (p *Page) writeFooter() {
	p.Fill(footerForm, markup.With("notice", p.Settings.Notice),
		markup.By("publisher", func() { p.WritePublisherText(p.Settings.Publisher) }),
		markup.By("license", func() { p.WriteLicense(p.Settings.License) }), markup.With("contact", p.Settings.Contact),
		markup.With("mail", render.ContactURL(p.Settings.Contact)),
		markup.ShowIf("signed", len(p.Settings.SigningKeys) > 0), markup.ShowIf("calendar", len(p.Settings.Calendar) > 0))
}

// WriteDownloadLinks writes links to several downloads.
func (p *Page) WriteDownloadLinks(list []render.Download) {
	for i, d := range list {
		if i > 0 {
			p.HTML(" · ")
		}
		p.WriteDownload(d)
	}
}
