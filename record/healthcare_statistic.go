package record

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// HealthcareStatistic is one value of one indicator. Instead of a value it may have a bound or a
// code, or nothing if its status says why.
type HealthcareStatistic struct {
	Envelope
	Indicator     string     `json:"indicator" identity:"fixed" doc:"The short code of the indicator, the same for all its values, such as mcv1."`
	RefAreaScheme AreaScheme `json:"ref_area_scheme" doc:"The scheme of the code in ref_area: one of these, or a scheme that stele.yaml names under areas."`
	RefArea       string     `json:"ref_area" identity:"fixed" doc:"The area of the value, as a code of that scheme."`
	TimePeriod    Period     `json:"time_period" identity:"fixed" doc:"The period of the value."`
	Vintage       Period     `json:"vintage,omitempty" identity:"kept" doc:"The edition of the source that gives the value, by its year, month or day, if values of several editions are published together."`
	Value         Number     `json:"value,omitempty" doc:"The value. A statistic has this or one of less_than, greater_than and code, unless its obs_status says why there is no value."`
	LessThan      Number     `json:"less_than,omitempty" doc:"An upper bound, if the source gives only that, such as <5."`
	GreaterThan   Number     `json:"greater_than,omitempty" doc:"A lower bound, if the source gives only that, such as >95."`
	Code          string     `json:"code,omitempty" doc:"The answer if it is not a quantity, as one of the codes of the indicator's entity."`
	Unit          string     `json:"unit" identity:"fixed" doc:"The short code of the unit, such as percent or deaths."`
	UnitLabel     string     `json:"unit_label" doc:"The unit in words, such as per cent of one-year-olds."`
	ObsStatus     ObsStatus  `json:"obs_status" doc:"The status of the value, as in SDMX."`
	Decimals      *int64     `json:"decimals,omitempty" min:"0" doc:"The number of decimals to show."`
	Lower         Number     `json:"lower,omitempty" doc:"The lower end of the interval that contains the value."`
	Upper         Number     `json:"upper,omitempty" doc:"The upper end of the interval."`
	Interval      Interval   `json:"interval,omitempty" doc:"The type of the interval."`
	Level         Number     `json:"level,omitempty" doc:"The interval's level in per cent, such as 95."`
	Numerator     Number     `json:"numerator,omitempty" doc:"The count, if the value is a proportion or a rate."`
	Denominator   Number     `json:"denominator,omitempty" doc:"The total that the count is divided by."`
	Dimensions    Terms      `json:"dimensions,omitempty" identity:"fixed" doc:"Other dimensions by which the value is broken down, such as sex and age."`
	Note          string     `json:"note,omitempty" doc:"What a reader of this one value needs to know, such as a footnote of the source."`
	Method        string     `json:"method,omitempty" doc:"How the value was obtained."`
	IndicatorID   ID         `json:"indicator_id,omitempty" ref:"entity" relation:"about" doc:"The ID of the entity that describes the indicator."`
}

// Figure returns the figure for people: 86.0, <5, >95, a code, or "" for none.
func (s *HealthcareStatistic) Figure() string {
	switch {
	case s.LessThan != "":
		return "<" + string(s.LessThan)
	case s.GreaterThan != "":
		return ">" + string(s.GreaterThan)
	case s.Code != "":
		return s.Code
	}
	return string(s.Value)
}

