package record

// Opportunity is a need that could be met.
type Opportunity struct {
	Envelope
	Need        string `json:"need" doc:"What is needed, and by whom."`
	EvidenceIDs []ID   `json:"evidence_ids" items:"1" ref:"evidence" relation:"cites" doc:"The IDs of the evidence that shows the need."`
	SignalIDs   []ID   `json:"signal_ids,omitempty" ref:"signal" relation:"cites" doc:"The IDs of the signals that indicated the need."`
	EntityIDs   []ID   `json:"entity_ids,omitempty" ref:"entity" relation:"about" doc:"The IDs of the entities that the need is about."`
}

// MarshalJSON returns the record as it is published.
func (o Opportunity) MarshalJSON() ([]byte, error) { return marshal(&o) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (o *Opportunity) UnmarshalJSON(data []byte) error { return unmarshal(data, o) }

func (o *Opportunity) check(c *checker) {
	c.checkBoundary(o.ClaimBoundary, o.Need, o.Title, o.Summary)
}
