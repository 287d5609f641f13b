package lookup

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/show/site/words"
	"stele/record"
)

// AreaOf returns the name of a statistic's area. It is the title of its entity; the name that a
// publisher's scheme gives it in the period, with years if another area has the same name; the
// place in its claim boundary; the name in the language of the records; or otherwise its code.
func (l *Reader) AreaOf(st *record.HealthcareStatistic) string {
	if st.RefAreaScheme == record.SchemeEntity {
		return l.Refer(st.RefArea).Title
	}
	if scheme := l.SchemeOf(st); scheme != nil {
		if code := scheme.Code(st.RefArea); code != nil {
			return l.AreaName(scheme, code)
		}
	}
	if a, ok := l.areas[st.RefAreaScheme.Key(st.RefArea)]; ok {
		return a.Name
	}
	if st.ClaimBoundary != nil && st.ClaimBoundary.Place != "" {
		return st.ClaimBoundary.Place
	}
	return cmp.Or(places.Name(st.RefAreaScheme, st.RefArea, l.Records.Settings().Language), st.RefArea)
}

// AreaName returns the name of the area c, with its years if another area of the scheme has the
// same name, such as Akershus to 2019 and Akershus from 2024.
func (l *Reader) AreaName(s *areas.Scheme, c *areas.Code) string {
	name := c.NameIn(l.Records.Settings().Language)
	if len(s.CodesNamed(c.Name)) < 2 {
		return name
	}
	year := func(day string) string { return l.words.Localize(day[:min(4, len(day))]) }
	switch {
	case c.From != "" && c.To != "":
		return words.Fill(l.words.AreaBetween, "name", name, "from", year(c.From), "to", year(c.To))
	case c.To != "":
		return words.Fill(l.words.AreaTo, "name", name, "year", year(c.To))
	case c.From != "":
		return words.Fill(l.words.AreaFrom, "name", name, "year", year(c.From))
	}
	return name
}

// Became returns a text that names the successors of an area, or its predecessors.
func (l *Reader) Became(scheme *areas.Scheme, code *areas.Code) string {
	list, of := scheme.ChangesFrom(code.Code), func(c *areas.Change) string { return c.To }
	if len(list) == 0 {
		list, of = scheme.ChangesTo(code.Code), func(c *areas.Change) string { return c.From }
	}
	var days, names []string
	for _, c := range list {
		if other := scheme.Code(of(c)); other != nil {
			days, names = append(days, l.words.Day(record.Date(c.Date))), append(names, l.AreaName(scheme, other))
		}
	}
	if len(names) == 0 {
		return scheme.Title
	}
	head := l.words.AreaAfter
	if len(scheme.ChangesFrom(code.Code)) == 0 {
		head = l.words.AreaBefore
	}
	return head + " " + days[len(days)-1] + ": " + strings.Join(names, l.words.Comma)
}

// AreaAddress returns the URL of the page of the area with the given scheme and code.
func AreaAddress(scheme, code string) string { return "/" + layout.AreaFile(scheme, "/"+code+"/") }

// SchemeOf returns the publisher's area scheme that a statistic names, or nil.
func (x *Index) SchemeOf(st *record.HealthcareStatistic) *areas.Scheme {
	return x.Scheme(st.RefAreaScheme)
}

// Scheme returns the publisher's area scheme with the given name, or nil.
func (x *Index) Scheme(name record.AreaScheme) *areas.Scheme {
	return areas.Named(x.Records.Areas(), string(name))
}

// Dimension is a dimension of a statistic and its value, in the publisher's words.
type Dimension struct {
	Name  string // as statistics name it
	Label string
	Value string
	Whole bool // whether that is all of it
}

// Dimensions returns the dimensions of a statistic with the names that its indicator gives them.
func (l *Reader) Dimensions(st *record.HealthcareStatistic) (list []Dimension) {
	var known []record.MeasureDimension
	if x := l.IndicatorCalled(st.Indicator); x != nil { // nil for what could not be read
		known = x.Measure.Dimensions
	}
	for _, term := range st.Dimensions {
		d := Dimension{Name: term.Name, Label: strings.ReplaceAll(term.Name, "_", " "), Value: term.Text}
		d.Whole = record.IsTotal(term.Text)
		if i := slices.IndexFunc(known, func(m record.MeasureDimension) bool { return m.Name == term.Name }); i >= 0 {
			d.Label = cmp.Or(known[i].Label, d.Label)
			d.Value = cmp.Or(known[i].Codes.Get(term.Text), d.Label+" "+d.Value)
		} else {
			d.Value = d.Label + " " + d.Value
		}
		list = append(list, d)
	}
	return list
}

// Breakdown returns the values of a statistic's dimensions as text, or "" if it has none.
func (l *Reader) Breakdown(st *record.HealthcareStatistic) string {
	var parts []string
	for _, d := range l.Dimensions(st) {
		if !d.Whole {
			parts = append(parts, d.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// AreaWith returns the name of a statistic's area with its breakdown.
func (l *Reader) AreaWith(st *record.HealthcareStatistic) string {
	return strings.TrimSuffix(l.AreaOf(st)+", "+l.Breakdown(st), ", ")
}
