package record

// ProofClaim is a claim with the evidence for and against it.
type ProofClaim struct {
	Envelope
	ClaimID           ID              `json:"claim_id" implied:"yes" doc:"The record ID, under the name used in paths."`
	Claim             string          `json:"claim" identity:"corrected" doc:"The claim, in a sentence that can be true or false."`
	Evidence          []ClaimEvidence `json:"evidence" items:"1" doc:"The evidence for and against the claim."`
	EvidenceLabel     EvidenceLabel   `json:"evidence_label,omitempty" doc:"The certainty of the claim: no stronger than its best supporting evidence."`
	WhatWouldChangeIt string          `json:"what_would_change_it,omitempty" doc:"Which new findings would change the claim or its certainty, in a sentence or two."`
	ClaimantID        ID              `json:"claimant_id,omitempty" identity:"kept" ref:"entity" relation:"claimed_by" doc:"The ID of the organization that makes the claim."`
}

// MarshalJSON returns the record as it is published.
func (p ProofClaim) MarshalJSON() ([]byte, error) { return marshal(&p) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (p *ProofClaim) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

// ClaimEvidence is a piece of evidence with its stance.
type ClaimEvidence struct {
	EvidenceID ID     `json:"evidence_id" ref:"evidence" doc:"The ID of the evidence."`
	Stance     Stance `json:"stance" doc:"The stance of the evidence on the claim."`
}

func (p *ProofClaim) check(c *checker) {
	c.checkSameID("claim_id", p.ID, p.ClaimID)
	c.checkBoundary(p.ClaimBoundary, p.Claim, p.Title, p.Summary)
}
