package figures

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

// embedForm is the form of an indicator's chart for embedding in other pages. Its links open
// outside the frame, because no other page of the site may be framed.
var embedForm = markup.Parse(`
	<h1{lang}><a href="{address}" target="_blank">{name}</a></h1>
	{latest}
	{view}
	<p class="quiet credit">{source}: {sources}. {publisher}{comma}{date}{comma}{license}</p>
	{words}`)

// embedAddress returns the URL of the embeddable chart of x.
func embedAddress(x *lookup.Indicator) string {
	return layout.Address(layout.EmbedFolder) + x.Name + "/"
}

// writeEmbeds writes the embeddable pages of the indicators in list.
func (s *Section) writeEmbeds(list []*lookup.Indicator) error {
	return s.Each(len(list), func(i int) string { return layout.ResolveIndex(embedAddress(list[i])[1:]) },
		func(p *page, i int) { p.writeEmbedPage(list[i]) })
}

func (p *page) writeEmbedPage(x *lookup.Indicator) {
	list := p.seriesOf(x)
	p.Open(frame.Head{
		Title: x.Title, Description: x.Summary, Hidden: true, Canonical: p.Base + x.Address(), Bare: true,
		Scripts: []string{"chart.js"},
	})
	p.Fill(embedForm, markup.With("address", x.Address()), markup.With("name", x.Title),
		markup.By("latest", func() { p.writeLatest(list) }),
		markup.By("view", func() { p.writeCharts(x, list, func() {}) }),
		markup.With("source", p.Words.Script["source"]),
		markup.By("license", func() { p.WriteLicense(p.Settings.License) }),
		markup.By("sources", func() {
			for i, title := range p.sourceTitles(list) {
				if i > 0 {
					p.HTML("; ")
				}
				p.WritePublisherText(title)
			}
		}),
		markup.With("comma", p.Words.Comma), markup.By("publisher", func() { p.WritePublisherText(p.Settings.Publisher) }),
		markup.By("date", func() { p.WriteDate(lastChanged(list)) }), markup.By("words", p.WriteScriptWords))
	p.CloseBare()
}
