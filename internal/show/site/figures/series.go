package figures

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/sheet/areas"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// series contains the values of an indicator for one area, breakdown and unit, in order of time.
type series struct {
	key     string
	area    string
	areaKey string
	detail  string  // the breakdown in words: "sex: all"
	slice   *string // the breakdown without the edition, if it is the latest of several editions
	address string  // its name in addresses, if it is an edition
	whole   bool    // whether it is not a breakdown
	by      []lookup.Dimension
	vintage record.Period
	edition bool    // whether the name contains it, because another series would have the same name
	older   bool    // whether a later edition has newer values of the same
	newer   *series // the latest edition of the same, if it is another one
	unit    string
	label   string        // the unit in words
	region  bool          // whether the area is larger than a country
	scheme  *areas.Scheme // the publisher's scheme that has the area; or nil
	code    *areas.Code   // in the scheme; or nil
	values  []observation
	measure record.Measure
}

// observation is a statistic in the form that charts and tables need.
type observation struct {
	ID                  record.ID
	TimePeriod          record.Period
	Value, Lower, Upper record.Number
	*common
	at       float64 // beginning of its period, in years
	lasts    float64 // length of its period, in years
	standing standing.Standing
	text     string // what replaces the value: a bound, or the meaning of a code
	changed  string // how the method changed since the previous value, or ""
}

// each yields the values of the series in list.
func each(list []*series) iter.Seq2[*series, *observation] {
	return func(yield func(*series, *observation) bool) {
		for _, s := range list {
			for i := range s.values {
				if !yield(s, &s.values[i]) {
					return
				}
			}
		}
	}
}

// common contains the data that consecutive statistics usually share. It is stored once, because an
// indicator may have half a million statistics.
type common struct {
	marks
	Decimals    *int64
	SourceLinks []record.SourceLink
	happened    *record.Envelope // if it has a history beyond its first version; else nil
}

type marks struct {
	LessThan, GreaterThan, Level                 record.Number
	Code, Note, limits                           string
	ObsStatus                                    record.ObsStatus
	Interval                                     record.Interval
	VerificationDate, PublishedDate, UpdatedDate record.Date
}

func (c *common) alike(d *common) bool {
	decimals := c.Decimals == d.Decimals || c.Decimals != nil && d.Decimals != nil && *c.Decimals == *d.Decimals
	return decimals && c.marks == d.marks && slices.Equal(c.SourceLinks, d.SourceLinks) && c.happened == d.happened
}

// newObservation returns the data in st for pages. It shares equal data with before, if not nil.
func newObservation(st *record.HealthcareStatistic, is standing.Standing, before *common) observation {
	c := &common{Decimals: st.Decimals, SourceLinks: st.SourceLinks, marks: marks{
		LessThan: st.LessThan, GreaterThan: st.GreaterThan, Level: st.Level, Code: st.Code, Note: st.Note,
		ObsStatus: st.ObsStatus, Interval: st.Interval, VerificationDate: st.VerificationDate,
		PublishedDate: st.PublishedDate, UpdatedDate: st.UpdatedDate,
	}}
	if st.ClaimBoundary != nil {
		c.limits = st.ClaimBoundary.Statement
	}
	if st.Version > 1 || len(st.Corrections)+len(st.SourceUpdates) > 0 || st.Note != "" {
		c.happened = &st.Envelope
	}
	if before != nil && c.alike(before) {
		c = before
	}
	o := observation{common: c, at: beginYear(st.TimePeriod), lasts: lengthInYears(st.TimePeriod), standing: is}
	// one text for all five, which does not refer to the record
	all := string(st.ID) + string(st.TimePeriod) + string(st.Value+st.Lower+st.Upper)
	cut := func(n int) (part string) {
		part, all = all[:n], all[n:]
		return part
	}
	o.ID, o.TimePeriod = record.ID(cut(len(st.ID))), record.Period(cut(len(st.TimePeriod)))
	o.Value, o.Lower, o.Upper = record.Number(cut(len(st.Value))), record.Number(cut(len(st.Lower))), record.Number(all)
	return o
}

