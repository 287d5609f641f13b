package record

// Recommendation is what to do about an opportunity.
type Recommendation struct {
	Envelope
	Action         string    `json:"action" doc:"What to do, as an instruction."`
	Direction      Direction `json:"direction" doc:"Whether to do it."`
	Strength       Strength  `json:"strength" doc:"How strongly it is meant."`
	OpportunityIDs []ID      `json:"opportunity_ids" items:"1" ref:"opportunity" relation:"responds_to" doc:"The IDs of the opportunities that it responds to."`
	EvidenceIDs    []ID      `json:"evidence_ids" items:"1" ref:"evidence" relation:"cites" doc:"The IDs of the evidence that it rests on."`
	Audience       string    `json:"audience,omitempty" doc:"Whom it is addressed to."`
}

// MarshalJSON writes the record as it is published.
func (r Recommendation) MarshalJSON() ([]byte, error) { return marshal(&r) }

// UnmarshalJSON reads the record as Unmarshal does.
func (r *Recommendation) UnmarshalJSON(data []byte) error { return unmarshal(data, r) }

func (r *Recommendation) check(c *checker) {
	c.boundaryRepeats(r.ClaimBoundary, r.Action, r.Title, r.Summary)
}
