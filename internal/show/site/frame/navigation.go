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

// What leads from a page to others.
var (
	crumbsForm    = markup.Parse(`<nav class="crumbs" aria-label="{=Breadcrumb}"><a href="/">{=Home}</a> <a href="{folder}">{of}</a>`)
	hereForm      = markup.Parse(` <span aria-current="page">{name}</span>`)
	searchBoxForm = markup.Parse(`
		<form class="find" role="search" aria-label="{name}" action="/` + layout.SearchFolder + `">
			<input type="search" name="q" autocomplete="off" spellcheck="false" placeholder="{hint}" aria-label="{=Search}" aria-keyshortcuts="/">
			<button>{=Search}</button>
		</form>`)
	// what the script shows, that leaves of the lists of a page what has what is typed
	narrowForm    = markup.Parse(`<form class="filters" role="search" hidden><label>{search}<input type="search" autocomplete="off" spellcheck="false"></label></form>`)
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

// Crumbs leads from a page up to the list of a kind. Without a name the page is that list.
func (p *Page) Crumbs(k *record.Kind, name string) {
	p.CrumbsTo(layout.ListAddress(k.Folder(), 0), p.Words.Name(k), name)
}

// CrumbsTo leads from a page up to the one that it belongs to.
func (p *Page) CrumbsTo(folder, of, name string) {
	p.Repeat("crumbs", folder, func() {
		p.Fill(crumbsForm, markup.With("folder", folder), markup.With("of", of))
	})
	if name != "" {
		p.Fill(hereForm, markup.By("name", func() { p.Theirs(words.First(name, 60)) }))
	}
	p.HTML("</nav>\n")
}

// SearchForm is the box that leads to the search from every page.
func (p *Page) SearchForm(name, hint string) {
	p.Fill(searchBoxForm, markup.With("name", name), markup.With("hint", hint))
}

// Narrow is the box that leaves of the lists of a page what has what is typed.
func (p *Page) Narrow() { p.Fill(narrowForm, markup.With("search", p.Words.Script["search"])) }

// KindLinks lists the kinds, for those who would rather look around.
func (p *Page) KindLinks() {
	p.Fill(kindLinksForm, markup.Each("list", record.Kinds, func(k *record.Kind) {
		p.Fill(kindLinkForm, markup.With("address", layout.ListAddress(k.Folder(), 0)), markup.With("many", p.Words.Name(k)))
	}))
}

// FeedFormats are those of the feeds, which are made beside the pages.
var FeedFormats = []struct{ Name, Suffix, mediaType string }{
	{"Atom", ".atom", layout.TypeAtom},
	{"JSON Feed", ".json", layout.TypeJSONFeed},
}

// AllChanges is the folder whose feeds tell of all kinds.
const AllChanges = "changes"

// Download links to a download.
func (p *Page) Download(d render.Download) {
	p.Fill(downloadForm, markup.With("path", "/"+d.Path), markup.With("format", cmp.Or(p.Words.FormatNames[d.Format], d.Format)))
}

// feedLinks names the feeds of a folder.
func (p *Page) feedLinks(folder string) {
	for _, f := range FeedFormats {
		p.Fill(feedForm, markup.With("type", f.mediaType), markup.With("title", p.Settings.Title+": "+folder+", "+f.Name),
			markup.With("address", layout.Address(layout.FeedPath(folder, f.Suffix))))
	}
}

// masthead writes what stands above the content of every page. The section is the one that the page
// belongs to.
func (p *Page) masthead(section string) {
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
					markup.If("current", entry.address == section))
			}
		}),
		markup.When(!hasBox, "search", func() { p.SearchForm(p.Words.SearchAll, p.Words.SearchShort) }))
}

func (p *Page) footer() {
	p.Fill(footerForm, markup.With("notice", p.Settings.Notice),
		markup.By("publisher", func() { p.Theirs(p.Settings.Publisher) }),
		markup.By("license", func() { p.License(p.Settings.License) }), markup.With("contact", p.Settings.Contact),
		markup.With("mail", render.ContactURL(p.Settings.Contact)),
		markup.If("signed", len(p.Settings.SigningKeys) > 0), markup.If("calendar", len(p.Settings.Calendar) > 0))
}

// DownloadLinks links to several downloads.
func (p *Page) DownloadLinks(list []render.Download) {
	for i, d := range list {
		if i > 0 {
			p.HTML(" · ")
		}
		p.Download(d)
	}
}
