package site

import (
	"math"
	"slices"
	"strconv"
)

// What a chart measures, in its own units.
const (
	chartWidth  = 760
	chartHeight = 340
	smallHeight = 180
	chartLeft   = 52 // room for the numbers
	chartTop    = 14
	chartBottom = 26  // room for the years
	labelRoom   = 170 // at the right, for the names of lines
	namedLines  = 8   // lines with a colour and a name of their own; others are drawn thin behind them
	mostLines   = 60  // in one chart
	mostPanels  = 24
)

// panel is a chart with one scale: series of one unit, of about the same size.
type panel struct {
	series []*series
	label  string    // the unit
	small  bool      // one of many
	of     []*series // what it shares its years with, if it is small
}

// panels divides series among charts: each unit has its own. Series of sizes too different for one
// scale get a small chart each.
func panels(list []*series) []panel {
	var units []string
	byUnit := map[string][]*series{}
	for _, s := range list {
		if !slices.Contains(units, s.unit) {
			units = append(units, s.unit)
		}
		byUnit[s.unit] = append(byUnit[s.unit], s)
	}
	var all []panel
	for _, unit := range units {
		group := byUnit[unit]
		if len(group) == 1 || !tooDifferent(group) {
			all = append(all, panel{series: group[:min(len(group), mostLines)], label: group[0].label})
			continue
		}
		for _, s := range group {
			all = append(all, panel{series: []*series{s}, label: s.label, small: true, of: group})
		}
	}
	return all[:min(len(all), mostPanels)]
}

// tooDifferent reports whether the smallest of some series would lie flat on the ground of a chart
// of the largest.
func tooDifferent(group []*series) bool {
	smallest, largest := math.Inf(1), 0.0
	for _, s := range group {
		top := 0.0
		for i := range s.values {
			if v := math.Abs(s.values[i].value()); v > top {
				top = v
			}
		}
		smallest, largest = min(smallest, top), max(largest, top)
	}
	return largest > 30*smallest
}

// extent is what a chart has to cover. Without any value there is nothing to draw.
func (c *panel) extent() (from, to, low, high float64, ok bool) {
	from, to, low, high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range c.series {
		for i := range s.values {
			o := &s.values[i]
			v := o.value()
			if math.IsNaN(v) || math.IsNaN(o.at) {
				continue
			}
			from, to = min(from, o.at), max(to, o.at)
			low, high = min(low, v), max(high, v)
			if o.Lower != "" && o.Upper != "" {
				low, high = min(low, o.Lower.Float()), max(high, o.Upper.Float())
			}
		}
	}
	if low > 0 && low < high/2 || low == high && low > 0 { // a line that could be read from the ground up
		low = 0
	}
	return from, to, low, high, from <= to && high-low < math.MaxFloat64
}

// chart draws a panel. The picture has a short name; the table below it says everything.
func (p *page) chart(c *panel, name string) {
	from, to, low, high, ok := c.extent()
	if !ok {
		return
	}
	if c.small { // the same years in all, so that they can be compared
		from, to, _, _, _ = (&panel{series: c.of}).extent()
	}
	height, width := float64(chartHeight), float64(chartWidth)
	right := width - labelRoom
	p.HTML(`<figure class="chart`)
	if c.small {
		height, width = smallHeight, 400
		right = width - 12
		p.HTML(` small`)
	}
	p.HTML(`"><figcaption>`)
	if c.small {
		p.HTML("<strong>")
		p.Text(c.series[0].name())
		p.HTML("</strong> ")
	}
	p.HTML(`<span class="quiet">`)
	p.Text(c.label)
	p.HTML(`</span></figcaption><svg role="img" viewBox="0 0 `)
	p.Float(width)
	p.HTML(" ")
	p.Float(height)
	p.HTML(`"`)
	p.Attr("aria-label", name+", "+c.describe())
	p.HTML(">")
	x := scale{from, to, chartLeft + 8, right}
	y, ticks := niceScale(low, high, height-chartBottom, chartTop, 5)
	p.grid(x, y, ticks, right, height)
	for i := len(c.series) - 1; i >= 0; i-- { // named ones last, and so on top
		p.line(c.series[i], x, y, i)
	}
	if !c.small {
		p.lineNames(c, y, right)
	}
	p.HTML("</svg></figure>\n")
}

// describe says in a few words what a chart shows.
func (c *panel) describe() string {
	if len(c.series) == 1 {
		return c.series[0].name() + ", " + c.label
	}
	return strconv.Itoa(len(c.series)) + " × " + c.label
}

