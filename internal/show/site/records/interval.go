package records

import (
	"math"

	"stele/internal/show/site/markup"
	"stele/record"
)

var intervalForm = markup.Parse(`
	><path class="axis" d="M10 28H390"/><path class="null" d="M{null} 6V34"/><path class="range" d="M{lower} 20H{upper}"/>
	<circle r="5" cy="20" cx="{value}"/><text x="{null}" y="43">`)

// intervalPicture draws an estimate with its interval on a line, as forest plots do: ratios by
// their logarithm, around 1; differences around 0.
func (p *page) intervalPicture(x *record.EffectSize) {
	value, lower, upper := x.Value.Float(), x.Lower.Float(), x.Upper.Float()
	s, ok := newIntervalScale(value, lower, upper, isRatio(x.Measure))
	if !ok {
		return
	}
	p.HTML(`<svg class="interval" viewBox="0 0 400 44" role="img"`)
	p.Attr("aria-label", string(x.Value)+" ("+string(x.Lower)+"–"+string(x.Upper)+")")
	p.Draw(intervalForm, s.at(s.null), s.at(lower), s.at(upper), s.at(value), s.at(s.null))
	p.Either(s.null == 1, "1</text></svg>", "0</text></svg>")
}

// isRatio reports whether a measure is compared with 1 and not with 0.
func isRatio(measure string) bool {
	for i := 0; i+5 <= len(measure); i++ {
		if measure[i:i+5] == "ratio" || measure[i:i+5] == "Ratio" {
			return true
		}
	}
	return false
}

// intervalScale turns values into places on a line from 10 to 390.
type intervalScale struct {
	null, low, high float64
	log             bool
}

// newIntervalScale makes room for the interval and for the value that means no effect. Without an
// interval there is nothing to draw.
func newIntervalScale(value, lower, upper float64, ratio bool) (intervalScale, bool) {
	if math.IsNaN(value) || math.IsNaN(lower) || math.IsNaN(upper) || lower > upper {
		return intervalScale{}, false
	}
	s := intervalScale{log: ratio && lower > 0}
	if ratio {
		s.null = 1
	}
	s.low, s.high = s.along(min(lower, s.null)), s.along(max(upper, s.null))
	room := (s.high - s.low) * 0.08
	s.low, s.high = s.low-room, s.high+room
	return s, s.high > s.low && !math.IsInf(s.high-s.low, 0)
}

func (s intervalScale) along(v float64) float64 {
	if s.log {
		return math.Log(v)
	}
	return v
}

func (s intervalScale) at(v float64) float64 { return 10 + 380*(s.along(v)-s.low)/(s.high-s.low) }
