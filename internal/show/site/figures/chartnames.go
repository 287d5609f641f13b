package figures

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"stele/internal/show/site/words"
)

// Room for names at the ends of lines, in the units of a chart.
const (
	letterWidth = 7.5 // of a name, about
	leaderWidth = 26  // from the end of the lines to the names
	nameShare   = .34 // of a chart's width, at most
)

// lineName is the name of a line, beside its end.
type lineName struct {
	series int
	y      float64
	endX   float64 // where the line ends
	endY   float64
}

// nameRoom is how wide the names of some series are.
func nameRoom(list []*series, width float64) float64 {
	longest := 0
	for _, s := range list {
		longest = max(longest, utf8.RuneCountInString(s.name()))
	}
	return min(leaderWidth+10+letterWidth*float64(longest), nameShare*width)
}

// lineNames writes the names of lines behind their ends, moved apart where they would cover each
// other, each with a thin line that leads to it.
func (p *page) lineNames(c *panel, x, y scale, right, room, ground float64) {
	var names []lineName
	for i, s := range c.shown {
		for j := len(s.values) - 1; j >= 0; j-- {
			if o := &s.values[j]; o.drawable() {
				at := y.at(o.value())
				names = append(names, lineName{i, at, x.at(o.at), at})
				break
			}
		}
	}
	spread(names, chartTop, ground)
	letters := int((room - leaderWidth) / letterWidth)
	for _, n := range names {
		class := lineClass(n.series)
		p.HTML(`<path`)
		p.Attr("class", "leader "+class)
		p.Draw(leaderForm, n.endX+5, n.endY, right+5, n.endY, right+leaderWidth-5, n.y)
		p.HTML(`<text`)
		p.Attr("class", "name "+class)
		p.Draw(lineNameForm, right+leaderWidth, n.y+4)
		p.label(words.Letters(c.shown[n.series].name(), letters))
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
