package site_test

import (
	"bytes"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// TestFindings: the page of a claim has a table of what its evidence found, with a sentence and a
// picture for each outcome. Retracted evidence is named below the table and is not in it.
func TestFindings(t *testing.T) {
	files := must.Get(sampleSite())(t)
	for path, wants := range map[string][]string{
		"proof/clm-mmr-prevents/index.html": {
			`<th scope="row"><a href="../../evidence/evd-mmr-one-dose/">Measles</a><span class="quiet">One dose of MMR vaccine compared with no vaccination, children of 9 months to 15 years</span></th>`,
			`<td data-column="Relative effect">Risk ratio 0.05 (0.02 to 0.13)</td>`,
			`<span class="line">66 per 1,000</span>`, `<span class="line">3 per 1,000 (1 to 9)</span>`,
			`<span class="line">63 fewer per 1,000 (57 to 65 fewer)</span>`,
			`Participants: 12,039. Studies: 7.`,
			`<td data-column="Difference"><span class="line">not estimable, because the risk without is printed as 0</span></td>`, // of an assumed risk of 0
			`<details class="why"><summary>Why moderate certainty?</summary><ul><li>Start: Low certainty: as for observational studies</li>` +
				`<li>+1 Large effect: The risk ratio is far below 0.5; the reviewers raised the certainty by one level.</li>`,
			`<p>One dose of MMR vaccine probably results in a large reduction in measles.</p>`,
			`The sentences are made from the certainty and the judged size of the effect.`,
			`role="img" aria-label="1,000 people, for an assumed risk of 66 per 1,000"><path class="either" d="M5 5h20.01"/>`,
			`</svg> 63 have it only without the intervention</li>`, `</svg> 934 do not have it either way</li>`,
		},
		"proof/clm-stockings-on-flights/index.html": {
			`<span class="line">10 per 1,000 (low risk)</span><span class="line">30 per 1,000 (high risk)</span>`,
			`(11 fewer to 2 more)`, `The reasons are not recorded here.`,
		},
		"decision-views/dec-second-dose/index.html": {
			`<p class="limit"><strong>Weakest outcome that it rests on:</strong> <a href="../../evidence/evd-mmr-one-dose/">`,
		},
		"evidence/evd-steroids-respiratory-distress/index.html": {
			`<section id="certainty"><h2>Why this certainty</h2>`,
			`<td>0 </td><th scope="row">Risk of bias</th><td>Without the two trials`, `The assessors gave no reason to lower or raise it.`,
			`<span class="line">10.5 per 100 (9.6 to 11.5)</span>`,
		},
	} {
		for _, want := range wants {
			if !bytes.Contains(files[path], []byte(want)) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
	}
	if bytes.Contains(files["proof/clm-coverage-plateau/index.html"], []byte(`id="findings"`)) {
		t.Error("a claim without measured effects has a table of findings")
	}

	folder := withSettings(t, nil)
	table := folder["records/evidence/tables/mmr.yaml"]
	first, rest, _ := strings.Cut(string(table.Data), "---\n") // evd-mmr-two-doses
	first += "version: 2\nupdated_date: 2026-11-12\nverification_date: 2026-11-12\n" +
		"corrections:\n  - {date: 2026-11-12, type: retraction, in_version: 2, fields: [effect], summary: The figures were copied from another table.}\n"
	table.Data = []byte(first + "---\n" + rest)
	page := string(makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()[:1]})["proof/clm-mmr-prevents/index.html"])
	at := strings.Index(page, `<section id="findings">`)
	table2, note, _ := strings.Cut(page[at:], "Withdrawn and therefore not in the table:")
	if strings.Contains(table2, "evd-mmr-two-doses") || !strings.Contains(table2, "evd-mmr-household") {
		t.Errorf("the table is %s", table2)
	}
	if end := strings.Index(note, "</ul>"); end < 0 || !strings.Contains(note[:end], "evd-mmr-two-doses") {
		t.Errorf("the note is %.300s", note)
	}
	if strings.Contains(note, "Two doses of MMR vaccine probably results") {
		t.Error("there is a sentence of the retracted evidence")
	}
}
