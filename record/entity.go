package record

import "stele/internal/base/schema/codes"

// Entity is a subject of records, never a person.
type Entity struct {
	Envelope
	EntityType EntityType `json:"entity_type" identity:"fixed" doc:"The type of the entity."`
	Name       string     `json:"name" identity:"corrected" doc:"The name of the entity."`
	SameAs     []URL      `json:"same_as,omitempty" doc:"URLs that identify the same thing elsewhere."`
	Measure    *Measure   `json:"measure,omitempty" doc:"What an indicator measures and its possible values. Statistics with its ID as indicator_id are checked against it."`
}

// Measure describes an indicator, once for all its values.
type Measure struct {
	Code        string             `json:"code" doc:"The short code of the indicator, which its statistics have in the member indicator."`
	Definition  string             `json:"definition,omitempty" doc:"The exact definition of what is measured: who or what is counted, and who is not."`
	Unit        string             `json:"unit,omitempty" doc:"The short code of the unit of its values."`
	UnitLabel   string             `json:"unit_label,omitempty" doc:"The unit in words."`
	Min         Number             `json:"min,omitempty" doc:"The smallest possible value."`
	Max         Number             `json:"max,omitempty" doc:"The largest possible value."`
	Codes       Terms              `json:"codes,omitempty" doc:"The codes that replace values, with their meanings, if the answers are not quantities."`
	Dimensions  []MeasureDimension `json:"dimensions,omitempty" doc:"The dimensions by which the indicator's values may be broken down."`
	Method      string             `json:"method,omitempty" doc:"How the values are produced."`
	Breaks      []MeasureBreak     `json:"breaks,omitempty" doc:"When its method changed, so that earlier and later values are not comparable."`
	Aggregation Aggregation        `json:"aggregation,omitempty" doc:"How the values of parts are combined into that of the whole."`
	LookBack    *int64             `json:"look_back,omitempty" min:"0" doc:"The number of periods that pages look back if a period has no value (default 5)."`
}

// MeasureDimension is a dimension by which values are broken down.
type MeasureDimension struct {
	Name  string `json:"name" doc:"The name of the dimension in statistics, such as sex."`
	Label string `json:"label,omitempty" doc:"The name on pages."`
	Codes Terms  `json:"codes,omitempty" doc:"The codes of the dimension, with their meanings; any text if omitted."`
}

// MeasureBreak is a change of method.
type MeasureBreak struct {
	TimePeriod Period `json:"time_period" doc:"The first period with the new method."`
	Summary    string `json:"summary" doc:"What changed, in a sentence."`
}

// MarshalJSON returns the record as it is published.
func (e Entity) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (e *Entity) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

func (e *Entity) check(c *checker) {
	m := e.Measure
	if m == nil {
		return
	}
	if e.EntityType != EntityIndicator && e.EntityType != "" {
		c.Report(codes.WrongValue, "/measure", "only an indicator can have a measure, but entity_type is "+string(e.EntityType), "delete the member measure, or set entity_type to indicator")
	}
	if m.Min != "" && m.Max != "" && m.Min.Compare(m.Max) > 0 {
		c.Report(codes.WrongFigure, "/measure/min", "min "+string(m.Min)+" is above max "+string(m.Max), "swap the two")
	}
	c.checkCode("/measure/code", m.Code)
	c.checkCode("/measure/unit", m.Unit)
}

func (*Entity) schemaRules() map[string]any {
	return map[string]any{
		"if":   hasMember("measure", map[string]any{}),
		"then": hasMember("entity_type", map[string]any{"const": string(EntityIndicator)}),
	}
}
