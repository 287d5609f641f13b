package input_test

import (
	"testing"

	"stele/internal/author/reading/input"
)

func TestFindKind(t *testing.T) {
	for word, want := range map[string]string{
		"signal": "signal", "signals": "signal", "Signal": "signal",
		"proof": "proof_claim", "proof claim": "proof_claim", "proof-claims": "proof_claim", "ProofClaim": "proof_claim",
		"evidence record":       "evidence",
		"healthcare-statistics": "healthcare_statistic", "HEALTHCARE_STATISTIC": "healthcare_statistic",
		"public reference": "public_reference", "illustrative public references": "public_reference",
		"changes": "change_event", "decision views": "decision_view",
	} {
		if k, near := input.FindKind(word); k == nil || k.Name != want || near != "" {
			t.Errorf("FindKind(%q) = %v, %q; want %s", word, k, near, want)
		}
	}
	for word, want := range map[string]string{"singal": "signal", "recomendation": "recommendation", "policy": "", "": ""} {
		if k, near := input.FindKind(word); k != nil || near != want {
			t.Errorf("FindKind(%q) = %v, %q; want nothing, and %q as near", word, k, near, want)
		}
	}
}