// name returns the name of the series' line in a chart.
func (s *series) name() string {
	if s.detail == "" {
		return s.area
	}
	return s.area + ", " + s.detail
}

// readSeries returns the series of the statistics of one indicator with the given indexes.
func (p *page) readSeries(numbers []int32) []*series {
	k := record.KindNamed(record.KindHealthcareStatistic)
	return p.readSorted(func(yield func(*record.HealthcareStatistic, standing.Standing) bool) {
		for _, i := range numbers {
			if !yield(p.Statistic(int(i)), p.Records.Standing(k, int(i)).Standing) {
				return
			}
		}
	})
}

// readSorted returns the series of all, the statistics of one indicator: the world first, then its
// regions, then all other areas by name.
func (p *page) readSorted(all iter.Seq2[*record.HealthcareStatistic, standing.Standing]) []*series {
	byKey := map[string]*series{}
	var list []*series
	var measure record.Measure
	var before *common
	for st, is := range all {
		key := st.SeriesKey()
		s := byKey[key]
		if s == nil {
			s = &series{
				key: key, area: p.AreaOf(st), areaKey: strings.Clone(st.RefAreaScheme.Key(st.RefArea)),
				detail: p.Breakdown(st), by: p.Dimensions(st), unit: st.Unit, label: st.UnitLabel, region: isRegion(st),
				vintage: st.Vintage,
			}
			if s.scheme = p.SchemeOf(st); s.scheme != nil {
				s.code = s.scheme.Code(st.RefArea)
			}
			if s.code == nil {
				s.scheme = nil
			}
			s.whole = s.detail == ""
			byKey[key] = s
			list = append(list, s)
		}
		if x := p.IndicatorCalled(st.Indicator); x != nil { // nil if it could not be read
			measure = *x.Measure
		}
		o := newObservation(st, is, before)
		o.text, before = p.Words.Replacement(st, measure.Codes), o.common
		s.values = append(s.values, o)
	}
	for _, s := range list {
		slices.SortStableFunc(s.values, func(a, b observation) int {
			return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(string(a.TimePeriod), string(b.TimePeriod)))
		})
		s.measure = measure
		s.markBreaks(measure.Breaks)
	}
	p.nameVintages(list)
	sortSeries(list)
	return list
}

func sortSeries(list []*series) {
	slices.SortFunc(list, func(a, b *series) int {
		return cmp.Or(
			cmp.Compare(a.rank(), b.rank()),
			strings.Compare(a.area, b.area),
			cmp.Compare(b.vintage, a.vintage), // the newest edition first
			strings.Compare(a.name(), b.name()),
			strings.Compare(a.key, b.key),
		)
	})
}

// markBreaks marks the values at which the method changed.
func (s *series) markBreaks(breaks []record.MeasureBreak) {
	for _, b := range breaks {
		since := beginYear(b.TimePeriod)
		for i := 1; i < len(s.values); i++ {
			if s.values[i-1].at < since && since <= s.values[i].at {
				s.values[i].changed = b.Summary
			}
		}
	}
}

// last returns the period of the latest value of s, even if that value is missing.
func (s *series) last() (newest record.Period) {
	if n := len(s.values); n > 0 {
		newest = s.values[n-1].TimePeriod
	}
	return newest
}

// has reports whether s contains an observation for period. s can be nil.
func (s *series) has(period record.Period) bool {
	return s != nil && slices.ContainsFunc(s.values, func(o observation) bool { return o.TimePeriod == period })
}

