package record

import (
	"slices"
	"strings"

	"stele/internal/base/fold"
)

// Key returns a text that identifies the figure of a statistic by its indicator, area, period,
// dimensions, unit and vintage. Two statistics have the same key if and only if they give the same
// figure, regardless of how their members are written: different Unicode forms of names, 2024 or
// 2024-01-01/P1Y, FRA or FR, -0 or 0, dimensions in any order.
func (s *HealthcareStatistic) Key() string {
	b, _, _ := s.AppendKey(make([]byte, 0, 128))
	return string(b)
}

// SeriesKey returns the part of the key that all periods of a series share.
func (s *HealthcareStatistic) SeriesKey() string {
	b, _, series := s.AppendKey(make([]byte, 0, 128))
	return string(b[:series])
}

// AppendKey appends the key to b, which must be empty. It returns the length of the part up to the
// dimensions, and of the part that all periods of a series share.
func (s *HealthcareStatistic) AppendKey(b []byte) (key []byte, dimensions, series int) {
	list := slices.Clone(s.Dimensions)
	for i, d := range list {
		list[i] = Term{normalizeText(d.Name), normalizeText(d.Text)}
	}
	slices.SortFunc(list, func(a, b Term) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range list {
		b = append(append(append(append(b, d.Name...), 0), d.Text...), 0)
	}
	dimensions = len(b)
	area := s.RefAreaScheme.Key(s.RefArea)
	if s.RefAreaScheme == SchemeEntity { // FRA may be the ID of an entity
		area = "entity " + area
	}
	for _, part := range []string{normalizeText(s.Indicator), area, normalizeText(s.Unit), s.Vintage.Key()} {
		b = append(append(b, part...), 0)
	}
	series = len(b)
	return append(b, s.TimePeriod.Key()...), dimensions, series
}

// normalizeText normalizes a text: composed Unicode, and zero without a sign.
func normalizeText(s string) string {
	if zero, negative := strings.CutPrefix(s, "-"); negative && zero != "" && strings.Trim(zero, "0.") == "" {
		return zero
	}
	return fold.ComposeNFC(s)
}
