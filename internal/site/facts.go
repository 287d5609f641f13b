package site

import (
	"stele/internal/standing"
	"stele/record"
)

// entry writes a name and what stands beside it.
func (p *page) entry(name string, value func()) {
	p.HTML("<dt>")
	p.Text(name)
	p.HTML("</dt><dd>")
	value()
	p.HTML("</dd>")
}

// fact writes a name and a text, unless that is empty.
func (p *page) fact(name, text string) {
	if text != "" {
		p.entry(name, func() { p.Text(text) })
	}
}

// listed writes a name and what is listed beside it, unless that is nothing.
func listed[T any](p *page, name string, items []T, write func(T)) {
	if len(items) == 0 {
		return
	}
	p.entry(name, func() {
		p.HTML("<ul>")
		for _, item := range items[:min(len(items), shown)] {
			p.HTML("<li>")
			write(item)
			p.HTML("</li>")
		}
		p.HTML("</ul>")
	})
}

// code writes a text as programs have it.
func (p *page) code(text string) {
	p.HTML("<code>")
	p.Text(text)
	p.HTML("</code>")
}

// facts writes what identifies a record, and what else its kind has.
func (p *page) facts(plan *plan, rec record.Record, stands standing.Standing) {
	e := rec.Common()
	p.HTML("<section><h2>")
	p.Text(p.words.Facts)
	p.HTML(`</h2><dl class="facts">`)
	p.entry(p.words.ID, func() { p.code(string(e.ID)) })
	p.entry(p.words.Version, func() { p.Int(e.Version) })
	p.entry(p.words.Standing, func() { p.badge(standings, stands.String()) })
	for _, d := range []struct {
		name string
		date record.Date
	}{{p.words.Verified, e.VerificationDate}, {p.words.Updated, e.UpdatedDate}, {p.words.Published, e.PublishedDate}} {
		if d.date != "" {
			p.entry(d.name, func() { p.date(d.date) })
		}
	}
	if source, ok := rec.(*record.SourceObject); ok {
		p.entry(p.words.LicenseOfSource, func() { p.sourceLicense(source.SourceLicense) })
		p.entry(p.words.LicenseOfRecord, func() { p.license(p.licenseOf(e)) })
	} else {
		p.entry(p.words.License, func() { p.license(p.licenseOf(e)) })
	}
	p.detailList(plan.details, rec)
	p.classification(e)
	p.HTML("</dl></section>")
	p.ownMembers(e)
}

// sourceLicense writes the licence under which a source stands, which is not that of the record
// about it.
func (p *page) sourceLicense(l *record.SourceLicense) {
	switch {
	case l == nil:
		p.Text(p.words.LicenseUnknown)
	case l.URL != "":
		p.HTML("<a")
		p.Attr("href", string(l.URL))
		p.HTML(` rel="nofollow">`)
		p.Text(l.Name)
		p.HTML("</a>")
	default:
		p.Text(l.Name)
	}
}

func (p *page) licenseOf(e *record.Envelope) string {
	if e.License != "" {
		return e.License
	}
	return p.settings.License
}

// classification writes the subjects, other names and further reading.
func (p *page) classification(e *record.Envelope) {
	listed(p, p.words.Subjects, e.Subjects, func(s record.Subject) {
		p.Text(s.Scheme)
		p.HTML(" ")
		p.code(s.Code)
	})
	listed(p, p.words.Aliases, e.Aliases, p.Text)
	listed(p, p.words.SeeAlso, e.SeeAlso, func(id record.ID) { p.link(string(id)) })
}

// ownMembers writes what the publisher added, as it was written.
func (p *page) ownMembers(e *record.Envelope) {
	if len(e.Extra) == 0 {
		return
	}
	const most = 2000 // of a value; the whole stands in the JSON
	p.HTML("<section><h2>")
	p.Text(p.words.OwnMembers)
	p.HTML(`</h2><dl class="facts">`)
	for _, x := range e.Extra[:min(len(e.Extra), shown)] {
		p.HTML("<dt><code>")
		p.Text(x.Name)
		p.HTML("</code></dt><dd>")
		p.Text(firstWords(x.JSON, most))
		p.HTML("</dd>")
	}
	p.HTML("</dl></section>")
}
