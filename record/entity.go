package record

import "stele/internal/base/schema/codes"

// Entity is something that records are about. Never a person.
type Entity struct {
	Envelope
	EntityType EntityType `json:"entity_type" identity:"fixed" doc:"What sort of entity it is."`
	Name       string     `json:"name" identity:"corrected" doc:"What it is called."`
	SameAs     []URL      `json:"same_as,omitempty" doc:"The addresses that stand for the same thing elsewhere."`
	Measure    *Measure   `json:"measure,omitempty" doc:"What an indicator measures and what its values may be. Statistics that point to it by indicator_id are held to it."`
}

// Measure is what an indicator is, written once for all its values.
type Measure struct {
	Code        string             `json:"code" doc:"The short code of the indicator, which its statistics have as indicator."`
	Definition  string             `json:"definition,omitempty" doc:"What is measured, exactly: who or what is counted, and who is not."`
	Unit        string             `json:"unit,omitempty" doc:"The short code of the unit that its values have."`
	UnitLabel   string             `json:"unit_label,omitempty" doc:"That unit in words."`
	Min         Number             `json:"min,omitempty" doc:"The least value that there can be."`
	Max         Number             `json:"max,omitempty" doc:"The greatest value that there can be."`
	Codes       Terms              `json:"codes,omitempty" doc:"The codes that stand in the place of values, and what each means, where the answers are no quantities."`
	Dimensions  []MeasureDimension `json:"dimensions,omitempty" doc:"What its values may be broken down by."`
	Method      string             `json:"method,omitempty" doc:"How it is made."`
	Breaks      []MeasureBreak     `json:"breaks,omitempty" doc:"When its method changed, so that values before and after do not compare."`
	Aggregation Aggregation        `json:"aggregation,omitempty" doc:"How values of parts make that of the whole."`
	LookBack    *int64             `json:"look_back,omitempty" min:"0" doc:"How many periods back pages look for a value where a period has none: 5 unless given."`
}

// MeasureDimension is something that values are broken down by.
type MeasureDimension struct {
	Name  string `json:"name" doc:"The name that the dimensions of statistics have, such as sex."`
	Label string `json:"label,omitempty" doc:"What pages call it."`
	Codes Terms  `json:"codes,omitempty" doc:"What the dimension can be, and what each means; anything where they are not listed."`
}

// MeasureBreak is a change of method.
type MeasureBreak struct {
	TimePeriod Period `json:"time_period" doc:"The first period with the new method."`
	Summary    string `json:"summary" doc:"What changed, in a sentence."`
}

// MarshalJSON writes the record as it is published.
func (e Entity) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON reads the record as Unmarshal does.
func (e *Entity) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

func (e *Entity) check(c *checker) {
	m := e.Measure
	if m == nil {
		return
	}
	if e.EntityType != EntityIndicator && e.EntityType != "" {
		c.Report(codes.WrongValue, "/measure", "only an indicator has a measure, and entity_type is "+string(e.EntityType), "delete measure, or write entity_type: indicator")
	}
	if m.Min != "" && m.Max != "" && m.Min.Compare(m.Max) > 0 {
		c.Report(codes.WrongFigure, "/measure/min", "min "+string(m.Min)+" is above max "+string(m.Max), "swap the two")
	}
	c.code("/measure/code", m.Code)
	c.code("/measure/unit", m.Unit)
}

func (*Entity) schemaRules() map[string]any {
	return map[string]any{
		"if":   hasMember("measure", map[string]any{}),
		"then": hasMember("entity_type", map[string]any{"const": string(EntityIndicator)}),
	}
}
