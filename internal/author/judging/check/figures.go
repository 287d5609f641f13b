package check

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/internal/base/fold"
	"stele/internal/base/parallel/chunked"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// statistic contains the facts of a statistic until all records are added.
type statistic struct {
	key             figureKey
	series          uint64 // equal for all periods
	dimensions      uint64
	indicator, unit string
	value           float64 // NaN for none
}

// figureKey is a digest of the members that must be unique among statistics. It is long enough to
// avoid collisions among a hundred million statistics.
type figureKey [12]byte

// keyedStatistic is a statistic with its key. Keys are stored in lists by their first bits, and
// each list is sorted later. A map would need twice the memory.
type keyedStatistic struct {
	key    figureKey
	number int32
}

var figureSeed = maphash.MakeSeed()

// newStatistic returns the facts of s: indicator, area, period, dimensions, unit and vintage.
func newStatistic(s *record.HealthcareStatistic) *statistic {
	if s.Indicator == "" || s.RefArea == "" || s.TimePeriod == "" || s.Unit == "" {
		return nil
	}
	b, dimensions, series := s.AppendKey(make([]byte, 0, 128))
	x := &statistic{
		indicator: s.Indicator, unit: s.Unit, value: math.NaN(),
		dimensions: maphash.Bytes(figureSeed, b[:dimensions]), series: maphash.Bytes(figureSeed, b[:series]),
	}
	sum := sha256.Sum256(b)
	copy(x.key[:], sum[:])
	if s.Value != "" {
		x.value = s.Value.Float()
	}
	return x
}

// figures contains the indicators with their units, and the latest values of each series.
type figures struct {
	units  map[measuredIn]*firstAndCount
	series map[uint64]*latestValues
	jumps  []jump
}

// indicators contains all indicator codes, and by record number the index of its indicator, from 1.
type indicators struct {
	codes  []string
	number map[string]int32
	of     chunked.List[int32]
}

// measuredIn is an indicator in one unit and one breakdown.
type measuredIn struct {
	indicator, unit string
	dimensions      uint64
}

// firstAndCount contains the first of several statistics, and their number.
type firstAndCount struct{ first, count int32 }

// latestValues are the latest values of a series.
type latestValues struct {
	entry   [2]int32
	value   [2]float64
	count   int
	percent bool
	newest  jump // the last value if it is a jump; otherwise its entry is -1
}

// jump is a value that differs from its neighbors by a power of ten.
type jump struct {
	entry          int32
	value, another float64
}

// Indicator returns the indicator code of record n, or "" if it is not a statistic.
func (c *Checker) Indicator(n int32) string {
	if x := &c.indicators; n >= 0 && int(n) < x.of.Len() && *x.of.At(int(n)) > 0 {
		return x.codes[*x.of.At(int(n))-1]
	}
	return ""
}

// set stores the indicator of record n.
func (x *indicators) set(n int32, indicator string) {
	number, ok := x.number[indicator]
	if !ok { // the index must not keep the file's text
		indicator = strings.Clone(indicator)
		x.codes = append(x.codes, indicator)
		number = int32(len(x.codes))
		x.number[indicator] = number
	}
	for x.of.Len() < int(n) {
		x.of.Add(0)
	}
	x.of.Add(number)
}

func (f *figures) add(n int32, s *statistic) {
	m := measuredIn{s.indicator, s.unit, s.dimensions}
	seen := f.units[m]
	if seen == nil { // the index must not keep the file's text
		seen = &firstAndCount{first: n}
		f.units[measuredIn{strings.Clone(s.indicator), strings.Clone(s.unit), s.dimensions}] = seen
	}
	seen.count++
	if !(s.value > 0) {
		return
	}
	r := f.series[s.series]
	if r == nil {
		r = &latestValues{percent: scaleOf(s.unit) != ""}
		f.series[s.series] = r
	}
	r.newest.entry = -1
	if a, b := r.value[0], r.value[1]; r.count >= 2 {
		switch {
		case r.isOutlier(b, a, s.value):
			f.jumps = append(f.jumps, jump{r.entry[1], b, s.value})
		case r.isOutlier(s.value, a, b): // unless a similar value follows
			r.newest = jump{n, s.value, b}
		}
	}
	r.entry[0], r.value[0] = r.entry[1], r.value[1]
	r.entry[1], r.value[1] = n, s.value
	r.count++
}

