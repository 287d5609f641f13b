package record

// Recommendation is advice on what to do about an opportunity.
type Recommendation struct {
	Envelope
	Action         string    `json:"action" doc:"What to do, as an instruction."`
	Direction      Direction `json:"direction" doc:"Whether to take the action."`
	Strength       Strength  `json:"strength" doc:"The strength of the recommendation."`
	OpportunityIDs []ID      `json:"opportunity_ids" items:"1" ref:"opportunity" relation:"responds_to" doc:"The IDs of the opportunities that it responds to."`
	EvidenceIDs    []ID      `json:"evidence_ids" items:"1" ref:"evidence" relation:"cites" doc:"The IDs of the evidence that it rests on."`
	Audience       string    `json:"audience,omitempty" doc:"The people that the recommendation addresses."`
}

// MarshalJSON returns the record as it is published.
func (r Recommendation) MarshalJSON() ([]byte, error) { return marshal(&r) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (r *Recommendation) UnmarshalJSON(data []byte) error { return unmarshal(data, r) }

func (r *Recommendation) check(c *checker) {
	c.checkBoundary(r.ClaimBoundary, r.Action, r.Title, r.Summary)
}