// MarshalJSON returns the record as it is published.
func (s HealthcareStatistic) MarshalJSON() ([]byte, error) { return marshal(&s) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (s *HealthcareStatistic) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

var areaRef = &schema.RefType{
	Path: []string{"ref_area"}, Kinds: []string{KindEntity}, Missing: codes.UnknownReference, Relation: string(RelationAbout),
	Order: math.MaxInt32, // sorted last
}

func (s *HealthcareStatistic) check(c *checker) {
	c.checkBoundary(s.ClaimBoundary, s.Title, s.Summary)
	if s.RefArea != "" {
		s.checkArea(c)
	}
	s.checkFigure(c)
	if c.Date != "" && s.TimePeriod != "" && s.ObsStatus != "" && s.ObsStatus != StatusForecast &&
		s.Figure() != "" && !s.TimePeriod.isOver(Date(c.Date)) {
		c.Report(codes.PeriodNotOver, "/time_period", "the period ends on "+string(s.TimePeriod.End())+", after the release date "+c.Date+", but obs_status is "+string(s.ObsStatus), "set obs_status to F if the value is a forecast, or correct the period")
	}
	c.checkInside("", s.Value, s.Lower, s.Upper)
	s.checkInterval(c)
	s.checkUnit(c)
	c.checkCode("/indicator", s.Indicator)
	c.checkCode("/unit", s.Unit)
}

// checkFigure checks that there is one figure, or none and a status that says why.
func (s *HealthcareStatistic) checkFigure(c *checker) {
	first, second := "", "" // the members that are set
	for i, has := range [...]bool{s.Value != "", s.LessThan != "", s.GreaterThan != "", s.Code != ""} {
		if has {
			first, second = cmp.Or(first, figures[i]), figures[i]
		}
	}
	rule, unread := statuses[s.ObsStatus], func(name string) bool { return c.HasProblemAt("/" + name) }
	switch {
	case first != second:
		c.Report(codes.WrongFigure, "/"+second, "cannot have both "+first+" and "+second, "keep the one that the source gives")
	case first != "" && (rule.figure == never || rule.figure == boundOnly && first != "less_than" && first != "greater_than"):
		c.Report(codes.WrongFigure, "/"+first, "obs_status is "+string(s.ObsStatus)+" ("+rule.words+"), but it has a "+first, "delete "+first+", or correct obs_status")
	case first == "" && rule.figure == always && s.ObsStatus != "" && !slices.ContainsFunc(figures[:], unread):
		c.Report(codes.WrongFigure, "", "the value is missing", "add value, or set obs_status to the reason why there is none, such as O")
	}
	if s.Code != "" && s.IndicatorID == "" && !unread("indicator_id") {
		c.Report(codes.WrongFigure, "/code", "code without indicator_id", "add the ID of the entity whose measure lists the codes and what they mean")
	}
}

// figures are the members that can be the figure.
var figures = [...]string{"value", "less_than", "greater_than", "code"}

// checkInterval checks that the members about an interval are complete.
func (s *HealthcareStatistic) checkInterval(c *checker) {
	ends, end := s.Lower != "" || s.Upper != "", "/lower"
	if s.Lower == "" {
		end = "/upper"
	}
	switch {
	case ends && s.Figure() != "" && s.Value == "":
		c.Report(codes.WrongFigure, end, "interval without a value", "delete the interval, or add the value")
	case s.Interval != "" && !ends && !c.HasProblemAt("/lower") && !c.HasProblemAt("/upper"):
		c.Report(codes.WrongFigure, "/interval", "missing interval", "add lower and upper, or delete interval and level")
	case s.Level == "":
	case s.Interval == "" && !c.HasProblemAt("/interval"):
		c.Report(codes.WrongFigure, "/level", "level without a type of interval", "add interval: confidence, credible, prediction or uncertainty")
	case s.Interval == IntervalRange:
		c.Report(codes.WrongFigure, "/level", "a range has no level", "delete level, or set interval to the right type")
	case s.Level.Compare("0") > 0 && s.Level.Compare("1") <= 0:
		c.Report(codes.OutsideUnit, "/level", "level "+string(s.Level)+" is at most one per cent", "write the level in per cent, such as 95")
	case s.Level.Compare("0") <= 0 || s.Level.Compare("100") >= 0:
		c.Report(codes.WrongFigure, "/level", "level "+string(s.Level)+" is outside 0 to 100", "write the level in per cent, such as 95")
	}
}

// checkUnit reports proportions below 0 or above the whole. A change may have any value.
func (s *HealthcareStatistic) checkUnit(c *checker) {
	most := Number("")
	switch s.Unit {
	case "percent", "per cent", "per_cent", "pct", "%":
		most = "100"
	case "proportion", "fraction":
		most = "1"
	case "cases", "deaths", "persons", "people", "births", "doses", "patients":
		if s.Value != "" && s.Value.Compare("0") < 0 && !s.isChange() {
			c.Report(codes.OutsideUnit, "/value", "the value is "+string(s.Value)+", but "+s.Unit+" are counted from 0",
				"correct the value; if it is a change, say so in unit_label")
		}
	}
	if most != "" && s.Numerator != "" && s.Denominator != "" && s.Numerator.Compare(s.Denominator) > 0 {
		c.Report(codes.OutsideUnit, "/numerator", "the numerator "+string(s.Numerator)+" is larger than the denominator "+string(s.Denominator)+", of which it is a part",
			"correct one of the two, or the unit")
	}
	if most == "" || s.Value == "" || s.Value.Compare("0") >= 0 && s.Value.Compare(most) <= 0 {
		return
	}
	if s.isChange() {
		return
	}
	c.Report(codes.OutsideUnit, "/value", "the value is "+string(s.Value)+", but a proportion in "+s.Unit+" is between 0 and "+string(most),
		"correct the value or the unit; if it is not a proportion, say what it is in unit_label: a change, a growth, a ratio")
}

// isChange reports whether the indicator or unit_label contains a word for a change, or for another
// value without bounds.
func (s *HealthcareStatistic) isChange() bool {
	words := strings.ToLower(s.Indicator + " " + s.UnitLabel)
	return slices.ContainsFunc(
		[]string{"change", "growth", "differ", "increase", "decrease", "rise", "ratio", "index", "relative"},
		func(word string) bool { return strings.Contains(words, word) })
}

func (s *HealthcareStatistic) checkArea(c *checker) {
	if s.RefAreaScheme == SchemeEntity {
		c.AddReference(areaRef, "/ref_area", s.RefArea)
		return
	}
	if fix := areaProblem(s.RefAreaScheme, s.RefArea); fix != "" {
		c.Report(codes.MalformedArea, "/ref_area", schema.Quote(s.RefArea)+" is not an area code of "+string(s.RefAreaScheme), fix)
	}
}

func (*HealthcareStatistic) schemaRules() map[string]any {
	has := func(members ...string) (list []any) {
		for _, m := range members {
			list = append(list, hasMember(m, map[string]any{}))
		}
		return list
	}
	none := func(members ...string) map[string]any {
		return map[string]any{"not": map[string]any{"anyOf": has(members...)}}
	}
	anyOf := func(members ...string) map[string]any { return map[string]any{"anyOf": has(members...)} }
	status := func(when figureRule) map[string]any {
		var words []any
		for _, v := range schema.ListOf[ObsStatus]() {
			if statuses[ObsStatus(v.Word)].figure == when {
				words = append(words, v.Word)
			}
		}
		return hasMember("obs_status", map[string]any{"enum": words})
	}
	implies := func(condition, then any) map[string]any { return map[string]any{"if": condition, "then": then} }
	return map[string]any{"allOf": []any{
		map[string]any{"oneOf": append(has(figures[:]...), none(figures[:]...))},
		implies(status(always), anyOf(figures[:]...)),
		implies(status(boundOnly), none("value", "code")),
		implies(status(never), none(figures[:]...)),
		implies(anyOf("less_than", "greater_than", "code"), none("lower", "upper")),
		implies(hasMember("code", map[string]any{}), hasMember("indicator_id", map[string]any{})),
		implies(hasMember("interval", map[string]any{}), anyOf("lower", "upper")),
		implies(hasMember("level", map[string]any{}), hasMember("interval", map[string]any{"not": map[string]any{"const": string(IntervalRange)}})),
	}}
}

// totals are the values of dimensions that mean the total. "_t" is the code of SDMX.
var totals = []string{"total", "all", "both", "any", "_t", "t", "both sexes", "all ages"}

// IsTotal reports whether a value of a dimension means that a statistic is not broken down by it.
func IsTotal(value string) bool { return slices.Contains(totals, strings.ToLower(value)) }