// isOutlier reports whether a value differs by a power of ten from two others that agree. Counts
// may really rise tenfold; percentages do so only at the start of a series.
func (r *latestValues) isOutlier(value, a, b float64) bool {
	if value < 5*a && a < 5*value { // true for nearly all values
		return false
	}
	least, alike := 1.5, 0.04 // within a tenth
	if r.percent {
		least, alike = 0.5, 0.08
	}
	if math.Abs(math.Log10(a/b)) > alike || !r.percent && min(value, a) < 10 {
		return false
	}
	away := math.Log10(value / a)
	return math.Abs(away) > least && math.Abs(away-math.Round(away)) < alike
}

// scaleOf returns the scale of a unit that is a part of a whole, or "".
func scaleOf(unit string) string {
	switch unit {
	case "percent", "per cent", "per_cent", "per-cent", "percentage", "pct", "%", "Percent", "PERCENT":
		return "percent"
	case "proportion", "fraction", "share", "Proportion":
		return "proportion"
	}
	return ""
}

// checkFigures reports indicators with two spellings (STA06), mixed scales (STA07), and jumps
// (STA09).
func (x *index) checkFigures(report func(...schema.Problem)) {
	// the rarer spelling is most likely the wrong one
	all := slices.SortedFunc(maps.Keys(x.figures.units), func(a, b measuredIn) int {
		x, y := x.figures.units[a], x.figures.units[b]
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.first, y.first))
	})
	spelled := map[string]measuredIn{}
	for _, m := range all {
		folded := fold.Code(m.indicator)
		if first, ok := spelled[folded]; !ok {
			spelled[folded] = m
		} else if first.indicator != m.indicator {
			report(x.newProblem(codes.TwoSpellings, x.figures.units[m].first, "/indicator", schema.Pos{},
				fmt.Sprintf("the indicator is %+q here, but %+q in %s", m.indicator, first.indicator, x.locationOf(x.figures.units[first].first)),
				"use one spelling everywhere: the code of an indicator is part of its URL"))
		}
	}
	x.checkUnits(all, report)
	for _, r := range x.figures.series { // any order: reports are sorted later
		if r.newest.entry >= 0 && r.count > 2 {
			x.figures.jumps = append(x.figures.jumps, r.newest)
		}
	}
	for _, j := range x.figures.jumps {
		report(x.newProblem(codes.ValueJumps, j.entry, "/value", schema.Pos{},
			fmt.Sprintf("the value is %g, but a neighboring value in the series is %g", j.value, j.another),
			"check for a misplaced decimal point or another unit"+acceptHint(codes.ValueJumps, x.ID(j.entry))))
	}
}

// checkKeys reports duplicate statistics.
func (x *index) checkKeys(report func(...schema.Problem)) {
	for i := range x.keys {
		all := make([]keyedStatistic, 0, x.keys[i].Len())
		for k := range x.keys[i].All {
			all = append(all, *k)
		}
		slices.SortFunc(all, func(a, b keyedStatistic) int {
			return cmp.Or(bytes.Compare(a.key[:], b.key[:]), cmp.Compare(a.number, b.number))
		})
		first := 0
		for j, k := range all {
			if k.key != all[first].key {
				first = j
			}
			if j == first {
				continue
			}
			report(x.newProblem(codes.DuplicateStatistic, k.number, "", schema.Pos{},
				"duplicate indicator, area, period, dimensions, unit and vintage in "+x.locationOf(all[first].number),
				"delete one of the two, or distinguish them by a dimension; if they are from two editions of a source, by vintage"))
		}
	}
}

