package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
)

// The measurements of a chart, in its own units. part-lines.js draws the same chart at any size,
// and a test compares both.
const (
	chartWidth  = 760
	chartHeight = 340
	smallWidth  = 400
	smallHeight = 180
	chartTop    = 14
	chartBottom = 26 // room for the years
	numberRoom  = 22 // on the left, in addition to the digits of the numbers
	digitWidth  = 7
)

// The forms of a chart.
var (
	chartForm = markup.Parse(`
		<figure class="{class}"><figcaption{lang}>{?name}<strong>{name}</strong> {/}{?unit}<span class="quiet">{unit}</span>{/}</figcaption>
			<svg role="img" viewBox="{box}" aria-label="{describes}">{picture}</svg>
			{?breaks}<p class="quiet note">{breaks}</p>{/}</figure>`)
	gridForm      = markup.Parse(`<path class="grid" d="M{x} {y}H{right}"/>`)
	tickForm      = markup.Parse(`<text class="tick" x="{x}" y="{y}">`)
	yearForm      = markup.Parse(`<text class="year" x="{x}" y="{y}">`)
	cutForm       = markup.Parse(`<path class="cut" d="M{x} {y}l4 -4l4 8l4 -8l4 4"/>`)
	aheadForm     = markup.Parse(`<text class="ahead" x="{x}" y="{y}">`)
	cutTextForm   = markup.Parse(`<text class="cut" x="{x}" y="{y}">`)
	breakForm     = markup.Parse(`<path d="M{x} {top}V{ground}"/>`)
	breakTextForm = markup.Parse(` x="{x}" y="{y}">`)
	boundForm     = markup.Parse(`<path class="bound" d="M{left} {y}h8M{x} {y}V{zero}"/>`)
	aboveForm     = markup.Parse(`<path class="bound" d="M{left} {y}h8M{x} {y}v-14m-3 4l3 -4l3 4"/>`)
	dotForm       = markup.Parse(`<circle r="3" cx="{x}" cy="{y}"/>`)
	hollowForm    = markup.Parse(`<circle r="3" cx="{x}" cy="{y}" class="hollow"/>`)
	lostForm      = markup.Parse(`<path class="lost" d="M{x} {y}l8 8m0 -8l-8 8"><title>`)
	leaderForm    = markup.Parse(` d="M{fromX} {fromY}L{x} {y}"/>`)
	lineNameForm  = markup.Parse(` x="{x}" y="{y}">`)
	pointForm     = markup.Parse(`{x} {y}`)
)

// drawChart draws c. The picture has a short name for screen readers, and the tables below it
// contain every value.
func (p *page) drawChart(c *panel, name string) {
	from, to, low, high, ok := c.extent()
	if !ok {
		return
	}
	class, box, width, height := "chart", "0 0 760 340", float64(chartWidth), float64(chartHeight)
	room := nameRoom(c.shown, width)
	if c.small {
		class, box, width, height, room = "chart small", "0 0 400 180", smallWidth, smallHeight, 12
	}
	ticks := roundTicks(low, high)
	longest := 0
	for _, v := range ticks {
		longest = max(longest, utf8.RuneCountInString(p.Words.Tick(v)))
	}
	left, right, ground := float64(numberRoom+digitWidth*longest), width-room, height-chartBottom
	x, y := scale{from, to, left, right}, scale{ticks[0], ticks[len(ticks)-1], ground, chartTop}
	breaks := p.breaksOf(c)
	p.Fill(chartForm, markup.With("class", class),
		markup.When(c.small && len(c.all) > 1, "name", func() { p.Text(c.shown[0].name()) }),
		markup.With("unit", c.label), markup.With("box", box), markup.With("describes", name+". "+p.chartSummary(c)),
		markup.When(len(breaks) > 0, "breaks", func() {
			for i, b := range breaks {
				p.Either(i > 0, " ", "")
				p.Text(b.text)
			}
		}),
		markup.By("picture", func() {
			p.drawGrid(x, y, ticks, height)
			p.drawBreaks(breaks, x, ground)
			p.drawAreaChanges(c, x, y, ground)
			if y.low > 0 || y.high < 0 {
				p.Draw(cutForm, left-14, ground)
				p.Draw(cutTextForm, left+8, ground-6)
				p.writeLabel(p.Words.Script["axisCut"])
			}
			p.labelForecasts(c, right)
			for _, s := range c.behind {
				if s.fits(y.low, y.high) {
					p.drawLine(s, x, y, -1)
				}
			}
			for i := len(c.shown) - 1; i >= 0; i-- { // the first one last, so that it is on top
				p.drawLine(c.shown[i], x, y, i)
			}
			if !c.small {
				p.drawLineNames(c, x, y, room, ground)
			}
		}))
}

