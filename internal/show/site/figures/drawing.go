package figures

import (
	"math"
	"strconv"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
)

// What a chart measures, in its own units.
const (
	chartWidth  = 760
	chartHeight = 340
	smallWidth  = 400
	smallHeight = 180
	chartLeft   = 52 // room for the numbers
	chartTop    = 14
	chartBottom = 26  // room for the years
	labelRoom   = 170 // at the right, for the names of lines
)

// A chart.
var (
	chartForm = markup.Parse(`
		<figure class="{class}"><figcaption{lang}>{name}<span class="quiet">{unit}</span></figcaption>
			<svg role="img" viewBox="{box}" aria-label="{describes}">{picture}</svg></figure>

		`)
	chartNameForm = markup.Parse(`<strong>{name}</strong> `)
	gridForm      = markup.Parse(`<path class="grid" d="M52 {y}H{right}"/>`)
	tickForm      = markup.Parse(`<text class="tick" x="46" y="{y}">`)
	yearForm      = markup.Parse(`<text class="year" x="{x}" y="{y}">`)
	cutForm       = markup.Parse(`<path class="cut" d="M46 {y}l4 -4l4 8l4 -8l4 4"><title>`)
	cutTextForm   = markup.Parse(`</title></path><text class="cut" x="68" y="{y}">`)
	breakForm     = markup.Parse(`<path class="break" d="M{x} {y}v18"/>`)
	dotForm       = markup.Parse(`<circle r="3" cx="{x}" cy="{y}"/>`)
	hollowForm    = markup.Parse(`<circle r="3" cx="{x}" cy="{y}" class="hollow"/>`)
	lostForm      = markup.Parse(`<path class="lost" d="M{x} {y}l8 8m0 -8l-8 8"><title>`)
	lineNameForm  = markup.Parse(` x="{x}" y="{y}">`)
	pointForm     = markup.Parse(`{x} {y}`)
)

// chart draws a panel. The picture has a short name; the table below it says everything.
func (p *page) chart(c *panel, name string) {
	from, to, low, high, ok := c.extent()
	if !ok {
		return
	}
	class, box, height, right := "chart", "0 0 760 340", float64(chartHeight), float64(chartWidth-labelRoom)
	if c.small { // the same years in all, so that they can be compared
		from, to, _, _, _ = (&panel{series: c.of}).extent()
		class, box, height, right = "chart small", "0 0 400 180", smallHeight, smallWidth-12
	}
	x := scale{from, to, chartLeft + 8, right}
	y, ticks := niceScale(low, high, height-chartBottom, chartTop, 5)
	p.Fill(chartForm, markup.With("class", class), markup.By("lang", p.Lang),
		markup.By("name", func() {
			if c.small {
				p.Fill(chartNameForm, markup.With("name", c.series[0].name()))
			}
		}),
		markup.With("unit", c.label), markup.With("box", box), markup.With("describes", name+", "+c.describe()),
		markup.By("picture", func() {
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
		}))
}

// describe says in a few words what a chart shows.
func (c *panel) describe() string {
	if len(c.series) == 1 {
		return c.series[0].name() + ", " + c.label
	}
	return strconv.Itoa(len(c.series)) + " × " + c.label
}

// label writes the text of a picture, and ends its element.
func (p *page) label(text string) {
	p.Text(text)
	p.HTML("</text>")
}

// grid draws the axes.
func (p *page) grid(x, y scale, ticks []float64, right, height float64) {
	for _, v := range ticks {
		p.Draw(gridForm, y.at(v), right)
		p.Draw(tickForm, y.at(v)+4)
		p.label(tickText(v))
	}
	for _, v := range years(x.low, x.high, int(right)/70) {
		p.Draw(yearForm, x.at(v), height-6)
		p.label(strconv.Itoa(int(v)))
	}
}

// cutMark marks an axis that does not begin at zero, and says so.
func (p *page) cutMark(ground float64) {
	p.Draw(cutForm, ground)
	p.Text(p.Words.Script.AxisCut)
	p.Draw(cutTextForm, ground-6)
	p.label(p.Words.Script.AxisCut)
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
		p.Draw(pointForm, x.at(o.at), y.at(o.value()))
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
			p.Draw(pointForm, x.at(s.values[j].at), y.at(s.values[j].Upper.Float()))
		}
		for j := end - 1; j >= i; j-- {
			p.HTML("L")
			p.Draw(pointForm, x.at(s.values[j].at), y.at(s.values[j].Lower.Float()))
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
			p.Draw(breakForm, x.at(o.at), y.at(v)-9)
		}
		if o.uncertain() {
			p.Draw(hollowForm, x.at(o.at), y.at(v))
		} else if s.dotted() {
			p.Draw(dotForm, x.at(o.at), y.at(v))
		}
	}
}

// lost draws a cross where a value was taken back, apart from the line.
func (p *page) lost(s *series, x, y scale) {
	for j := range s.values {
		o := &s.values[j]
		if v := o.value(); o.standing.Lost() && !math.IsNaN(v) && !math.IsNaN(o.at) {
			p.Draw(lostForm, x.at(o.at)-4, y.at(v)-4)
			p.Text(string(o.TimePeriod) + ": " + words.Written(words.Standings, o.standing.String()))
			p.HTML(`</title></path>`)
		}
	}
}
