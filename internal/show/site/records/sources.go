package records

import (
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the sources of a record.
var (
	sourcesForm = markup.Parse(`<section id="sources"><h2>{=Sources}</h2><ul class="sources">{list}</ul></section>`)
	sourceForm  = markup.Parse(`<li>{role} {?record}{record}<br>{/}{address}{?locator}<span class="locator"{lang}>{locator}</span>{/}{quote}</li>`)
	quoteForm   = markup.Parse(`
		<figure class="quote">
			<blockquote cite="{address}"><p>{text}</p></blockquote>
			<figcaption>{=Quoted}{?locator}{=Comma}{locator}{/}</figcaption>
		</figure>`)
)

func (p *page) writeSources(e *record.Envelope) {
	if len(e.SourceLinks) == 0 {
		return
	}
	p.Fill(sourcesForm, markup.Each("list", e.SourceLinks[:min(len(e.SourceLinks), frame.Shown)], p.writeSource))
}

func (p *page) writeSource(l record.SourceLink) {
	p.Fill(sourceForm, markup.By("role", func() { p.WriteBadge(words.SourceRoles, string(l.Role)) }),
		markup.When(l.SourceID != "", "record", func() { p.writeStandingLink(string(l.SourceID)) }),
		markup.By("address", func() { p.WriteExternalLink(l.URL) }), markup.With("locator", l.Locator),
		markup.By("quote", func() { p.writeQuote(l) }))
}

// writeQuote writes a verbatim quotation from the source. Showing it does not mean that it is true,
// or that it supports the record.
func (p *page) writeQuote(l record.SourceLink) {
	if l.Quote == nil {
		return
	}
	p.Fill(quoteForm, markup.With("address", string(l.URL)), markup.With("text", l.Quote.Text),
		markup.When(l.Quote.Locator != "", "locator", func() { p.WritePublisherText(l.Quote.Locator) }))
}
