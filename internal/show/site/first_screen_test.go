package site_test

import (
	"regexp"
	"strings"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// textOf is what a reader sees of a part of a page, without markup.
func textOf(t *testing.T, path, from, to string) string {
	t.Helper()
	files := must.Get(sampleSite())(t)
	_, rest, ok := strings.Cut(string(files[path]), from)
	if !ok {
		t.Fatalf("%s has no %s", path, from)
	}
	part, _, _ := strings.Cut(rest, to)
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(part, " ")
	return strings.Join(strings.Fields(text), " ")
}

// TestStatusLine: under its title a record says in one line how certain it is, who says so, when it
// was verified, its version, when it changed, and what is known against it. That nothing is known
// is no verdict, and so not there.
func TestStatusLine(t *testing.T) {
	race.LeaveOut(t, "makes one release after the other")
	for path, want := range map[string]string{
		"proof/clm-one-dose-protects/index.html":              "Moderate certainty Cochrane verified 2026-11-06 version 1",
		"proof/clm-falling-coverage-and-outbreaks/index.html": "Low certainty The sample's editors verified 2026-10-26 version 2 changed 2026-10-26 In question",
		"signals/sig-venezuela-importation/index.html":        "verified 2026-10-26 version 2 changed 2026-10-26 Partly retracted",
		"decision-views/dec-early-warning/index.html":         "Undecided verified 2026-11-09 version 1",
		"evidence/evd-paper-of-1998/index.html":               "Certainty not rated verified 2026-10-26 version 3 changed 2026-10-26 Retracted",
		"source-objects/src-lancet-1998/index.html":           "The Lancet verified 2026-11-03 version 1 Retracted",
		"decision-views/dec-reminders/index.html":             "Adopt with conditions verified 2026-11-09 version 1",
		"recommendations/rec-reminders/index.html":            "Conditional recommendation verified 2026-11-09 version 1",
	} {
		if _, got, _ := strings.Cut(textOf(t, path, `<ul class="status`, "</ul>"), `">`); strings.TrimSpace(got) != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestTraceOnce: figures that rest on one source stand together, with that source once, and a
// source that a record names itself is not told again beside the evidence that leads to it.
func TestTraceOnce(t *testing.T) {
	down := textOf(t, "signals/sig-samoa-coverage-gap/index.html", `<section id="rests-on"`, "</section>")
	if n := strings.Count(down, "Global Health Observatory"); n != 2 || !strings.Contains(down, "7 statistics Measles vaccine coverage, Samoa, 2002 ") {
		t.Errorf("the source of figures and evidence stands %d times in %s", n, down)
	}
	down = textOf(t, "proof/clm-one-dose-protects/index.html", `<section id="rests-on"`, "</section>")
	if n := strings.Count(down, "Vaccines for measles, mumps, rubella"); n != 1 {
		t.Errorf("the review stands %d times in %s", n, down)
	}
}

// TestTraceOnPages: a decision is followed down to its sources, and a source up to what rests on
// it, without a script.
func TestTraceOnPages(t *testing.T) {
	down := textOf(t, "decision-views/dec-reminders/index.html", `<section id="rests-on"`, "</section>")
	last := 0
	for _, kind := range []string{"recommendation", "opportunity", "evidence record", "source"} {
		at := strings.Index(down[last:], " "+kind+" ")
		if at < 0 {
			t.Fatalf("after %d, %s is not in %s", last, kind, down)
		}
		last += at
	}
	if strings.Count(down, "least certain evidence") != 1 {
		t.Errorf("the least certain evidence is not marked once in %s", down)
	}
	up := textOf(t, "source-objects/src-cochrane-mmr-2021/index.html", `<section id="bears"`, "</section>")
	for _, want := range []string{"evidence record One dose of MMR vaccine and measles", "claim One dose of MMR vaccine protects"} {
		if !strings.Contains(up, want) {
			t.Errorf("%s is not in %s", want, up)
		}
	}
	figures := textOf(t, "healthcare-statistics/mcv1/index.html", `<section id="about"`, "</section>")
	if !strings.Contains(figures, "Signals 6") {
		t.Errorf("about the coverage are %s", figures)
	}
}

// TestHome: the first page leads with a claim, its label and boundary, and with a figure; then it
// has more claims, signals and figures, what changed and why, decisions, and the kinds that there
// are.
func TestHome(t *testing.T) {
	home := textOf(t, "index.html", `<div class="front">`, "<footer>")
	last := -1
	for _, want := range []string{"no more likely to develop autism", "Moderate certainty", "What this does and does not cover", "85 per cent of one-year-olds World, 2015", "Claims", "Signals", "Figures", "All 9 indicators", "Latest changes", "no longer suggests that the 1998 paper", "Decisions", "What is published", "Get the data"} {
		at := strings.Index(home, want)
		if at <= last {
			t.Errorf("%q stands at %d, not after %d, in %s", want, at, last, home)
		}
		last = at
	}
	if lead := textOf(t, "index.html", `<section class="lead-chart">`, "</section>"); strings.Count(lead, "per cent of one-year-olds") != 1 {
		t.Errorf("the first chart says its unit not once: %s", lead)
	}
	if trust := textOf(t, "index.html", `<p class="trust">`, "</p>"); !strings.HasSuffix(trust, "How this is made In question") {
		t.Errorf("why to trust it is %s", trust)
	}
	if kinds := home[strings.Index(home, "What is published"):]; strings.Contains(kinds, "Graph nodes") {
		t.Errorf("the kinds are %s", kinds)
	}
}
