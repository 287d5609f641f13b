package record

import (
	"math"
	"strings"
)

// HealthcareStatistic is one value of one indicator.
type HealthcareStatistic struct {
	Envelope
	Indicator     string     `json:"indicator" identity:"fixed" doc:"The short code of the indicator, the same for all its values, such as mcv1."`
	RefAreaScheme AreaScheme `json:"ref_area_scheme" doc:"Which codes ref_area uses."`
	RefArea       string     `json:"ref_area" identity:"fixed" doc:"The area that the value is for, as a code of that scheme."`
	TimePeriod    Period     `json:"time_period" identity:"fixed" doc:"The period that the value is for."`
	Value         Number     `json:"value,omitempty" doc:"The value. Left out only where obs_status is O (missing)."`
	Unit          string     `json:"unit" identity:"fixed" doc:"The short code of the unit, such as percent or deaths."`
	UnitLabel     string     `json:"unit_label" doc:"The unit in words, such as per cent of one-year-olds."`
	ObsStatus     ObsStatus  `json:"obs_status" doc:"The status of the value, as in SDMX."`
	Decimals      *int64     `json:"decimals,omitempty" min:"0" doc:"How many decimals to show."`
	Lower         Number     `json:"lower,omitempty" doc:"The lower end of the uncertainty interval."`
	Upper         Number     `json:"upper,omitempty" doc:"The upper end of the uncertainty interval."`
	Dimensions    Terms      `json:"dimensions,omitempty" identity:"fixed" doc:"What else the value is broken down by, such as sex and age."`
	Method        string     `json:"method,omitempty" doc:"How the value was obtained."`
	IndicatorID   ID         `json:"indicator_id,omitempty" ref:"entity" relation:"about" doc:"The ID of the entity that describes the indicator."`
}

// MarshalJSON writes the record as it is published.
func (s HealthcareStatistic) MarshalJSON() ([]byte, error) { return marshal(&s) }

// UnmarshalJSON reads the record as Unmarshal does.
func (s *HealthcareStatistic) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

var areaRef = &RefType{
	Path: []string{"ref_area"}, Kinds: []string{KindEntity}, Missing: UnknownReference, Relation: RelationAbout,
	Order: math.MaxInt32, // it is found last
}

func (s *HealthcareStatistic) check(c *checker) {
	c.boundaryRepeats(s.ClaimBoundary, s.Title, s.Summary)
	if s.RefArea != "" {
		s.checkArea(c)
	}
	switch {
	case s.ObsStatus == StatusMissing && s.Value != "":
		c.problem(WrongFigure, "/value", "obs_status is O (missing), but there is a value", "delete the value, or write the status that it has")
	case s.ObsStatus != StatusMissing && s.ObsStatus != "" && s.Value == "" && !c.hasProblemAt("/value"):
		c.problem(WrongFigure, "", "the value is missing", "add value, or write obs_status: O if there is none")
	}
	if c.date != "" && s.TimePeriod != "" && s.ObsStatus != "" && s.ObsStatus != StatusForecast &&
		s.ObsStatus != StatusMissing && !s.TimePeriod.over(c.date) {
		c.problem(PeriodNotOver, "/time_period", "the period ends on "+string(s.TimePeriod.End())+", after the release date "+string(c.date)+", and obs_status is "+string(s.ObsStatus), "write obs_status: F if the value is a forecast, or the period that it is really for")
	}
	c.outside("", s.Value, s.Lower, s.Upper)
	s.checkUnit(c)
	c.code("/indicator", s.Indicator)
	c.code("/unit", s.Unit)
}

// checkUnit finds a part of a whole that is more than all of it, or less than nothing. A change may
// be either.
func (s *HealthcareStatistic) checkUnit(c *checker) {
	most := Number("")
	switch s.Unit {
	case "percent", "per cent", "per_cent", "pct", "%":
		most = "100"
	case "proportion", "fraction":
		most = "1"
	}
	if most == "" || s.Value == "" || s.Value.Compare("0") >= 0 && s.Value.Compare(most) <= 0 {
		return
	}
	words := strings.ToLower(s.Indicator + " " + s.UnitLabel)
	for _, change := range []string{"change", "growth", "differ", "increase", "decrease", "rise", "ratio", "index", "relative"} {
		if strings.Contains(words, change) {
			return
		}
	}
	c.problem(OutsideUnit, "/value", "the value is "+string(s.Value)+", and a part of a whole in "+s.Unit+" lies between 0 and "+string(most),
		"correct the value or the unit; if it is no part of a whole, let unit_label name what it is: a change, a growth, a ratio")
}

func (s *HealthcareStatistic) checkArea(c *checker) {
	if s.RefAreaScheme == SchemeEntity {
		c.ref(areaRef, "/ref_area", s.RefArea)
		return
	}
	if fix := areaProblem(s.RefAreaScheme, s.RefArea); fix != "" {
		c.problem(MalformedArea, "/ref_area", quote(s.RefArea)+" is no area code of "+string(s.RefAreaScheme), fix)
	}
}

func (*HealthcareStatistic) schemaRules() map[string]any {
	hasValue := hasMember("value", map[string]any{})
	return map[string]any{
		"if":   hasMember("obs_status", map[string]any{"const": string(StatusMissing)}),
		"then": map[string]any{"not": hasValue},
		"else": hasValue,
	}
}