// grid draws the axes.
func (p *page) grid(x, y scale, ticks []float64, right, height float64) {
	for _, v := range ticks {
		p.HTML(`<path class="grid" d="M52 `)
		p.Float(y.at(v))
		p.HTML("H")
		p.Float(right)
		p.HTML(`"/><text class="tick" x="46" y="`)
		p.Float(y.at(v) + 4)
		p.HTML(`">`)
		p.Text(tickText(v))
		p.HTML("</text>")
	}
	for _, v := range years(x.low, x.high, int(right)/70) {
		p.HTML(`<text class="year" x="`)
		p.Float(x.at(v))
		p.HTML(`" y="`)
		p.Float(height - 6)
		p.HTML(`">`)
		p.Text(strconv.Itoa(int(v)))
		p.HTML("</text>")
	}
}

// lineClass is the class that gives a line its colour: the first lines have one each.
func lineClass(i int) string {
	if i < namedLines {
		return "s" + strconv.Itoa(i)
	}
	return "other"
}

// line draws a series: its band of uncertainty, the line with gaps where values are missing, and
// marks.
func (p *page) line(s *series, x, y scale, i int) {
	p.HTML("<g")
	p.Attr("class", lineClass(i))
	p.HTML(">")
	p.band(s, x, y)
	p.HTML(`<path class="line" d="`)
	pen := false
	for j := range s.values {
		o := &s.values[j]
		v := o.value()
		if o.standing.Lost() { // the line passes it over
			continue
		}
		if math.IsNaN(v) || math.IsNaN(o.at) {
			pen = false
			continue
		}
		if pen {
			p.HTML("L")
		} else {
			p.HTML("M")
		}
		pen = true
		p.Float(x.at(o.at))
		p.HTML(" ")
		p.Float(y.at(v))
	}
	p.HTML(`"/>`)
	if i < namedLines {
		p.marks(s, x, y)
	}
	p.lost(s, x, y)
	p.HTML("</g>")
}

// band draws the intervals of a series where it has some, for each stretch of values that have one.
func (p *page) band(s *series, x, y scale) {
	for i := 0; i < len(s.values); {
		if !s.values[i].banded() {
			i++
			continue
		}
		end := i
		for end < len(s.values) && s.values[end].banded() {
			end++
		}
		p.HTML(`<path class="band" d="M`)
		for j := i; j < end; j++ {
			if j > i {
				p.HTML("L")
			}
			p.Float(x.at(s.values[j].at))
			p.HTML(" ")
			p.Float(y.at(s.values[j].Upper.Float()))
		}
		for j := end - 1; j >= i; j-- {
			p.HTML("L")
			p.Float(x.at(s.values[j].at))
			p.HTML(" ")
			p.Float(y.at(s.values[j].Lower.Float()))
		}
		p.HTML(`Z"/>`)
		i = end
	}
}

func (o *observation) banded() bool {
	return o.Lower != "" && o.Upper != "" && !math.IsNaN(o.value()) && !math.IsNaN(o.at) && !o.standing.Lost()
}

// marks draws a dot at each value: hollow where it is provisional or otherwise uncertain, and a bar
// across where the series breaks.
func (p *page) marks(s *series, x, y scale) {
	for j := range s.values {
		o := &s.values[j]
		v := o.value()
		if math.IsNaN(v) || math.IsNaN(o.at) || o.standing.Lost() {
			continue
		}
		if o.ObsStatus == "B" || o.ObsStatus == "D" {
			p.HTML(`<path class="break" d="M`)
			p.Float(x.at(o.at))
			p.HTML(" ")
			p.Float(y.at(v) - 9)
			p.HTML(`v18"/>`)
		}
		if len(s.values) > 40 && !o.uncertain() {
			continue
		}
		p.HTML(`<circle r="3" cx="`)
		p.Float(x.at(o.at))
		p.HTML(`" cy="`)
		p.Float(y.at(v))
		if o.uncertain() {
			p.HTML(`" class="hollow`)
		}
		p.HTML(`"/>`)
	}
}

// lost draws a cross where a value was taken back, apart from the line.
func (p *page) lost(s *series, x, y scale) {
	for j := range s.values {
		o := &s.values[j]
		if v := o.value(); o.standing.Lost() && !math.IsNaN(v) && !math.IsNaN(o.at) {
			p.HTML(`<path class="lost" d="M`)
			p.Float(x.at(o.at) - 4)
			p.HTML(" ")
			p.Float(y.at(v) - 4)
			p.HTML(`l8 8m0 -8l-8 8"><title>`)
			p.Text(string(o.TimePeriod) + ": " + wordOf(standings, o.standing.String()))
			p.HTML(`</title></path>`)
		}
	}
}
