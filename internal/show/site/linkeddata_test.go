package site_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// linkedOf is the JSON-LD of a page.
func linkedOf(t *testing.T, page []byte) (found struct {
	IsBasedOn []string
	Citation  []string
},
) {
	t.Helper()
	script := regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`).FindSubmatch(page)
	if script == nil {
		t.Fatal("the page has no JSON-LD")
	}
	if err := json.Unmarshal(script[1], &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestBasedOn: JSON-LD has a claim based on what it is derived from, and not on the retracted paper
// that it disputes. What it only cites is a citation.
func TestBasedOn(t *testing.T) {
	files, err := sampleSite()
	if err != nil {
		t.Fatal(err)
	}
	const retracted = "https://doi.org/10.1016/S0140-6736(97)11096-0"
	claim := linkedOf(t, files["proof/clm-mmr-and-autism/index.html"])
	if slices.Contains(claim.IsBasedOn, retracted) || slices.Contains(claim.Citation, retracted) {
		t.Errorf("the claim is based on %q and cites %q, although it disputes %s", claim.IsBasedOn, claim.Citation, retracted)
	}
	if len(claim.IsBasedOn) == 0 {
		t.Error("the claim is based on nothing")
	}
	const reported = "https://www.who.int/publications/i/item/who-wer9217-205-227" // a secondary source
	if other := linkedOf(t, files["proof/clm-one-dose-protects/index.html"]); !slices.Equal(other.Citation, []string{reported}) {
		t.Errorf("the claim about one dose cites %q", other.Citation)
	}
}
