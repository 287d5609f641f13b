package records

import (
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// What a record rests on.
var (
	sourcesForm = markup.Parse(`<section id="sources"><h2>{head}</h2><ul class="sources">{list}</ul></section>

		`)
	sourceForm  = markup.Parse(`<li>{role} {record}{address}{locator}{quote}</li>`)
	locatorForm = markup.Parse(`<span class="locator"{lang}>{locator}</span>`)
	quoteForm   = markup.Parse(`
		<figure class="quote">
			<blockquote cite="{address}"><p>{text}</p></blockquote>
			<figcaption>{quoted}{locator}</figcaption>
		</figure>`)
)

// sources writes what the record rests on.
func (p *page) sources(e *record.Envelope) {
	if len(e.SourceLinks) == 0 {
		return
	}
	p.Fill(sourcesForm, markup.With("head", p.Words.Sources), markup.By("list", func() {
		for i := range e.SourceLinks[:min(len(e.SourceLinks), frame.Shown)] {
			p.source(&e.SourceLinks[i])
		}
	}))
}

func (p *page) source(l *record.SourceLink) {
	p.Fill(sourceForm, markup.By("role", func() { p.Badge(words.SourceRoles, string(l.Role)) }),
		markup.By("record", func() {
			if l.SourceID != "" {
				p.Link(string(l.SourceID))
				p.StandingBadge(p.StandingOf(string(l.SourceID)))
				p.HTML("<br>")
			}
		}),
		markup.By("address", func() { p.Outside(l.URL) }),
		markup.By("locator", func() {
			if l.Locator != "" {
				p.Fill(locatorForm, markup.By("lang", p.Lang), markup.With("locator", l.Locator))
			}
		}),
		markup.By("quote", func() { p.quote(l) }))
}

// quote writes what the source says, word for word. That it is quoted does not mean that it is
// true, or that it supports the record.
func (p *page) quote(l *record.SourceLink) {
	if l.Quote == nil {
		return
	}
	p.Fill(quoteForm, markup.With("address", string(l.URL)), markup.With("text", l.Quote.Text),
		markup.With("quoted", p.Words.Quoted),
		markup.By("locator", func() {
			if l.Quote.Locator != "" {
				p.Text(p.Words.Comma)
				p.Theirs(l.Quote.Locator)
			}
		}))
}
