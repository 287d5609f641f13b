package figures

import (
	"cmp"
	"slices"

	"stele/internal/show/site/words"
)

// lineName is the name of a line, beside its end.
type lineName struct {
	series int
	y      float64
}

// lineNames writes the names of the first lines where they end, moved apart where they would cover
// each other.
func (p *page) lineNames(c *panel, y scale, right float64) {
	var names []lineName
	for i := range min(len(c.series), namedLines) {
		values := c.series[i].values
		for j := len(values) - 1; j >= 0; j-- {
			if values[j].drawable() {
				names = append(names, lineName{i, y.at(values[j].value())})
				break
			}
		}
	}
	spread(names, chartTop, chartHeight-chartBottom)
	for _, n := range names {
		p.HTML(`<text`)
		p.Attr("class", "name "+lineClass(c.series[n.series], true))
		p.Draw(lineNameForm, right+10, n.y+4)
		p.label(words.Letters(c.series[n.series].name(), 20))
	}
}

// spread moves names apart so that none covers another, as little as is needed, within a chart.
func spread(names []lineName, top, bottom float64) {
	const apart = 15
	slices.SortFunc(
		names,
		func(a, b lineName) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.series, b.series)) },
	)
	for i := 1; i < len(names); i++ {
		names[i].y = max(names[i].y, names[i-1].y+apart)
	}
	limit := bottom
	for i := len(names) - 1; i >= 0; i-- {
		names[i].y = min(names[i].y, limit)
		limit = names[i].y - apart
	}
	if len(names) > 0 && names[0].y < top { // more names than room: from the top down
		for i := range names {
			names[i].y = max(names[i].y, top+float64(i)*apart)
		}
	}
}