// keys lists the classes of marks that have an explanation.
var keys = []string{"hollow", "projected", "break", "band", "gap", "bound", "lost", "turn", "step"}

// writeKey writes explanations of the marks in the output after offset since.
func (p *page) writeKey(since int) {
	for _, mark := range keys {
		if p.Wrote(since, `class="`+mark+`"`) {
			p.Text(p.Words.Keys[mark] + " ")
		}
	}
}

// labelForecasts marks the beginning of forecasts on the axis, if any are drawn.
func (p *page) labelForecasts(c *panel, right float64) {
	var first *observation
	for _, o := range each(c.shown) {
		if o.isDrawable() && o.latestValue().IsForecast() && (first == nil || o.at < first.at) {
			first = o
		}
	}
	if first != nil {
		p.Draw(aheadForm, right, chartTop-4)
		p.writeLabel(words.Fill(p.Words.Script["projected"], "year", p.Words.When(first.TimePeriod)))
	}
}

// seriesBreak is a period from which values are not comparable with earlier values.
type seriesBreak struct {
	at     float64
	period string
	text   string // the period, the areas unless all are concerned, and the reason
}

// breaksOf returns the breaks of the shown series, in order of time.
func (p *page) breaksOf(c *panel) (list []seriesBreak) {
	type event struct {
		at             float64
		period, reason string
	}
	areas := map[event][]string{}
	for _, s := range c.shown {
		for i := range s.values {
			if o := &s.values[i]; i > 0 && o.isBreak() && !math.IsNaN(o.at) {
				e := event{o.at, p.Words.When(o.TimePeriod), p.breakReason(o)}
				areas[e] = append(areas[e], s.name())
			}
		}
	}
	for e, names := range areas {
		whose := ""
		if len(names) < len(c.shown) {
			whose = " (" + strings.Join(names, "; ") + ")"
		}
		list = append(list, seriesBreak{e.at, e.period, e.period + whose + ": " + e.reason})
	}
	slices.SortFunc(list, func(a, b seriesBreak) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text))
	})
	return list
}

// breakReason returns the reason why o is not comparable with the previous value.
func (p *page) breakReason(o *observation) string {
	return cmp.Or(o.changed, o.Note, p.Words.Written(words.ObsStatuses, string(o.ObsStatus)))
}

// drawBreaks draws a line at each break, and labels it. The reasons are below the chart.
func (p *page) drawBreaks(list []seriesBreak, x scale, ground float64) {
	list = slices.CompactFunc(slices.Clone(list), func(a, b seriesBreak) bool { return a.at == b.at })
	for i, b := range list {
		at := x.at(b.at)
		p.HTML(`<g class="break">`)
		p.Draw(breakForm, at, chartTop, ground)
		class, place := "start", at+5
		if x.to-at < at-x.from {
			class, place = "end", at-5
		}
		p.HTML("<text")
		p.Attr("class", class)
		p.Draw(breakTextForm, place, chartTop+13+float64(i%3)*14)
		p.writeLabel(b.period)
		p.HTML("</g>")
	}
}

// fits reports whether all values of a series are between low and high.
func (s *series) fits(low, high float64) bool {
	for i := range s.values {
		if v := s.values[i].value(); v < low || v > high {
			return false
		}
	}
	return true
}

// writeLabel writes text in the picture, and ends its element.
func (p *page) writeLabel(text string) {
	p.Text(text)
	p.HTML("</text>")
}

func (p *page) drawGrid(x, y scale, ticks []float64, height float64) {
	for _, v := range ticks {
		p.Draw(gridForm, x.from-8, y.at(v), x.to)
		p.Draw(tickForm, x.from-14, y.at(v)+4)
		p.writeLabel(p.Words.Tick(v))
	}
	for _, v := range yearTicks(x.low, x.high, int(x.to)/70) {
		p.Draw(yearForm, x.at(v), height-6)
		p.writeLabel(p.Words.Localize(strconv.Itoa(int(v))))
	}
}

