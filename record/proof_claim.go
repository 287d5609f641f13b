package record

// ProofClaim is a claim with the evidence for and against it.
type ProofClaim struct {
	Envelope
	ClaimID       ID              `json:"claim_id" implied:"yes" doc:"The record ID again, under the name that the routes use."`
	Claim         string          `json:"claim" identity:"corrected" doc:"The claim, in a sentence that can be true or false."`
	Evidence      []ClaimEvidence `json:"evidence" items:"1" doc:"The evidence that bears on the claim, and how."`
	EvidenceLabel EvidenceLabel   `json:"evidence_label,omitempty" doc:"How certain the claim is: no stronger than its best supporting evidence."`
	ClaimantID    ID              `json:"claimant_id,omitempty" identity:"kept" ref:"entity" relation:"claimed_by" doc:"The ID of the organization that makes the claim."`
}

// MarshalJSON writes the record as it is published.
func (p ProofClaim) MarshalJSON() ([]byte, error) { return marshal(&p) }

// UnmarshalJSON reads the record as Unmarshal does.
func (p *ProofClaim) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

// ClaimEvidence ties a piece of evidence to a claim.
type ClaimEvidence struct {
	EvidenceID ID     `json:"evidence_id" ref:"evidence" doc:"The ID of the evidence."`
	Stance     Stance `json:"stance" doc:"How it bears on the claim."`
}

func (p *ProofClaim) check(c *checker) {
	c.sameID("claim_id", p.ID, p.ClaimID)
	c.boundaryRepeats(p.ClaimBoundary, p.Claim, p.Title, p.Summary)
}
