package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/lookup"
	"stele/record"
)

// The limits of a chart.
const (
	hues       = 8  // maximum number of lines drawn at first; each has its own colour
	fewLines   = 5  // if none of them is a region
	mostLines  = 60 // in one chart, including thin lines behind the others
	mostPanels = 24
)

// panel is a chart with one scale, for series of one unit. It contains the series to show, which
// the page draws. For the script, series.json contains the same data.
type panel struct {
	all    []*series // with common years
	shown  []*series // with colours and names
	behind []*series // drawn thin
	label  string    // the unit
	small  bool      // whether its numbers must be readable on phones
	from   float64   // start of the axis, if the publisher sets it; NaN for zero
}

// shownPanels divides series into charts, one for each unit.
func shownPanels(list []*series, from float64) (all []panel) {
	groups := byUnit(list)
	for _, group := range groups[:min(len(groups), mostPanels)] {
		shown, behind := chooseShown(group)
		all = append(all, panel{all: group, shown: shown, behind: behind, label: group[0].label, from: from})
	}
	return all
}

// allPanels divides series into charts that show each of them, for pages without the script.
func allPanels(list []*series, from float64) (all []panel) {
	for _, group := range byUnit(list) {
		for rest := group; len(all) < mostPanels; {
			shown, _ := chooseShown(rest)
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

// byUnit groups series by unit: the unit of the most series first, then in order of appearance.
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

// chooseShown returns the series of a unit that are shown at first: the world and its regions, or
// otherwise well-known areas (unless they have few values), in their latest edition and readable on
// one scale. behind contains the other series.
func chooseShown(group []*series) (shown, behind []*series) {
	var drawn, regions []*series
	for _, s := range chooseSlice(group) {
		if s.largestValue() >= 0 {
			drawn = append(drawn, s)
			if s.region && !s.older {
				regions = append(regions, s)
			}
		}
	}
	if len(regions) > 1 {
		shown = onOneScale(regions)[:min(len(onOneScale(regions)), hues)]
	} else {
		most := slices.DeleteFunc(slices.Clone(drawn), func(s *series) bool { return s.older })
		longest := 0
		for _, s := range most {
			longest = max(longest, len(s.values))
		}
		short := func(s *series) bool { return 2*len(s.values) < longest }
		slices.SortStableFunc(most, func(a, b *series) int {
			return cmp.Or(cmp.Compare(min(a.rank(), 1), min(b.rank(), 1)), compareBools(short(a), short(b)),
				cmp.Compare(a.areaRank(), b.areaRank()), cmp.Compare(len(b.values), len(a.values)))
		})
		shown = onOneScale(most[:min(len(most), fewLines)])
	}
	for _, s := range drawn {
		if !slices.Contains(shown, s) && len(shown)+len(behind) < mostLines {
			behind = append(behind, s)
		}
	}
	return shown, behind
}

// needsSlice reports whether readers must choose a value of each dimension. They must if series of
// a unit are broken down, and there are several areas or more series than a chart has colours.
func needsSlice(group []*series) bool {
	broken := slices.ContainsFunc(group, func(s *series) bool { return len(s.by) > 0 && !s.whole })
	several := slices.ContainsFunc(group, func(s *series) bool { return s.areaKey != group[0].areaKey })
	return broken && (several || len(group) > hues)
}

// chooseSlice returns the series of a unit that readers choose from at first. These are all series
// or, if readers must choose a slice, the series without or otherwise with the most common
// breakdown.
func chooseSlice(group []*series) []*series {
	if !needsSlice(group) {
		return group
	}
	counts := map[string]int{}
	for _, s := range group {
		counts[s.breakdownNames()]++
	}
	first := slices.MaxFunc(group, func(a, b *series) int { // of equal ones, the first
		return cmp.Or(compareBools(a.whole, b.whole),
			cmp.Compare(counts[a.breakdownNames()], counts[b.breakdownNames()]))
	}).breakdownNames()
	return slices.DeleteFunc(slices.Clone(group), func(s *series) bool { return s.breakdownNames() != first })
}

// breakdownNames returns the dimensions that a series is broken down by, without its edition.
func (s *series) breakdownNames() string {
	var b strings.Builder
	for _, d := range s.by {
		if !d.Whole {
			b.WriteString(d.Name + "\x00" + d.Value + "\x00")
		}
	}
	return b.String()
}

// wellKnown lists the countries that most readers know, the most populous first.
const wellKnown = "IND CHN USA IDN PAK NGA BRA BGD RUS ETH MEX JPN EGY PHL COD VNM IRN TUR DEU GBR FRA"

// areaRank returns the rank of a series' area among well-known areas.
func (s *series) areaRank() int {
	if i := strings.Index(wellKnown, s.areaKey); i >= 0 {
		return i
	}
	return len(wellKnown)
}

// muchLarger is the factor by which a series must exceed another so that the other looks flat.
const muchLarger = 30

// onOneScale returns the largest group of series that is readable on one scale. If several groups
// have the same size, it returns the group with the largest values.
func onOneScale(list []*series) (best []*series) {
	for _, largest := range list {
		var some []*series
		for _, s := range list {
			if s.largestValue() <= largest.largestValue() && muchLarger*s.largestValue() >= largest.largestValue() {
				some = append(some, s)
			}
		}
		if len(some) > len(best) || len(some) == len(best) && largest.largestValue() > highest(best) {
			best = some
		}
	}
	return best
}

func highest(list []*series) (top float64) {
	for _, s := range list {
		top = max(top, s.largestValue())
	}
	return top
}

// largestValue returns the largest absolute value that charts draw of a series, or -1 if there is
// none.
func (s *series) largestValue() float64 {
	top := -1.0
	for i := range s.values {
		o := &s.values[i]
		if limit, _ := o.bound(); o.isDrawable() {
			top = max(top, math.Abs(o.value()))
		} else if !math.IsNaN(limit) {
			top = max(top, math.Abs(limit))
		}
	}
	return top
}

// representative returns the series that represents all series in list: the series of the world or
// of the only area, preferably without a breakdown. It returns nil if there are several areas.
func representative(list []*series) *series {
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

// extent returns the years of all series, and the range of the shown values. The range includes
// zero, so that heights are proportional, unless the publisher sets the start of the axis. ok is
// false if there are no values.
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
		if o.hasInterval() {
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

// isDrawable reports whether lines include the value: it exists and was not retracted.
func (o *observation) isDrawable() bool {
	return !math.IsNaN(o.value()) && !math.IsNaN(o.at) && !o.standing.IsLost()
}

// isJoined reports whether value j, which is drawn after value i, is of the next period. Otherwise,
// a line would suggest that values between them are known.
func (s *series) isJoined(i, j int) bool {
	if i < 0 || s.values[j].isBreak() || s.values[j].at-s.values[i].at > 1.5*s.values[i].lasts {
		return false
	}
	return !slices.ContainsFunc(s.values[i+1:j], func(o observation) bool { return !o.isDrawable() })
}

// isSeparated reports whether not even a dotted line connects values i and j, because of a break in
// the series or a bound between them.
func (s *series) isSeparated(i, j int) bool {
	return slices.ContainsFunc(s.values[i+1:j+1], func(o observation) bool {
		limit, _ := o.bound()
		return o.isBreak() || !math.IsNaN(limit)
	})
}

// isBreak reports whether the value is not comparable with earlier values.
func (o *observation) isBreak() bool {
	return o.changed != "" || slices.Contains(breakStatuses, o.ObsStatus)
}

var (
	hollowStatuses = []record.ObsStatus{
		record.StatusProvisional, record.StatusForecast, record.StatusLowReliability, record.StatusImputed,
		record.StatusExperimental, record.StatusUnvalidated,
	}
	breakStatuses = []record.ObsStatus{record.StatusBreak, record.StatusDefinitionDiffers}
)
