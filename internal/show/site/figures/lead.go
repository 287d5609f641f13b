package figures

import (
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

var leadForm = markup.Parse(`
	<section class="lead-chart"><h2><a href="{address}"{lang}>{name}</a></h2>
		<p>{latest}</p>
		<div class="still">{chart}</div>
	</section>`)

// Lead draws one indicator for the first page, the one with the most values: for the world, or for
// the area that has the most to say.
func (s *Room) Lead(to *frame.Page) {
	p := &page{to, s}
	x := p.of.leading()
	if x == nil {
		return
	}
	line := p.spark(x)
	if line.series == nil {
		return
	}
	p.Fill(leadForm, markup.With("address", x.Address()), markup.With("name", line.name),
		markup.By("latest", func() { p.sparkValue(line) }),
		markup.By("chart", func() {
			for _, c := range allPanels([]*series{line.series}, p.of.axisFrom(x)) {
				c.label = "" // it stands beside the value
				p.chart(&c, line.name)
			}
		}))
}

// leading is the indicator with the most values; nil if there is none.
func (s *Room) leading() (x *lookup.Indicator) {
	for _, of := range s.Indicators {
		if x == nil || len(of.Records) > len(x.Records) {
			x = of
		}
	}
	return x
}
