package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/lookup"
	"stele/record"
)

// Limits of what a chart draws.
const (
	hues       = 8  // lines that are drawn at first at most; each has a colour of its own
	fewLines   = 5  // where none of them is a region
	mostLines  = 60 // in one chart, with those that are drawn thin behind the others
	mostPanels = 24
)

// panel is a chart with one scale: series of one unit. What it shows is decided here once. The page
// draws it, and series.json tells the script the same.
type panel struct {
	all    []*series // they share their years
	shown  []*series // with a colour and a name each
	behind []*series // drawn thin
	label  string    // the unit
	small  bool      // whether its numbers can be read on a phone
	from   float64   // where the publisher lets the axis begin; NaN for zero
}

// panels divides series among charts: each unit has its own.
func panels(list []*series, from float64) (all []panel) {
	groups := byUnit(list)
	for _, group := range groups[:min(len(groups), mostPanels)] {
		shown, behind := pick(group)
		all = append(all, panel{all: group, shown: shown, behind: behind, label: group[0].label, from: from})
	}
	return all
}

// allPanels divides series among charts in which each is shown, where no script draws others anew.
func allPanels(list []*series, from float64) (all []panel) {
	for _, group := range byUnit(list) {
		for rest := group; len(all) < mostPanels; {
			shown, _ := pick(rest)
			if len(shown) == 0 {
				break
			}
			c := panel{all: group, shown: shown, label: group[0].label, small: len(shown) == 1, from: from}
			all = append(all, c)
			rest = slices.DeleteFunc(slices.Clone(rest), func(s *series) bool { return slices.Contains(shown, s) })
		}
	}
	return all
}

// byUnit divides series by their unit: the unit of the most series first, and of equally many in
// the order in which they appear.
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
	slices.SortStableFunc(groups, func(a, b []*series) int { return cmp.Compare(len(b), len(a)) })
	return groups
}

// pick chooses which series of a unit are shown at first: the world and its regions, or else the
// areas that readers know, unless these have few values, all in their newest edition; of those only
// such that can be read on one scale.
func pick(group []*series) (shown, behind []*series) {
	var drawn, regions []*series
	for _, s := range group {
		if s.top() >= 0 {
			drawn = append(drawn, s)
			if s.region && !s.older {
				regions = append(regions, s)
			}
		}
	}
	if len(regions) > 1 {
		shown = alike(regions)[:min(len(alike(regions)), hues)]
	} else {
		most := slices.DeleteFunc(slices.Clone(drawn), func(s *series) bool { return s.older })
		longest := 0
		for _, s := range most {
			longest = max(longest, len(s.values))
		}
		short := func(s *series) bool { return 2*len(s.values) < longest }
		slices.SortStableFunc(most, func(a, b *series) int {
			return cmp.Or(cmp.Compare(min(a.rank(), 1), min(b.rank(), 1)), compareBools(short(a), short(b)),
				cmp.Compare(a.unknown(), b.unknown()), cmp.Compare(len(b.values), len(a.values)))
		})
		shown = alike(most[:min(len(most), fewLines)])
	}
	for _, s := range drawn {
		if !slices.Contains(shown, s) && len(shown)+len(behind) < mostLines {
			behind = append(behind, s)
		}
	}
	return shown, behind
}

// wellKnown are the countries that most readers know, those of most people first.
const wellKnown = "IND CHN USA IDN PAK NGA BRA BGD RUS ETH MEX JPN EGY PHL COD VNM IRN TUR DEU GBR FRA"

// unknown returns how far behind others the area of a series is among those that readers know.
func (s *series) unknown() int {
	if i := strings.Index(wellKnown, s.areaKey); i >= 0 {
		return i
	}
	return len(wellKnown)
}

// muchLarger is how many times larger a series is than one that lies flat on the ground of its
// scale.
const muchLarger = 30

// alike returns the most series that can be read on one scale; of equally many, the largest.
func alike(list []*series) (best []*series) {
	for _, largest := range list {
		var some []*series
		for _, s := range list {
			if s.top() <= largest.top() && muchLarger*s.top() >= largest.top() {
				some = append(some, s)
			}
		}
		if len(some) > len(best) || len(some) == len(best) && largest.top() > highest(best) {
			best = some
		}
	}
	return best
}

