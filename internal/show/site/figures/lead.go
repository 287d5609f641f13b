package figures

import (
	"cmp"
	"slices"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

var leadForm = markup.Parse(`
	<section class="lead-chart"><h2><a href="{address}"{lang}>{name}</a></h2>
		<p>{latest}</p>
		<div class="still">{chart}</div>
	</section>`)

// Lead draws the indicator with the most values on the start page, for the world or for all areas.
func (s *Section) Lead(to *frame.Page) {
	p := &page{to, s}
	x := p.of.leadIndicator()
	if x == nil {
		return
	}
	line := p.spark(x)
	if line.stated == nil {
		return
	}
	p.Fill(leadForm, markup.With("address", x.Address()), markup.With("name", line.name),
		markup.By("latest", func() { p.writeSparkValue(line) }),
		markup.By("chart", func() {
			charts := shownPanels(p.seriesOf(x), p.of.axisFrom(x))
			if line.series != nil {
				charts = allPanels([]*series{line.series}, p.of.axisFrom(x))
			}
			for _, c := range charts[:min(1, len(charts))] {
				c.label, c.behind = "", nil // the unit is next to the value
				p.drawChart(&c, line.name)
			}
		}))
}

// leadIndicator returns the indicator with the most values, preferably one with values of the
// world; nil if there is none.
func (s *Section) leadIndicator() *lookup.Indicator {
	if len(s.Indicators) == 0 {
		return nil
	}
	return slices.MaxFunc(s.Indicators, func(a, b *lookup.Indicator) int {
		return cmp.Or(compareBools(slices.Contains(a.Areas, lookup.World), slices.Contains(b.Areas, lookup.World)),
			cmp.Compare(len(a.Records), len(b.Records)))
	})
}
