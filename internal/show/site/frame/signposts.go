package frame

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/markup"
)

// Signposts are links for programs from a page to its subject, as https://signposting.org/FAIR/
// defines them: the citation, the type, the subject itself, and its descriptions.
type Signposts struct {
	Type        string // a schema.org type
	Items       []Signpost
	DescribedBy []Signpost
	Linkset     string // URL of a file with more links, or ""
}

// Signpost is a link to a file.
type Signpost struct{ Address, MediaType string }

var (
	signpostForm = markup.Parse(`<link rel="{relation}" type="{type}" href="{address}">`)
	citedForm    = markup.Parse(`<link rel="cite-as" href="{address}"><link rel="type" href="https://schema.org/AboutPage"><link rel="type" href="{type}">`)
	authorForm   = markup.Parse(`<link rel="author" type="` + layout.TypeJSONLD + `" href="{address}">`)
	licensedForm = markup.Parse(`<link rel="license" href="{address}">`)
)

// writeSignposts writes the links of s, unless the service's URL is unknown.
func (p *Page) writeSignposts(s *Signposts) {
	if p.Base == "" { // they identify things by URL
		return
	}
	p.Fill(citedForm, markup.With("address", p.Own), markup.With("type", "https://schema.org/"+s.Type))
	p.Repeat("author", "", func() {
		p.Fill(authorForm, markup.With("address", layout.Address(layout.DCATPath)+"#publisher"))
		if url := render.LicenseURL(p.Settings.License); url != "" {
			p.Fill(licensedForm, markup.With("address", url))
		}
	})
	each := func(relation string, list []Signpost) {
		for _, to := range list {
			p.Fill(signpostForm, markup.With("relation", relation), markup.With("type", to.MediaType), markup.With("address", to.Address))
		}
	}
	each("item", s.Items)
	each("describedby", s.DescribedBy)
	if s.Linkset != "" {
		each("linkset", []Signpost{{s.Linkset, layout.TypeLinkset}})
	}
}