// checkUnits reports STA07.
func (x *index) checkUnits(all []measuredIn, report func(...schema.Problem)) {
	type scaled struct {
		indicator, scale string
		dimensions       uint64
	}
	scales := map[scaled]measuredIn{}
	for _, m := range all {
		scale := scaleOf(m.unit)
		key := scaled{fold.Code(m.indicator), cmp.Or(scale, fold.Code(m.unit)), m.dimensions}
		other := key
		if other.scale = "percent"; scale == "percent" {
			other.scale = "proportion"
		}
		first, ok := scales[key]
		if mixed, is := scales[other]; is && scale != "" {
			first, ok = mixed, true
		}
		if ok && first.unit != m.unit {
			report(x.newProblem(codes.MixedUnits, x.figures.units[m].first, "/unit", schema.Pos{},
				fmt.Sprintf("the unit of %s is %+q here, but %+q in %s", quoteText(m.indicator), m.unit, first.unit, x.locationOf(x.figures.units[first].first)),
				"use one unit and one spelling for all values of an indicator; use another indicator for another measure"))
		}
		if !ok {
			scales[key] = m
		}
	}
}

// acceptHint returns the end of a remedy: how to accept the warning.
func acceptHint(code codes.Code, id string) string {
	return fmt.Sprintf("; if it is right, accept it in stele.yaml: {code: %s, record: %s, reason: …}", code, id)
}

// checkValue reports STA09 for a changed statistic: a value that is ten times or a tenth of the old
// one, without an explanation.
func (h *History) checkValue(n int32, c *Change) {
	for _, d := range c.Differences {
		was, ok1 := d.Old.(json.Number)
		is, ok2 := d.New.(json.Number)
		if d.Pointer != "/value" || !ok1 || !ok2 {
			continue
		}
		a, b := math.Abs(record.Number(was).Float()), math.Abs(record.Number(is).Float())
		if a > 0 && b > 0 && (a >= 10*b || b >= 10*a) {
			h.report(codes.ValueJumps, n, "/value",
				fmt.Sprintf("the value was %s in release %s, now %s", was, h.release, is),
				"compare it with the source; a value in another unit needs a new record"+acceptHint(codes.ValueJumps, h.c.ID(n)))
		}
	}
}

// checkSuppressed reports STA11: a published figure that is now replaced by a bound or a status. It
// stays in the history unless it is redacted.
func (h *History) checkSuppressed(n int32, c *Change) {
	was, suppressed := any(nil), false
	for _, d := range c.Differences {
		switch {
		case d.Pointer == "/value" && d.New == nil:
			was = d.Old
		case d.Pointer == "/less_than" && d.Old == nil, d.Pointer == "/obs_status" && d.New == string(record.StatusSuppressed):
			suppressed = true
		}
	}
	if was != nil && suppressed && c.Redacted == nil {
		h.report(codes.SuppressedFigure, n, "/value",
			fmt.Sprintf("the value was %v in release %s and is now suppressed, but the history still shows it", was, h.release),
			fmt.Sprintf("if it must be secret, redact it: stele redact %s --versions %s --reason … (the ID of a release made without a secret, and its signed entry, still confirm a guess)", h.c.ID(n), settings.Versions(1, c.Was.Version))+
				strings.Replace(acceptHint(codes.SuppressedFigure, h.c.ID(n)), "if it is right", "if the figure may be public", 1))
	}
}

// grounds are the members that a label or a decision depends on.
var grounds = []string{"evidence", "label_basis", "effect", "finding", "options", "considerations"}

// checkLabel reports LBL04: a label or a decision that changed without an explanation.
func (h *History) checkLabel(n int32, c *Change) {
	for _, d := range c.Differences {
		name := strings.TrimPrefix(d.Pointer, "/")
		switch name {
		case "evidence_label", "decision_label", "chosen_option_id":
		default:
			continue
		}
		if d.Old == nil || c.isExplained(name) || slices.ContainsFunc(grounds, c.differsIn) {
			continue
		}
		is := "gone"
		if d.New != nil && d.New != "" {
			is = fmt.Sprint(d.New)
		}
		h.report(codes.LabelChanged, n, "/"+name, fmt.Sprintf("%s was %v in release %s, now %s, without an explanation", name, d.Old, h.release, is),
			"if it was wrong, add a correction that names it (stele correct "+h.c.ID(n)+" --fields "+name+" --summary …); if a source changed it, a source update"+acceptHint(codes.LabelChanged, h.c.ID(n)))
	}
}
