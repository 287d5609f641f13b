package record

// Entity is something that records are about. Never a person.
type Entity struct {
	Envelope
	EntityType EntityType `json:"entity_type" doc:"What sort of entity it is."`
	Name       string     `json:"name" doc:"What it is called."`
	SameAs     []URL      `json:"same_as,omitempty" doc:"The addresses that stand for the same thing elsewhere."`
}
