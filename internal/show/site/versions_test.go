package site_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/describe"
	"stele/internal/show/site"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// TestVersionPages: what was superseded has a page that says so, and the record's own page leads to
// it and shows which words changed.
func TestVersionPages(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	folder := must.Get(specimen.Starter())(t)
	var previous *release.Release
	build := func(folder fstest.MapFS, date record.Date, removed ...string) map[string][]byte {
		t.Helper()
		made := must.Get(specimen.Build(folder, compiler.Options{
			Date: date, Previous: previous, NoVariants: true, AllowShrink: true, AllowRemoved: removed,
			Render: []render.Renderer{site.Options{}.Write, describe.Options{}.Write},
		}))(t)
		previous = made.Release
		report, err := previous.Verify(t.Context(), nil)
		if err != nil || len(report.Faults) > 0 {
			t.Fatal(report, err)
		}
		return maps.Collect(made.Memory.All())
	}
	edit := func(path string, pairs ...string) {
		t.Helper()
		text := strings.NewReplacer(pairs...).Replace(string(folder[path].Data))
		if text == string(folder[path].Data) {
			t.Fatalf("%s is as it was", path)
		}
		folder = maps.Clone(folder)
		folder[path] = &fstest.MapFile{Data: []byte(text)}
	}
	build(folder, "2026-01-31")
	const entity, signal = "records/entities/ent-example-coverage.yaml", "records/signals/sig-example-rise.yaml"
	edit(entity, "version: 1", "version: 2", "The share of children", "The part of all children", "updated_date: 2026-01-10", "updated_date: 2026-02-01")
	edit(signal, "version: 1", "version: 2\nlicense: CC0-1.0", "corrections: []", "corrections:\n  - date: 2026-02-01\n    type: clarification\n    in_version: 2\n    fields: [license]\n    summary: The <licence> was missing.", "updated_date: 2026-01-10", "updated_date: 2026-02-01")
	edit("records/decision-views/dec-example-reminders.yaml", "version: 1", "version: 2", "corrections: []", "corrections:\n  - date: 2026-02-01\n    type: retraction\n    in_version: 2\n    fields: [decision_label]\n    summary: It was wrong.", "updated_date: 2026-01-10", "updated_date: 2026-02-01")
	folder = maps.Clone(folder)
	delete(folder, "records/public-references/ref-example-poster.yaml")
	all := build(folder, "2026-02-28", "ref-example-poster: It was <withdrawn>.")
	crawl(t, all)
	for path, wants := range map[string][]string{
		"entities/ent-example-coverage/versions/1/index.html": {
			`<meta name="robots" content="noindex"><link rel="canonical" href="https://`, "/healthcare-statistics/mcv1/\">",
			"<strong>Superseded.</strong> This is version 1.", "2026-02-28", previous.Manifest.Release,
			"<del>share</del>", "<ins>part</ins>", "<ins>all</ins>", "The share of children who had",
			`<code>/history/entities.ndjson.zst</code>`, "<dt>Verified</dt>", `<a href="../../../../healthcare-statistics/mcv1/">Read the newest version</a>`,
		},
		"healthcare-statistics/mcv1/index.html":                      {`<a href="../../entities/ent-example-coverage/versions/1/">See version 1</a>`, "<del>share</del>", "<ins>part</ins>", "<ins>all</ins>"},
		"decision-views/dec-example-reminders/versions/1/index.html": {"<dt>Options</dt>", "<dt>Considerations</dt>", "What changed after this version</h2><p>It was wrong.</p>"},
		"signals/sig-example-rise/versions/1/index.html":             {"<dt><code>license</code></dt>", "<ins>CC0-1.0</ins>", "<code>/history/signals/sig-example-rise.ndjson</code>", `<div class="warning" role="note">`, "The &lt;licence&gt; was missing."},
		"signals/sig-example-rise/index.html":                        {">Clarification</a>", "The &lt;licence&gt; was missing.", "Changed: license."},
		"changes/index.html":                                         {"<p>The &lt;licence&gt; was missing.</p>", "Changed: license.", `<a href="../signals/sig-example-rise/#`, `<a href="../healthcare-statistics/mcv1/#`},
		"search/changes.json":                                        {`"The <licence> was missing.","license",""]`},
		"public-references/ref-example-poster/versions/1/index.html": {"<strong>Removed.</strong> This is version 1.", "It was &lt;withdrawn&gt;."},
	} {
		for _, want := range wants {
			if !strings.Contains(string(all[path]), want) {
				t.Errorf("%s has no %s:\n%s", path, want, all[path])
			}
		}
	}
	if n := strings.Count(string(all["signals/sig-example-rise/index.html"]), "was missing."); n != 2 { // in JSON-LD too
		t.Errorf("the correction stands on the page %d times", n)
	}
	if strings.Contains(string(all["changes/index.html"]), "corrections/") {
		t.Error("the time line has the name of a member and not its words")
	}
	if strings.Contains(string(all["public-references/ref-example-poster/versions/1/index.html"]), "Read the newest version") {
		t.Error("the page of a removed record leads to a newest version")
	}
	if strings.Contains(string(all["sitemap.xml"]), "/versions/") {
		t.Error("the site map has an earlier version")
	}
	edit(entity, "version: 2", "version: 3\nlicense: CC0-1.0", "updated_date: 2026-02-01", "updated_date: 2026-03-01")
	again := build(folder, "2026-03-31")
	const first = "entities/ent-example-coverage/versions/1/index.html"
	if string(again[first]) != string(all[first]) {
		t.Errorf("the page of the first version changed with the third:\n%s", again[first])
	}
	if again["entities/ent-example-coverage/versions/2/index.html"] == nil {
		t.Error("the second version has no page")
	}
}
