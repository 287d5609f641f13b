package site

import (
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// What identifies a record, and what else it has.
var (
	factsForm = markup.Parse(`<section><h2>{head}</h2><dl class="facts">{entries}</dl></section>`)
	factForm  = markup.Parse(`<dt>{name}</dt><dd>{value}</dd>`)
	codeForm  = markup.Parse(`<code>{text}</code>`)
	// of another site, for which this one does not vouch
	outsideForm   = markup.Parse(`<a href="{address}" rel="nofollow">{text}</a>`)
	ownMemberForm = markup.Parse(`<dt><code>{name}</code></dt><dd>{value}</dd>`)
)

// entry writes a name and what stands beside it.
func (p *page) entry(name string, value func()) {
	p.Fill(factForm, markup.With("name", name), markup.By("value", value))
}

// fact writes a name and a text, unless that is empty.
func (p *page) fact(name, text string) {
	if text != "" {
		p.entry(name, func() { p.theirs(text) })
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
			p.Fill(itemForm, markup.By("item", func() { write(item) }))
		}
		p.HTML("</ul>")
	})
}

// code writes a text as programs have it.
func (p *page) code(text string) { p.Fill(codeForm, markup.With("text", text)) }

// codes writes several, with commas between them.
func (p *page) codes(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.HTML(", ")
		}
		p.code(text)
	}
}

// dates writes when a record was verified, updated and published.
func (p *page) dates(e *record.Envelope) {
	for _, d := range []struct {
		name string
		date record.Date
	}{
		{p.words.Verified, e.VerificationDate},
		{p.words.Updated, e.UpdatedDate},
		{p.words.Published, e.PublishedDate},
	} {
		if d.date != "" {
			p.entry(d.name, func() { p.date(d.date) })
		}
	}
}

// facts writes what identifies a record, and what else its kind has.
func (p *page) facts(plan *plan, rec record.Record, stands standing.Standing) {
	e := rec.Common()
	p.Fill(factsForm, markup.With("head", p.words.Facts), markup.By("entries", func() {
		p.entry(p.words.ID, func() { p.code(string(e.ID)) })
		p.entry(p.words.Version, func() { p.Int(e.Version) })
		p.entry(p.words.Standing, func() { p.badge(words.Standings, stands.String()) })
		p.dates(e)
		if source, ok := rec.(*record.SourceObject); ok {
			p.entry(p.words.LicenseOfSource, func() { p.sourceLicense(source.SourceLicense) })
			p.entry(p.words.LicenseOfRecord, func() { p.license(p.licenseOf(e)) })
		} else {
			p.entry(p.words.License, func() { p.license(p.licenseOf(e)) })
		}
		p.detailList(plan.details, rec)
		p.classification(e)
	}))
	p.ownMembers(e)
}

// sourceLicense writes the licence under which a source stands, which is not that of the record
// about it.
func (p *page) sourceLicense(l *record.SourceLicense) {
	switch {
	case l == nil:
		p.Text(p.words.LicenseUnknown)
	case l.URL != "":
		p.Fill(outsideForm, markup.With("address", string(l.URL)), markup.By("text", func() { p.theirs(l.Name) }))
	default:
		p.theirs(l.Name)
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
	listed(p, p.words.Aliases, e.Aliases, p.theirs)
	listed(p, p.words.SeeAlso, e.SeeAlso, func(id record.ID) { p.link(string(id)) })
}

// ownMembers writes what the publisher added, as it was written.
func (p *page) ownMembers(e *record.Envelope) {
	if len(e.Extra) == 0 {
		return
	}
	const most = 2000 // of a value; the whole stands in the JSON
	p.Fill(factsForm, markup.With("head", p.words.OwnMembers), markup.By("entries", func() {
		for _, x := range e.Extra[:min(len(e.Extra), shown)] {
			p.Fill(ownMemberForm, markup.With("name", x.Name),
				markup.By("value", func() { p.theirs(words.First(x.JSON, most)) }))
		}
	}))
}
