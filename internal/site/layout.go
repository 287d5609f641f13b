package site

import (
	"strings"

	"stele/internal/layout"
	"stele/internal/render"
)

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
	description := firstWords(h.description, 200)
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
	p.HTML("<!doctype html>\n<html")
	p.Attr("lang", p.settings.Language)
	if rightToLeft(p.settings.Language) {
		p.HTML(` dir="rtl"`)
	}
	p.HTML("><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"" + layout.MetaPolicy + "\">\n" +
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>`)
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
	p.Attr("href", p.assets.address("style.css"))
	if p.assets.style != "" {
		p.HTML(`><link rel="stylesheet"`)
		p.Attr("href", p.assets.address(p.assets.style))
	}
	p.HTML(`><link rel="icon"`)
	p.Attr("href", p.assets.address("icon.svg"))
	p.HTML(`><link rel="apple-touch-icon"`)
	p.Attr("href", p.assets.address(touchPicture))
	p.HTML(">")
	for _, name := range append([]string{"keys.js"}, scripts...) {
		if strings.HasSuffix(name, ".min.js") { // vendored, and no module
			p.HTML("<script defer")
		} else {
			p.HTML(`<script type="module"`)
		}
		p.Attr("src", p.assets.address(name))
		p.HTML("></script>")
	}
}

// openGraph writes what other sites show when somebody shares the page.
func (p *page) openGraph(h head, description string) {
	if h.hidden {
		p.HTML(`<meta name="robots" content="noindex">`)
		if h.canonical != "" {
			p.HTML(`<link rel="canonical"`)
			p.Attr("href", h.canonical)
			p.HTML(">")
		}
		return
	}
	p.HTML(`<link rel="canonical"`)
	p.Attr("href", p.own)
	p.HTML(`><meta property="og:title"`)
	p.Attr("content", h.title)
	p.HTML(`><meta property="og:description"`)
	p.Attr("content", description)
	p.HTML(`><meta property="og:url"`)
	p.Attr("content", p.own)
	p.HTML(`><meta property="og:type"`)
	kind := "website"
	if h.kind != "" {
		kind = h.kind
	}
	p.Attr("content", kind)
	p.again("card", "", func() {
		p.HTML(`><meta property="og:site_name"`)
		p.Attr("content", p.settings.Title)
		p.HTML(`><meta property="og:image"`)
		p.Attr("content", p.base+p.assets.address(cardPicture))
		p.HTML(`><meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta name="twitter:card" content="summary_large_image">`)
	})
}

// masthead writes what stands above the content of every page. The section is the one that the page
// belongs to.
func (p *page) masthead(section string) {
	p.HTML(`<a class="skip" href="#main">`)
	p.Text(p.words.Skip)
	p.HTML(`</a><header class="masthead"><a class="name"`)
	p.Attr("href", "/")
	p.HTML(">")
	if p.assets.logo != "" {
		p.HTML(`<img alt=""`)
		p.Attr("src", p.assets.address(p.assets.logo))
		p.HTML(">")
	}
	p.HTML("<span>")
	p.Text(p.settings.Title)
	p.HTML(`</span></a><nav`)
	p.Attr("aria-label", p.words.Main)
	p.HTML(">")
	for _, entry := range []struct{ address, text string }{
		{"/#records", p.words.Records},
		{"/healthcare-statistics/", p.words.Statistics},
		{layout.Address(layout.GraphPage), p.words.Graph},
		{layout.Address(layout.ChangesPage), p.words.Changes},
		{"/developers/", p.words.Developers},
	} {
		p.HTML("<a")
		p.Attr("href", entry.address)
		if entry.address == section {
			p.HTML(` aria-current="page"`)
		}
		p.HTML(">")
		p.Text(entry.text)
		p.HTML("</a>")
	}
	p.HTML("</nav>")
	p.searchForm(p.words.SearchAll, p.words.SearchShort)
	p.HTML("</header>\n")
}

// end writes everything after the content.
func (p *page) end() { p.again("footer", "", p.footer) }

func (p *page) footer() {
	p.HTML("</main>\n<footer><p class=\"notice\">")
	p.Text(p.settings.Notice)
	p.HTML("</p><p>")
	p.Text(p.settings.Publisher)
	p.HTML(" · ")
	p.Text(p.words.License)
	p.HTML(" ")
	p.license(p.settings.License)
	p.HTML(" · ")
	p.Text(p.words.Contact)
	p.HTML(" <a")
	p.Attr("href", render.ContactURL(p.settings.Contact))
	p.HTML(">")
	p.Text(p.settings.Contact)
	p.HTML("</a> · <a")
	p.Attr("href", "/"+layout.SearchFolder)
	p.HTML(">")
	p.Text(p.words.Search)
	p.HTML("</a> · <a")
	p.Attr("href", "/labels/")
	p.HTML(">")
	p.Text(p.words.Labels)
	p.HTML("</a> · <a")
	p.Attr("href", layout.Address(layout.ManifestPath))
	p.HTML(">")
	p.Text(p.words.Manifest)
	if len(p.settings.SigningKeys) > 0 {
		p.HTML("</a> · <a")
		p.Attr("href", layout.Address(layout.SignedPage))
		p.HTML(">")
		p.Text(p.words.Signed)
	}
	p.HTML("</a></p></footer></body></html>\n")
}

// license writes an SPDX identifier with a link to its text.
func (p *page) license(id string) {
	p.HTML("<a")
	p.Attr("href", render.LicenseURL(id))
	p.HTML(` rel="license">`)
	p.Text(id)
	p.HTML("</a>")
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

// firstWords cuts a text at a space, or else within a word, after so many bytes at most.
func firstWords(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	if space := strings.LastIndexByte(s[:cut], ' '); space > cut/2 {
		cut = space
	}
	for cut > 0 && s[cut]&0xc0 == 0x80 { // within a character
		cut--
	}
	return s[:cut] + "…"
}
