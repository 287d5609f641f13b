package site_test

import (
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestShown: a signal shows its figures, drawn and as values; a size of effect what its line means;
// a decision its options by criteria. What a record is based on is folded, below its sources, and
// statistics there have their values.
func TestShown(t *testing.T) {
	files := must.Get(sampleSite())(t)
	for path, wants := range map[string][]string{
		"signals/sig-ukraine-coverage-fall/index.html": {
			`<svg role="img" viewBox=`, `#sta-mcv1-UKR-2008">2008</a></th><td class="num">94</td>`, "<strong>94</strong> per cent of one-year-olds",
		},
		"evidence/evd-mmr-one-dose/index.html": {
			">0.05</text>", ">1</text>", "← lower risk", "1 means no difference. Logarithmic scale.",
		},
		"decision-views/dec-second-dose/index.html": {
			`<th scope="col"><span>Add a second routine dose</span><span class="verdict">Chosen `,
			`<th scope="row">Evidence behind it</th><td data-column="Add a second routine dose (Chosen)">`,
			`<th scope="row">What does it cost?</th><td colspan="3">`,
		},
	} {
		page := string(files[path])
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not have %s", path, want)
			}
		}
		sources, trace := strings.Index(page, `<section id="sources">`), strings.Index(page, `<section id="rests-on" class="trace"><details><summary>`)
		if sources < 0 || trace < sources {
			t.Errorf("%s: the trace is at %d, the sources at %d", path, trace, sources)
		}
	}
	if strings.Contains(string(files["signals/sig-ukraine-coverage-fall/index.html"]), "<dt>Statistic</dt>") {
		t.Error("the signal lists its statistics once more")
	}
}
