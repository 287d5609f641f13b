package record

// Entity is something that records are about. Never a person.
type Entity struct {
	Envelope
	EntityType EntityType `json:"entity_type" identity:"fixed" doc:"What sort of entity it is."`
	Name       string     `json:"name" identity:"corrected" doc:"What it is called."`
	SameAs     []URL      `json:"same_as,omitempty" doc:"The addresses that stand for the same thing elsewhere."`
}

// MarshalJSON writes the record as it is published.
func (e Entity) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON reads the record as Unmarshal does.
func (e *Entity) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }
