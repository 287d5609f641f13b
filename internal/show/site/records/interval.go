package records

import (
	"math"
	"strconv"
	"strings"

	"stele/internal/show/site/markup"
	"stele/record"
)

var (
	intervalForm = markup.Parse(`
		><path class="axis" d="M10 28H390"/><path class="null" d="M{null} 4V34"/><path class="range" d="M{lower} 16H{upper}"/>
		<circle r="5" cy="16" cx="{value}"/>`)
	intervalTickForm = markup.Parse(`<path class="axis" d="M{x} 28V33"/><text x="{x}" y="45">`)
	intervalKeyForm  = markup.Parse(`<p class="quiet">{null} {=EffectNull}.{scale}</p>`)
)

// drawIntervalPicture draws an estimate with its interval like a forest plot: ratios on a
// logarithmic scale around 1, differences around 0. The meaning of each side is written below.
func (p *page) drawIntervalPicture(x *record.EffectSize) {
	value, lower, upper := x.Value.Float(), x.Lower.Float(), x.Upper.Float()
	s, ok := newIntervalScale(value, lower, upper, isRatio(x.Measure))
	if !ok {
		return
	}
	p.HTML(`<svg class="interval" viewBox="0 0 400 64" role="img"`)
	p.Attr("aria-label", p.Words.Localize(string(x.Value))+" ("+p.Words.Localize(string(x.Lower))+"–"+p.Words.Localize(string(x.Upper))+")")
	p.Draw(intervalForm, s.at(s.null), s.at(lower), s.at(upper), s.at(value))
	for _, v := range s.ticks() {
		p.Draw(intervalTickForm, s.at(v), s.at(v))
		p.Text(p.Words.Localize(strconv.FormatFloat(v, 'g', 6, 64)))
		p.HTML("</text>")
	}
	of := ""
	if p.Words.Tag == "en" { // derived from the English measure
		of = ratioOf(x.Measure)
	}
	if s.at(s.null) > 100 {
		p.HTML(`<text class="start" x="10" y="61">`)
		p.Text("← " + p.Words.EffectLower + of)
		p.HTML("</text>")
	}
	if s.at(s.null) < 300 {
		p.HTML(`<text class="end" x="390" y="61">`)
		p.Text(p.Words.EffectHigher + of + " →")
		p.HTML("</text>")
	}
	p.HTML("</svg>")
	p.Fill(intervalKeyForm, markup.With("null", p.Words.Localize(strconv.Itoa(int(s.null)))),
		markup.When(s.log, "scale", func() { p.Text(" " + p.Words.EffectLog) }))
}

// isRatio reports whether the null value of measure is 1, not 0.
func isRatio(measure string) bool { return strings.Contains(strings.ToLower(measure), "ratio") }

// ratioOf returns the sort of ratio that measure is, such as risk or odds, with a leading space. It
// returns "" for other measures.
func ratioOf(measure string) string {
	before, _, ok := strings.Cut(strings.ToLower(measure), " ratio")
	if name := before[strings.LastIndexByte(before, ' ')+1:]; ok && name != "" {
		return " " + name
	}
	return ""
}

// intervalScale maps values to positions on a line from 10 to 390.
type intervalScale struct {
	null, low, high float64
	log             bool
}

// newIntervalScale returns a scale with room for the interval and the null value. It returns false
// if there is no interval.
func newIntervalScale(value, lower, upper float64, ratio bool) (intervalScale, bool) {
	if math.IsNaN(value) || math.IsNaN(lower) || math.IsNaN(upper) || lower > upper {
		return intervalScale{}, false
	}
	s := intervalScale{log: ratio && lower > 0}
	if ratio {
		s.null = 1
	}
	s.low, s.high = s.fraction(min(lower, s.null)), s.fraction(max(upper, s.null))
	room := (s.high - s.low) * 0.08
	s.low, s.high = s.low-room, s.high+room
	return s, s.high > s.low && !math.IsInf(s.high-s.low, 0)
}

func (s intervalScale) fraction(v float64) float64 {
	if s.log {
		return math.Log(v)
	}
	return v
}

func (s intervalScale) at(v float64) float64 { return 10 + 380*(s.fraction(v)-s.low)/(s.high-s.low) }

// mostTicks is the maximum number of numbers that fit below the line.
const mostTicks = 8

// ticks returns the numbers below the line. On a logarithmic scale, these are 1, 2 and 5 times each
// power of ten, or all or some powers. On a linear or short scale, they have equal steps.
func (s intervalScale) ticks() (list []float64) {
	if !s.log {
		return steps(s.low, s.high)
	}
	first, last := math.Floor(s.low/math.Ln10), math.Ceil(s.high/math.Ln10)
	for _, digits := range [][]float64{{1, 2, 5}, {1}} {
		switch list = s.powers(first, last, 1, digits); {
		case len(list) < 3:
			return steps(math.Exp(s.low), math.Exp(s.high))
		case len(list) <= mostTicks:
			return list
		}
	}
	return s.powers(first, last, math.Ceil((last-first)/mostTicks), []float64{1})
}

// steps returns round numbers between low and high.
func steps(low, high float64) (list []float64) {
	size := math.Pow(10, math.Floor(math.Log10(high-low))-1)
	for _, times := range []float64{1, 2, 5, 10, 20, 50} {
		first, last := math.Ceil(low/(size*times)), math.Floor(high/(size*times))
		if last-first >= mostTicks {
			continue
		}
		for n := first; n <= last; n++ {
			list = append(list, n*size*times+0) // without negative zero
		}
		break
	}
	return list
}

// powers returns the multiples of powers of ten that are on the line.
func (s intervalScale) powers(first, last, step float64, digits []float64) (list []float64) {
	for n := first; n <= last; n += step {
		for _, d := range digits {
			if v := d * math.Pow(10, n); s.fraction(v) >= s.low && s.fraction(v) <= s.high {
				list = append(list, v)
			}
		}
	}
	return list
}
