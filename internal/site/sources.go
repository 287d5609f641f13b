package site

import "stele/record"

// sources writes what the record rests on.
func (p *page) sources(e *record.Envelope) {
	if len(e.SourceLinks) == 0 {
		return
	}
	p.HTML(`<section id="sources"><h2>`)
	p.Text(p.words.Sources)
	p.HTML(`</h2><ul class="sources">`)
	for i := range e.SourceLinks[:min(len(e.SourceLinks), shown)] {
		l := &e.SourceLinks[i]
		p.HTML("<li>")
		p.badge(sourceRoles, string(l.Role))
		p.HTML(" ")
		if l.SourceID != "" {
			p.link(string(l.SourceID))
			p.standingBadge(p.standingOf(string(l.SourceID)))
			p.HTML("<br>")
		}
		p.outside(l.URL)
		if l.Locator != "" {
			p.HTML(`<span class="locator">`)
			p.Text(l.Locator)
			p.HTML("</span>")
		}
		p.quote(l)
		p.HTML("</li>")
	}
	p.HTML("</ul></section>\n")
}

// quote writes what the source says, word for word. That it is quoted does not mean that it is
// true, or that it supports the record.
func (p *page) quote(l *record.SourceLink) {
	if l.Quote == nil {
		return
	}
	p.HTML(`<figure class="quote"><blockquote`)
	p.Attr("cite", string(l.URL))
	p.HTML("><p>")
	p.Text(l.Quote.Text)
	p.HTML("</p></blockquote><figcaption>")
	p.Text(p.words.Quoted)
	if l.Quote.Locator != "" {
		p.HTML(", ")
		p.Text(l.Quote.Locator)
	}
	p.HTML("</figcaption></figure>")
}
