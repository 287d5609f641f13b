package site_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// TestClaimEvidence: the page of a claim says what would change it, if the publisher wrote that. A
// long list of evidence is folded by certainty, the most certain first, and names every piece once.
func TestClaimEvidence(t *testing.T) {
	const head, sentence = "What would change it</h2>", "Cohorts that follow children for longer"
	files := must.Get(sampleSite())(t)
	if page := string(files["proof/clm-one-dose-protects/index.html"]); !strings.Contains(page, head+"<p>"+sentence) {
		t.Errorf("the page of the claim lacks %s", sentence)
	}
	if strings.Contains(string(files["proof/clm-mmr-and-autism/index.html"]), head) {
		t.Error("a claim without the member has its heading")
	}

	all := strings.Fields("evd-text-reminders evd-mmr-household evd-mmr-two-doses evd-mmr-rubella evd-kenya-trial " +
		"evd-parents-views evd-world-coverage evd-steroids-neonatal-death")
	folder := withSettings(t, nil)
	claim := strings.Replace(string(folder["records/proof/coverage-plateau.yaml"].Data), "id: clm-coverage-plateau", "id: clm-much-evidence", 1)
	var list strings.Builder
	for _, id := range all {
		list.WriteString("  - {evidence_id: " + id + ", stance: supports}\n")
	}
	before, after, _ := strings.Cut(claim, "evidence:\n")
	_, after, _ = strings.Cut(after, "evidence_label:")
	folder["records/proof/much.yaml"] = &fstest.MapFile{Data: []byte(before + "evidence:\n" + list.String() + "evidence_label:" + after)}
	page := string(makeSite(t, folder, compiler.Options{NoVariants: true})["proof/clm-much-evidence/index.html"])
	_, page, _ = strings.Cut(page, `<section class="stance supports">`)
	page, _, _ = strings.Cut(page, "</section>")
	for _, id := range all {
		if n := strings.Count(page, `/evidence/`+id+`/"`); n != 1 {
			t.Errorf("%s is listed %d times", id, n)
		}
	}
	rest := page
	for _, group := range []string{"high", "moderate", "low", "not_rated"} {
		open := ""
		if group == "high" {
			open = " open"
		}
		group = "<details" + open + `><summary><span class="badge evidence_label ` + group + `"`
		_, after, ok := strings.Cut(rest, group)
		if !ok {
			t.Fatalf("there is no %s after the groups before it: %.1500s", group, page)
		}
		rest = after
	}
}
