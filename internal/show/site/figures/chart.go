package figures

import (
	"hash/fnv"
	"math"
	"slices"

	"stele/record"
)

// Limits of what a chart draws.
const (
	namedLines = 8  // lines with a colour and a name of their own; others are drawn thin behind them
	mostLines  = 60 // in one chart
	mostPanels = 24
)

// panel is a chart with one scale: series of one unit, of about the same size. What it shows is
// decided here once. The page draws it, and series.json tells the script the same.
type panel struct {
	series []*series
	label  string    // the unit
	small  bool      // one of many
	of     []*series // what it shares its years with, if it is small
	from   float64   // where the publisher lets the axis begin; NaN for zero
}

// panels divides series among charts: each unit has its own. Series of sizes too different for one
// scale get a small chart each.
func panels(list []*series, from float64) []panel {
	var all []panel
	for _, group := range byUnit(list) {
		if len(group) == 1 || !tooDifferent(group) {
			all = append(all, panel{series: group[:min(len(group), mostLines)], label: group[0].label, from: from})
			continue
		}
		for _, s := range group {
			all = append(all, panel{series: []*series{s}, label: s.label, small: true, of: group, from: from})
		}
	}
	return all[:min(len(all), mostPanels)]
}

// byUnit divides series by their unit, in the order in which units appear.
func byUnit(list []*series) (groups [][]*series) {
	numbers := map[string]int{}
	for _, s := range list {
		i, ok := numbers[s.unit]
		if !ok {
			i = len(groups)
			numbers[s.unit] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// tooDifferent reports whether the smallest of some series would lie flat on the ground of a chart
// of the largest.
func tooDifferent(group []*series) bool {
	smallest, largest := math.Inf(1), 0.0
	for _, s := range group {
		smallest, largest = min(smallest, s.top()), max(largest, s.top())
	}
	return largest > muchLarger*smallest
}

// muchLarger is how many times larger a series is than one that cannot be read on its scale.
const muchLarger = 30

// top is the largest value of a series, whatever its sign.
func (s *series) top() float64 {
	top := 0.0
	for i := range s.values {
		if v := math.Abs(s.values[i].value()); v > top {
			top = v
		}
	}
	return top
}

// colorSeries gives each series of a unit a colour. It belongs to the area, so that it stays when
// others come and go, and is mostly the same for the next indicator. The first ones, which are
// drawn together, share none; of those that would look alike, all but the first are dashed.
func colorSeries(group []*series) {
	var taken [namedLines]bool
	var alike [namedLines]int
	for i, s := range group {
		h := fnv.New32a()
		h.Write([]byte(s.areaKey))
		c := int(h.Sum32() % namedLines)
		for i < namedLines && taken[c] {
			c = (c + 1) % namedLines
		}
		taken[c] = true
		s.color, s.dash = c, alike[c]%dashes
		alike[c]++
	}
}

// dashes is how many ways there are to draw a line.
const dashes = 4

// extent is what a chart has to cover. Values are measured from zero, so that lines are as high as
// what they stand for, unless the publisher wants the axis to begin elsewhere. Without any value
// there is nothing to draw.
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
	switch {
	case math.IsNaN(c.from):
		low, high = min(low, 0), max(high, 0)
	case c.from <= low:
		low = c.from
	}
	return from, to, low, high, from <= to && high-low < math.MaxFloat64
}

// findStep finds out how far apart the values of a series usually are, in years: the distance that
// is most common, and of equally common ones the shortest.
func (s *series) findStep() {
	counts := map[int64]int{}
	most := 0
	for i := 1; i < len(s.values); i++ {
		if d := s.values[i].at - s.values[i-1].at; d > 0 {
			day := int64(math.Round(d * 366))
			counts[day]++
			if n := counts[day]; n > most || n == most && d < s.step {
				most, s.step = n, d
			}
		}
	}
}

// drawable reports whether a line goes through a value: there is one, and it was not taken back.
func (o *observation) drawable() bool {
	return !math.IsNaN(o.value()) && !math.IsNaN(o.at) && !o.standing.Lost()
}

// joined reports whether the line goes on from value i to value j, the next that is drawn. It does
// not where a value between them is missing: a line would say that something is known there.
func (s *series) joined(i, j int) bool {
	if i < 0 || s.values[j].at-s.values[i].at > 1.5*s.step {
		return false
	}
	return !slices.ContainsFunc(s.values[i+1:j], func(o observation) bool { return !o.drawable() })
}

// uncertain reports whether a value is not the usual one: a chart draws it hollow.
func (o *observation) uncertain() bool { return slices.Contains(hollowStatuses, o.ObsStatus) }

// breaks reports whether the series is not comparable with what was before.
func (o *observation) breaks() bool { return slices.Contains(breakStatuses, o.ObsStatus) }

var (
	hollowStatuses = []record.ObsStatus{
		record.StatusProvisional, record.StatusForecast, record.StatusLowReliability, record.StatusImputed,
	}
	breakStatuses = []record.ObsStatus{record.StatusBreak, record.StatusDefinitionDiffers}
)
