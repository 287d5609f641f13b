package figures

import (
	"math"
	"strconv"

	"stele/internal/show/site/words"
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
)

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
	p.HTML(`"><figcaption`)
	p.Lang()
	p.HTML(">")
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
	if y.low > 0 || y.high < 0 {
		p.cutMark(height - chartBottom)
	}
	for i := len(c.series) - 1; i >= 0; i-- { // named ones last, and so on top
		p.line(c.series[i], x, y, i < namedLines)
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

// cutMark marks an axis that does not begin at zero, and says so.
func (p *page) cutMark(ground float64) {
	p.HTML(`<path class="cut" d="M46 `)
	p.Float(ground)
	p.HTML(`l4 -4l4 8l4 -8l4 4"><title>`)
	p.Text(p.Words.Script.AxisCut)
	p.HTML(`</title></path><text class="cut" x="68" y="`)
	p.Float(ground - 6)
	p.HTML(`">`)
	p.Text(p.Words.Script.AxisCut)
	p.HTML("</text>")
}

// lineClass is the class that gives a line its colour. Lines without a name are all of one.
func lineClass(s *series, named bool) string {
	switch {
	case !named:
		return "other"
	case s.dash > 0:
		return "s" + strconv.Itoa(s.color) + " d" + strconv.Itoa(s.dash)
	}
	return "s" + strconv.Itoa(s.color)
}

// line draws a series: its band of uncertainty, the line with gaps where nothing is known, and
// marks.
func (p *page) line(s *series, x, y scale, named bool) {
	p.HTML("<g")
	p.Attr("class", lineClass(s, named))
	p.HTML(">")
	if named {
		p.band(s, x, y)
	}
	p.HTML(`<path class="line" d="`)
	last := -1
	for j := range s.values {
		o := &s.values[j]
		if !o.drawable() {
			continue
		}
		joined := s.joined(last, j)
		p.Either(joined, "L", "M")
		p.Float(x.at(o.at))
		p.HTML(" ")
		p.Float(y.at(o.value()))
		if !joined {
			p.HTML("h0") // one that stands alone is a dot
		}
		last = j
	}
	p.HTML(`"/>`)
	if named {
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
		end := i + 1
		for end < len(s.values) && s.values[end].banded() && s.joined(end-1, end) {
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

// mostDots is how many values of a line have a dot each. More of them would hide it.
const mostDots = 40

// dotted reports whether each value of a series has a dot; uncertain ones always have.
func (s *series) dotted() bool { return len(s.values) <= mostDots }

func (o *observation) banded() bool {
	return o.Lower != "" && o.Upper != "" && o.drawable()
}

// marks draws a dot at each value: hollow where it is provisional or otherwise uncertain, and a bar
// across where the series breaks.
func (p *page) marks(s *series, x, y scale) {
	for j := range s.values {
		o := &s.values[j]
		v := o.value()
		if !o.drawable() {
			continue
		}
		if o.breaks() {
			p.HTML(`<path class="break" d="M`)
			p.Float(x.at(o.at))
			p.HTML(" ")
			p.Float(y.at(v) - 9)
			p.HTML(`v18"/>`)
		}
		if !s.dotted() && !o.uncertain() {
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
			p.Text(string(o.TimePeriod) + ": " + words.Written(words.Standings, o.standing.String()))
			p.HTML(`</title></path>`)
		}
	}
}
