package site_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// TestRetractedAdvice: a recommendation that was retracted is marked in the table of a decision,
// and neither its strength nor its evidence counts there.
func TestRetractedAdvice(t *testing.T) {
	const path = "records/recommendations/vaccination.yaml"
	folder := withSettings(t, nil)
	before, record, _ := strings.Cut(string(folder[path].Data), "id: rec-reminders\nversion: 1\n")
	record, after, _ := strings.Cut(record, "\n---\n")
	record = strings.Replace(record, "updated_date: 2026-11-10", "updated_date: 2026-11-12\ncorrections:\n"+
		"  - {date: 2026-11-12, type: retraction, in_version: 2, fields: [action], summary: It was wrong.}", 1)
	folder[path] = &fstest.MapFile{Data: []byte(before + "id: rec-reminders\nversion: 2\n" + record + "\n---\n" + after)}
	for _, name := range []string{"reminders", "small-payments"} { // which say that they hold anyway
		path := "records/decision-views/" + name + ".yaml"
		folder[path] = &fstest.MapFile{Data: []byte(strings.NewReplacer(
			"version: 1\n", "version: 2\ncorrections:\n  - {date: 2026-11-12, type: clarification, in_version: 2, fields: [summary], summary: Looked at again., because_of: [rec-reminders]}\n",
			"verification_date: 2026-11-09", "verification_date: 2026-11-12", "updated_date: 2026-11-10", "updated_date: 2026-11-12",
		).Replace(string(folder[path].Data)))}
	}
	page := string(makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()[:1]})["decision-views/dec-reminders/index.html"])
	_, cell, _ := strings.Cut(page, `<section id="options">`)
	cell, _, _ = strings.Cut(cell, "</section>")
	for _, want := range []string{`class="withdrawn"><p><span class="card-title">`, "Retracted</span>", "Withdrawn, not counted"} {
		if !strings.Contains(cell, want) {
			t.Errorf("the options do not have %s:\n%s", want, cell)
		}
	}
	if strings.Contains(cell, "evd-text-reminders") {
		t.Error("evidence of a recommendation that was retracted counts")
	}
}

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