func highest(list []*series) (top float64) {
	for _, s := range list {
		top = max(top, s.top())
	}
	return top
}

// top is the largest value that is drawn of a series, whatever its sign; -1 if there is none.
func (s *series) top() float64 {
	top := -1.0
	for i := range s.values {
		o := &s.values[i]
		if limit, _ := o.bound(); o.drawable() {
			top = max(top, math.Abs(o.value()))
		} else if !math.IsNaN(limit) {
			top = max(top, math.Abs(limit))
		}
	}
	return top
}

// headline returns the series that speaks for all: that of the world, or of the only area, as a
// whole if there is one; nil if areas are beside each other.
func headline(list []*series) *series {
	of := slices.DeleteFunc(slices.Clone(list), func(s *series) bool { return s.areaKey != lookup.World })
	if len(of) == 0 && !slices.ContainsFunc(list, func(s *series) bool { return s.areaKey != list[0].areaKey }) {
		of = slices.Clone(list)
	}
	of = slices.DeleteFunc(of, func(s *series) bool { return s.older || s.trend().latest == nil })
	if len(of) == 0 {
		return nil
	}
	of = byUnit(of)[0]
	return slices.MaxFunc(of, func(a, b *series) int { // of equal ones, the first
		return cmp.Or(compareBools(a.whole, b.whole), cmp.Compare(len(a.values), len(b.values)))
	})
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// extent is what a chart has to cover: the years of all its series, and the values of those that
// are shown. Values are measured from zero, so that lines are as high as what they stand for,
// unless the publisher wants the axis to begin elsewhere. Without any value there is nothing to
// draw.
func (c *panel) extent() (from, to, low, high float64, ok bool) {
	from, to, low, high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, o := range each(c.all) {
		if !math.IsNaN(o.size()) || !math.IsNaN(o.value()) && !math.IsNaN(o.at) {
			from, to = min(from, o.at), max(to, o.at)
		}
	}
	for _, o := range each(c.shown) {
		v := o.value()
		if limit, _ := o.bound(); !math.IsNaN(limit) {
			v = limit
		}
		if math.IsNaN(v) || math.IsNaN(o.at) {
			continue
		}
		low, high = min(low, v), max(high, v)
		if o.banded() {
			low, high = min(low, o.Lower.Float()), max(high, o.Upper.Float())
		}
	}
	switch {
	case math.IsNaN(c.from):
		low, high = min(low, 0), max(high, 0)
	case c.from <= low:
		low = c.from
	}
	return from, to, low, high, from <= to && low <= high && high-low < math.MaxFloat64
}

// drawable reports whether a line goes through a value: there is one, and it was not taken back.
func (o *observation) drawable() bool {
	return !math.IsNaN(o.value()) && !math.IsNaN(o.at) && !o.standing.Lost()
}

// joined reports whether value j, the next that is drawn after value i, is of the period that
// follows. Else a line would claim that something is known in between.
func (s *series) joined(i, j int) bool {
	if i < 0 || s.values[j].breaks() || s.values[j].at-s.values[i].at > 1.5*s.values[i].lasts {
		return false
	}
	return !slices.ContainsFunc(s.values[i+1:j], func(o observation) bool { return !o.drawable() })
}

// severed reports whether not even a dotted line leads from value i to value j: between them the
// series breaks, or there is a bound, which is a figure too.
func (s *series) severed(i, j int) bool {
	return slices.ContainsFunc(s.values[i+1:j+1], func(o observation) bool {
		limit, _ := o.bound()
		return o.breaks() || !math.IsNaN(limit)
	})
}

// uncertain reports whether a value is not the usual one: a chart draws it hollow.
func (o *observation) uncertain() bool { return slices.Contains(hollowStatuses, o.ObsStatus) }

// breaks reports whether the series is not comparable with what was before.
func (o *observation) breaks() bool {
	return o.changed != "" || slices.Contains(breakStatuses, o.ObsStatus)
}

var (
	hollowStatuses = []record.ObsStatus{
		record.StatusProvisional, record.StatusForecast, record.StatusLowReliability, record.StatusImputed,
		record.StatusExperimental, record.StatusUnvalidated,
	}
	breakStatuses = []record.ObsStatus{record.StatusBreak, record.StatusDefinitionDiffers}
)
