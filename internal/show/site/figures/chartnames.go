package figures

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"stele/internal/show/site/words"
)

// Section for names at the ends of lines, in units of the chart.
const (
	letterWidth = 7.5 // of a name, approximately
	leaderWidth = 26  // from the ends of the lines to the names
	endWidth    = 8   // from the end of a line that ended earlier to its name
	nameShare   = .34 // of the chart's width, at most
	nameApart   = 15  // between rows of names
)

// lineName is the name next to the end of a line, in one or two rows.
type lineName struct {
	series int
	rows   []string
	x, y   float64 // of the first row
	endX   float64 // of the end of the line
	end    float64
}

// middleOffset returns the distance between the first row of a name and its middle.
func (n *lineName) middleOffset() float64 { return float64(len(n.rows)-1) * nameApart / 2 }

// rowsOf returns name in one row, or in two if it has more than most letters and several words.
func rowsOf(name string, most int) []string {
	all := []rune(name)
	if len(all) > most {
		for at := min(most, len(all)-1); at > 0; at-- {
			if all[at] == ' ' {
				return []string{string(all[:at]), words.Letters(string(all[at+1:]), most)}
			}
		}
	}
	return []string{words.Letters(name, most)}
}

// nameRoom returns the width that the names of the series in list need.
func nameRoom(list []*series, width float64) float64 {
	longest := 0
	for _, s := range list {
		longest = max(longest, utf8.RuneCountInString(s.name()))
	}
	return min(leaderWidth+10+letterWidth*float64(longest), nameShare*width)
}

// drawLineNames writes the names of lines without overlaps. They are at the right of the chart,
// each connected to its line by a thin line. The name of a line that ended earlier is next to its
// end, because a long thin line would look like values.
func (p *page) drawLineNames(c *panel, x, y scale, room, ground float64) {
	letters, total := int((room-leaderWidth)/letterWidth), 0
	for _, s := range c.shown {
		total += len(rowsOf(s.name(), letters))
	}
	var names, ended []lineName
	for i, s := range c.shown {
		rows := rowsOf(s.name(), letters)
		if float64(total)*nameApart > ground-chartTop {
			rows = []string{words.Letters(s.name(), letters)}
		}
		for j := len(s.values) - 1; j >= 0; j-- {
			if o := &s.values[j]; !math.IsNaN(o.size()) {
				endX, at := x.at(o.at), y.at(o.size())
				if endX < x.to-2*leaderWidth {
					ended = append(ended, lineName{i, rows, endX + endWidth, at, endX, at})
				} else {
					names = append(names, lineName{i, rows, x.to + leaderWidth, at, endX, at})
				}
				break
			}
		}
	}
	spreadNames(names, chartTop, ground)
	spreadNames(ended, chartTop, ground)
	for i, n := range slices.Concat(names, ended) {
		class := lineClass(n.series)
		if i < len(names) {
			p.HTML(`<path`)
			p.Attr("class", "leader "+class)
			p.Draw(leaderForm, n.endX+5, n.end, n.x-5, n.y+n.middleOffset())
		}
		for i, row := range n.rows {
			p.HTML(`<text`)
			p.Attr("class", "name "+class)
			p.Draw(lineNameForm, n.x, n.y+4+float64(i)*nameApart)
			p.writeLabel(row)
		}
	}
}

// spreadNames moves names as little as necessary to avoid overlaps, within the chart.
func spreadNames(names []lineName, top, bottom float64) {
	slices.SortFunc(
		names,
		func(a, b lineName) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.series, b.series)) },
	)
	for i := range names {
		n := &names[i]
		n.y -= n.middleOffset()
		if i > 0 {
			n.y = max(n.y, names[i-1].y+nameApart*float64(len(names[i-1].rows)))
		}
	}
	limit := bottom
	for i := len(names) - 1; i >= 0; i-- {
		names[i].y = min(names[i].y, limit-2*names[i].middleOffset())
		limit = names[i].y - nameApart
	}
	if len(names) > 0 && names[0].y < top { // more names than room: from the top down
		at := top
		for i := range names {
			names[i].y = max(names[i].y, at)
			at += nameApart * float64(len(names[i].rows))
		}
	}
}
