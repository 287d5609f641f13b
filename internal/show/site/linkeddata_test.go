package site_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// linkedOf is the JSON-LD of a page.
func linkedOf(t *testing.T, page []byte) (found struct {
	IsBasedOn []string
	Citation  []string
	Type      string `json:"@type"`
	Text      string
	Author    struct{ Name string }
	Version   string
	License   string
	SubjectOf struct{ Version, License string }
},
) {
	t.Helper()
	script := regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`).FindSubmatch(page)
	if script == nil {
		t.Fatal("the page has no JSON-LD")
	}
	must.Do(t, json.Unmarshal(script[1], &found))
	return found
}

// TestBasedOn: JSON-LD has a claim based on what it is derived from, and not on the retracted paper
// that it disputes. What it only cites is a citation.
func TestBasedOn(t *testing.T) {
	files := must.Get(sampleSite())(t)
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

// TestLinkedTypes: a claim has its words and who makes them, and no verdict. Version and licence
// are the record's, and not those of the place or the paper that it is about. Types are those of
// schema.org.
func TestLinkedTypes(t *testing.T) {
	files := must.Get(sampleSite())(t)
	claim := linkedOf(t, files["proof/clm-mmr-and-autism/index.html"])
	if claim.Type != "Claim" || !strings.HasPrefix(claim.Text, "Children who have MMR vaccine are no more likely") || claim.Author.Name != "Cochrane" || claim.Version == "" {
		t.Errorf("%+v", claim)
	}
	for path, kind := range map[string]string{"entities/ent-ukr/": "Place", "entities/ent-measles/": "MedicalCondition", "source-objects/src-lancet-1998/": "ScholarlyArticle"} {
		if found := linkedOf(t, files[path+"index.html"]); found.Type != kind || found.Version != "" ||
			found.SubjectOf.Version == "" || found.SubjectOf.License == "" {
			t.Errorf("%s: %+v", path, found)
		}
	}
	known := strings.Fields(`Claim Report CreativeWork Dataset ScholarlyArticle MedicalGuideline WebPage Legislation
		Organization Place MedicalAudience MedicalCondition MedicalTherapy StatisticalVariable DataCatalog DataDownload
		CorrectionComment`)
	types := regexp.MustCompile(`"@type":"([^"]*)"`)
	for path, data := range files {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		for _, block := range linkedPattern.FindAllSubmatch(data, -1) {
			for _, m := range types.FindAllSubmatch(block[1], -1) {
				if !slices.Contains(known, string(m[1])) {
					t.Errorf("%s has the type %s", path, m[1])
				}
			}
		}
	}
}
