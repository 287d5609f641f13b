package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// series is the values of an indicator for one area, breakdown and unit, in the order of time.
type series struct {
	key     string
	area    string
	areaKey string
	detail  string // the breakdown in words: "sex: all"
	unit    string
	label   string // the unit in words
	region  bool   // whether the area is the world or a part of it larger than a country
	values  []observation
	step    float64 // how far apart they usually are, in years
	color   int     // which colour it has in charts
	dash    int     // how its line is drawn, so that no two look alike
}

// observation is a statistic as a chart and a table need it.
type observation struct {
	*record.HealthcareStatistic
	at       float64 // when, in years
	standing standing.Standing
}

// name is what a chart writes at a line.
func (s *series) name() string {
	if s.detail == "" {
		return s.area
	}
	return s.area + ", " + s.detail
}

// readSeries reads statistics of an indicator and sorts them into series: the world and its regions
// first, as far as they have as many values as others, then those with the most values.
func (p *page) readSeries(numbers []int32) ([]*series, error) {
	k := record.KindNamed(record.KindHealthcareStatistic)
	byKey := map[string]*series{}
	var list []*series
	for _, i := range numbers {
		rec, err := p.Read(k, int(i))
		if err != nil {
			return nil, err
		}
		st := rec.(*record.HealthcareStatistic)
		detail := breakdown(st.Dimensions)
		areaKey := record.AreaKey(st.RefAreaScheme, st.RefArea)
		key := areaKey + "\x00" + detail + "\x00" + st.Unit
		s := byKey[key]
		if s == nil {
			s = &series{
				key: key, area: p.AreaOf(st), areaKey: strings.Clone(areaKey), detail: detail,
				unit: st.Unit, label: st.UnitLabel, region: isRegion(st),
			}
			byKey[key] = s
			list = append(list, s)
		}
		s.values = append(s.values, observation{st, when(st.TimePeriod), p.Records.Standing(k, int(i)).Standing})
	}
	for _, s := range list {
		slices.SortStableFunc(s.values, func(a, b observation) int {
			return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(string(a.TimePeriod), string(b.TimePeriod)))
		})
		s.findStep()
	}
	sortSeries(list)
	for _, group := range byUnit(list) {
		colorSeries(group)
	}
	return list, nil
}

func sortSeries(list []*series) {
	longest := 0
	for _, s := range list {
		longest = max(longest, len(s.values))
	}
	rank := func(s *series) int {
		if s.region && 2*len(s.values) >= longest {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b *series) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(len(b.values), len(a.values)),
			strings.Compare(a.name(), b.name()),
			strings.Compare(a.key, b.key),
		)
	})
}

// isRegion reports whether a statistic is for the world or a part of it that no country is: an
// entity, or a code of UN M49 that is no country's.
func isRegion(st *record.HealthcareStatistic) bool {
	return st.RefAreaScheme == record.SchemeEntity ||
		st.RefAreaScheme == record.SchemeUNM49 && record.AreaKey(st.RefAreaScheme, st.RefArea) == st.RefArea
}

// breakdown writes the dimensions of a statistic in words. Those that only say "all" say nothing.
func breakdown(dimensions record.Terms) string {
	var parts []string
	for _, d := range dimensions {
		if !strings.EqualFold(d.Text, "all") && !strings.EqualFold(d.Text, "total") {
			parts = append(parts, d.Name+" "+d.Text)
		}
	}
	return strings.Join(parts, ", ")
}

// value is the observation's value; NaN where it is missing.
func (o *observation) value() float64 {
	if o.Value == "" {
		return math.NaN()
	}
	return o.Value.Float()
}

// when is where a period begins, in years.
func when(period record.Period) float64 {
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

// figures writes a number, as words.Figure does.
func figures(n record.Number, decimals *int64) string { return words.Figure(n, decimals) }
