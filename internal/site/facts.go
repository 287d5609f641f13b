package site

import "stele/record"

// facts writes what identifies a record, and what else its kind has.
func (p *page) facts(plan *plan, rec record.Record) {
	e := rec.Common()
	p.HTML("<section><h2>")
	p.Text(p.words.Facts)
	p.HTML(`</h2><dl class="facts"><dt>`)
	p.Text(p.words.ID)
	p.HTML("</dt><dd><code>")
	p.Text(string(e.ID))
	p.HTML("</code></dd><dt>")
	p.Text(p.words.Version)
	p.HTML("</dt><dd>")
	p.Int(e.Version)
	p.HTML("</dd>")
	for _, d := range []struct {
		name string
		date record.Date
	}{{p.words.Verified, e.VerificationDate}, {p.words.Updated, e.UpdatedDate}, {p.words.Published, e.PublishedDate}} {
		if d.date != "" {
			p.HTML("<dt>")
			p.Text(d.name)
			p.HTML("</dt><dd>")
			p.date(d.date)
			p.HTML("</dd>")
		}
	}
	p.HTML("<dt>")
	p.Text(p.words.License)
	p.HTML("</dt><dd>")
	p.license(p.licenseOf(e))
	p.HTML("</dd>")
	p.detailList(plan.details, rec)
	p.classification(e)
	p.HTML("</dl></section>")
	p.ownMembers(e)
}

func (p *page) licenseOf(e *record.Envelope) string {
	if e.License != "" {
		return e.License
	}
	return p.settings.License
}

// classification writes the subjects, other names and further reading.
func (p *page) classification(e *record.Envelope) {
	if len(e.Subjects) > 0 {
		p.HTML("<dt>")
		p.Text(p.words.Subjects)
		p.HTML("</dt><dd><ul>")
		for _, s := range e.Subjects[:min(len(e.Subjects), shown)] {
			p.HTML("<li>")
			p.Text(s.Scheme)
			p.HTML(" <code>")
			p.Text(s.Code)
			p.HTML("</code></li>")
		}
		p.HTML("</ul></dd>")
	}
	if len(e.Aliases) > 0 {
		p.HTML("<dt>")
		p.Text(p.words.Aliases)
		p.HTML("</dt><dd><ul>")
		for _, name := range e.Aliases[:min(len(e.Aliases), shown)] {
			p.HTML("<li>")
			p.Text(name)
			p.HTML("</li>")
		}
		p.HTML("</ul></dd>")
	}
	if len(e.SeeAlso) > 0 {
		p.HTML("<dt>")
		p.Text(p.words.SeeAlso)
		p.HTML("</dt><dd><ul>")
		for _, id := range e.SeeAlso[:min(len(e.SeeAlso), shown)] {
			p.HTML("<li>")
			p.link(string(id))
			p.HTML("</li>")
		}
		p.HTML("</ul></dd>")
	}
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
