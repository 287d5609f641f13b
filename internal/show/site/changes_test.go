package site_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/site"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// TestGroupsOfChanges: what happened to very many records at once is one entry of the time line, of
// its filters and of the first page, and leads to the events, also when those are archived.
func TestGroupsOfChanges(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	folder := must.Get(specimen.Starter())(t)
	var previous *release.Release
	build := func(date record.Date) map[string][]byte {
		t.Helper()
		made := must.Get(specimen.Build(folder, compiler.Options{
			Date: date, Previous: previous, NoVariants: true, Render: []render.Renderer{site.Options{}.Write},
		}))(t)
		previous = made.Release
		return maps.Collect(made.Memory.All())
	}
	build("2026-02-01")
	var lines strings.Builder
	for i := range 201 {
		fmt.Fprintf(&lines, `{"id":"ent-more-%03d","version":1,"title":"More","summary":"More.","source_links":[{"url":"https://example.org/","source_id":"src-example-report","role":"primary"}],`+
			`"verification_date":"2026-03-01","source_updates":[],"corrections":[],"published_date":"2026-03-01","updated_date":"2026-03-01","entity_type":"place","name":"More"}`+"\n", i)
	}
	folder["records/entities/more.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	now := build("2026-03-01")
	group := previous.Manifest.Release + "-entity-created"
	for path, wants := range map[string][]string{
		"changes/index.html": {
			`<li id="group-` + group + `">`, `href="../api/v1/changes.json">201 entities</a>`,
		},
		"index.html":          {`href="api/v1/changes.json">201 entities</a>`},
		"search/changes.json": {`"group-` + group + `","2026-03-01"`, `"201 entities","/api/v1/changes.json"`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(now[path]), want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
	if strings.Contains(string(now["changes/index.html"]), "ent-more-000") {
		t.Error("the time line tells of each record, too")
	}
	if !strings.Contains(string(now["entities/ent-more-000/index.html"]), previous.Manifest.Release) {
		t.Error("the page of a record does not tell of its event")
	}
	tellsOfIndicators(t, folder, build)
	tellsBothValues(t, folder, build)
	rise := "records/signals/sig-example-rise.yaml"
	folder[rise] = &fstest.MapFile{Data: []byte(strings.NewReplacer("\nversion: 1\n", "\nversion: 2\n", "updated_date: 2026-01-10", "updated_date: 2028-03-01").Replace(string(folder[rise].Data)))}
	first, rest, _ := strings.Cut(lines.String(), "\n")
	folder["records/entities/more.ndjson"].Data = []byte(strings.NewReplacer(`"ent-more-000","version":1`, `"ent-more-000","version":2`,
		`"corrections":[],"published_date":"2026-03-01","updated_date":"2026-03-01"`, `"corrections":[{"date":"2028-03-01","type":"retraction",`+
			`"in_version":2,"fields":["title"],"summary":"It does not exist."}],"published_date":"2026-03-01","updated_date":"2028-03-01"`).Replace(first) + "\n" + rest)
	later := build("2028-03-01")
	for _, want := range []string{
		`<section id="points">`, `<strong>Revised:</strong> <a href="../signals/sig-example-rise/#chg-` + previous.Manifest.Release + `-sig-example-rise">`,
		`<strong>No longer valid:</strong> <a href="../entities/ent-more-000/#chg-` + previous.Manifest.Release + `-ent-more-000">More</a>. <span>It does not exist.</span> <a href="../in-question/">In question</a>`,
	} {
		if !strings.Contains(string(later["changes/index.html"]), want) {
			t.Errorf("the main points lack %q: %.1500s", want, later["changes/index.html"][bytes.Index(later["changes/index.html"], []byte(`id="points"`)):])
		}
	}
	if want := `href="../archive/changes-2026.ndjson.zst">201 entities</a>`; !strings.Contains(string(later["changes/index.html"]), want) {
		t.Errorf("the time line lacks %q", want)
	}
	if previous.Manifest.Kind("change_event").Count != 2 {
		t.Errorf("%d events", previous.Manifest.Kind("change_event").Count)
	}
}

// tellsOfIndicators: what happened to many values of an indicator is one entry, which leads to the
// indicator; what happened to a few is not.
func tellsOfIndicators(t *testing.T, folder fstest.MapFS, build func(record.Date) map[string][]byte) {
	t.Helper()
	for _, indicator := range []string{"many", "also many", "few"} {
		var lines strings.Builder
		for i := range 12 {
			if indicator == "few" && i > 2 {
				break
			}
			fmt.Fprintf(&lines, `{"id":"sta-%[1]s-%[2]d","version":1,"title":"Value %[2]d of %[1]s","summary":"A value.","claim_boundary":{"statement":"Made up."},"source_links":[{"url":"https://example.org/","source_id":"src-example-report","role":"primary"}],`+
				`"verification_date":"2026-03-02","source_updates":[],"corrections":[],"published_date":"2026-03-02","updated_date":"2026-03-02",`+
				`"indicator":"%[3]s","ref_area_scheme":"iso3166","ref_area":"FRA","time_period":"%[4]d","value":%[2]d,"unit":"cases","unit_label":"cases","obs_status":"A"}`+"\n",
				strings.ReplaceAll(indicator, " ", "-"), i, indicator, 2000+i)
		}
		folder["records/healthcare-statistics/"+strings.ReplaceAll(indicator, " ", "-")+".ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	}
	page := string(build("2026-03-02")["changes/index.html"])
	for _, want := range []string{`healthcare-statistics/many/">Many, 12 values</a>`, "-healthcare_statistic-created-also%20many", ">Value 0 of few</a>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the time line lacks %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, "Value 0 of many") {
		t.Error("the time line tells of each value, too")
	}
}

// tellsBothValues: the time line and the first page lead to an event of a value on the page of its
// indicator, where both values stand, with why.
func tellsBothValues(t *testing.T, folder fstest.MapFS, build func(record.Date) map[string][]byte) {
	t.Helper()
	const few = "records/healthcare-statistics/few.ndjson"
	lines := strings.SplitAfter(string(folder[few].Data), "\n")
	lines[2] = strings.NewReplacer(`"version":1`, `"version":2`, `"value":2,`, `"value":2.75,`, `"updated_date":"2026-03-02"`, `"updated_date":"2026-03-03"`,
		`"corrections":[]`, `"corrections":[{"date":"2026-03-03","type":"correction","in_version":2,"fields":["value"],"summary":"Read wrong."}]`).Replace(lines[2])
	folder[few] = &fstest.MapFile{Data: []byte(strings.Join(lines, ""))}
	files := build("2026-03-03")
	_, rest, _ := strings.Cut(string(files["changes/index.html"]), `<a href="../healthcare-statistics/few/?area=FRA#`)
	event, _, _ := strings.Cut(rest, `"`)
	_, said, ok := strings.Cut(string(files["healthcare-statistics/few/index.html"]), `<li id="`+event+`">`)
	if !ok || !strings.Contains(said, "<del>2</del> <ins>2.75</ins>") || !strings.Contains(said, "Read wrong.") {
		t.Errorf("the event %q says %s", event, said)
	}
	if !strings.Contains(string(files["index.html"]), "healthcare-statistics/few/?area=FRA#"+event+`">Value 2 of few</a> <strong>2 → 2.75</strong>`) {
		t.Error("the first page does not lead there")
	}
}