// nameVintages adds the edition to names that would be ambiguous, and marks older editions.
func (p *page) nameVintages(list []*series) {
	counts, newest := map[string]int{}, map[[3]string]*series{}
	of := func(s *series) [3]string { return [3]string{s.areaKey, s.detail, s.unit} }
	for _, s := range list {
		counts[s.unit+"\x00"+s.name()]++
		if n := newest[of(s)]; n == nil || s.vintage > n.vintage {
			newest[of(s)] = s
		}
	}
	for _, s := range list {
		if n := newest[of(s)]; n.vintage > s.vintage {
			s.newer = n
		}
	}
	for _, s := range list {
		n := s.newer
		if n == nil || n.last() < s.last() {
			continue
		}
		if n.trend().latest == nil && s.trend().latest != nil { // n withdraws values and has none itself
			n.older = true
			continue
		}
		s.older = true
	}
	for _, s := range list {
		if s.vintage != "" && counts[s.unit+"\x00"+s.name()] > 1 {
			s.edition = true
		}
	}
	for _, s := range list {
		if s.edition {
			s.address = s.areaKey + ":" + strings.TrimPrefix(s.detail+", "+string(s.vintage), ", ")
			edition := words.Fill(p.Words.Edition, "period", p.Words.When(s.vintage))
			if breakdown := s.detail; !s.older {
				s.slice = &breakdown
			}
			s.detail = strings.TrimPrefix(s.detail+", "+edition, ", ")
		}
	}
}

// rank returns 0 for the world, 1 for a region and 2 for any other area.
func (s *series) rank() int {
	switch {
	case s.areaKey == lookup.World:
		return 0
	case s.region:
		return 1
	}
	return 2
}

// isRegion reports whether st is for the world or a region that is not a country: its area is an
// entity, or a UN M49 code without a country.
func isRegion(st *record.HealthcareStatistic) bool {
	return st.RefAreaScheme == record.SchemeEntity ||
		st.RefAreaScheme == record.SchemeUNM49 && st.RefAreaScheme.Key(st.RefArea) == st.RefArea
}

func (o *observation) version() int64 {
	if o.happened == nil {
		return 1
	}
	return o.happened.Version
}

// value returns the observation's value, or NaN.
func (o *observation) value() float64 {
	if o.Value == "" {
		return math.NaN()
	}
	return o.Value.Float()
}

// bound returns the number that the value is below or above, or NaN if it has no bound or was
// retracted. below reports whether the value is below the number.
func (o *observation) bound() (limit float64, below bool) {
	switch {
	case math.IsNaN(o.at) || o.standing.IsLost():
	case o.LessThan != "":
		return o.LessThan.Float(), true
	case o.GreaterThan != "":
		return o.GreaterThan.Float(), false
	}
	return math.NaN(), false
}

// size returns the number by which the value is ranked. It is half the bound if the value is only
// known to be below a bound, and NaN if nothing is known.
func (o *observation) size() float64 {
	limit, below := o.bound()
	switch {
	case o.isDrawable():
		return o.value()
	case below:
		return limit / 2
	}
	return limit
}

func beginYear(period record.Period) float64 {
	start, _, _ := strings.Cut(string(period), "/")
	if len(start) < 4 {
		return math.NaN()
	}
	year, err := strconv.Atoi(start[:4])
	if err != nil {
		return math.NaN()
	}
	at := float64(year)
	if len(start) < 7 {
		return at
	}
	part := func(s string) float64 {
		n, _ := strconv.Atoi(s)
		return float64(max(n-1, 0))
	}
	switch start[5] {
	case 'S':
		return at + part(start[6:])/2
	case 'Q':
		return at + part(start[6:])/4
	case 'W':
		return at + part(start[6:])*7/365.25
	}
	if day, err := time.Parse(time.DateOnly, start); err == nil {
		return at + float64(day.YearDay()-1)/366
	}
	return at + part(start[5:7])/12
}

func lengthInYears(period record.Period) float64 {
	switch {
	case len(period) == 4 || math.IsNaN(beginYear(period)): // a year, as in most statistics
		return 1
	case period[5] == 'W':
		return 7 / 365.25
	}
	return beginYear(record.Period(period.End())) + 1./366 - beginYear(period)
}