// lineClass returns the CSS class for the colour of a line, by its index among the shown lines.
func lineClass(i int) string {
	if i < 0 {
		return "other"
	}
	return "s" + strconv.Itoa(i%hues)
}

// drawLine draws s as line i: the interval band, the line (dotted across gaps), and marks.
func (p *page) drawLine(s *series, x, y scale, i int) {
	p.HTML("<g")
	p.Attr("class", lineClass(i))
	p.HTML(">")
	if i >= 0 {
		p.drawBand(s, x, y)
	}
	p.HTML(`<path class="line" d="`)
	var gaps, projected [][2]int
	last := -1
	for j := range s.values {
		o := &s.values[j]
		if !o.isDrawable() {
			continue
		}
		joined := s.isJoined(last, j)
		solid := joined && !o.latestValue().IsForecast()
		p.Either(solid, "L", "M")
		p.Draw(pointForm, x.at(o.at), y.at(o.value()))
		if !solid {
			p.HTML("h0") // a single value is a dot
		}
		switch {
		case joined && !solid:
			projected = append(projected, [2]int{last, j})
		case !joined && last >= 0 && !s.isSeparated(last, j):
			gaps = append(gaps, [2]int{last, j})
		}
		last = j
	}
	p.HTML(`"/>`)
	p.drawBridges("gap", s, x, y, gaps)
	p.drawBridges("projected", s, x, y, projected)
	if i >= 0 {
		p.drawMarks(s, x, y)
	}
	p.HTML("</g>")
}

// drawBridges draws lines across gaps, which are missing periods, or to forecasts.
func (p *page) drawBridges(class string, s *series, x, y scale, gaps [][2]int) {
	if len(gaps) == 0 {
		return
	}
	p.HTML("<path")
	p.Attr("class", class)
	p.HTML(` d="`)
	for _, gap := range gaps {
		a, b := &s.values[gap[0]], &s.values[gap[1]]
		p.HTML("M")
		p.Draw(pointForm, x.at(a.at), y.at(a.value()))
		p.HTML("L")
		p.Draw(pointForm, x.at(b.at), y.at(b.value()))
	}
	p.HTML(`"/>`)
}

// drawBand draws the intervals of a series, for each run of values with intervals.
func (p *page) drawBand(s *series, x, y scale) {
	for i := 0; i < len(s.values); {
		if !s.values[i].hasInterval() {
			i++
			continue
		}
		end := i + 1
		for end < len(s.values) && s.values[end].hasInterval() && s.isJoined(end-1, end) {
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

// mostDots is the maximum number of values of a line that have dots. More dots would hide the line.
const mostDots = 20

// hasDots reports whether each value of a series has a dot. Uncertain values always have a dot.
func (s *series) hasDots() bool { return len(s.values) <= mostDots }

func (o *observation) hasInterval() bool {
	return o.Lower != "" && o.Upper != "" && o.isDrawable()
}

// drawMarks draws a dot at each value (hollow if it is uncertain), a bar up to a bound, and a cross
// without a line for a retracted value.
func (p *page) drawMarks(s *series, x, y scale) {
	for j := range s.values {
		o := &s.values[j]
		v := o.value()
		limit, below := o.bound()
		switch at := x.at(o.at); {
		case below:
			p.Draw(boundForm, at-4, y.at(limit), at, y.at(limit), y.at(max(y.low, min(0, y.high))))
		case !math.IsNaN(limit):
			p.Draw(aboveForm, at-4, y.at(limit), at, y.at(limit))
		}
		if math.IsNaN(v) || math.IsNaN(o.at) {
			continue
		}
		if o.standing.IsLost() {
			p.Draw(lostForm, x.at(o.at)-4, y.at(v)-4)
			p.Text(p.Words.When(o.TimePeriod) + ": " + p.Words.Remark(o.latestValue()))
			p.HTML(`</title></path>`)
			continue
		}
		if slices.Contains(hollowStatuses, o.ObsStatus) {
			p.Draw(hollowForm, x.at(o.at), y.at(v))
		} else if s.hasDots() {
			p.Draw(dotForm, x.at(o.at), y.at(v))
		}
	}
}
