package site_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
)

// TestLatestValues: results of the search show an indicator's newest figure as it was published: a
// bound as a bound, a code as what it means, and nothing in place of one that was retracted.
func TestLatestValues(t *testing.T) {
	const common = `"version":2,"title":"T","summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10","source_updates":[],` +
		`"published_date":"2026-01-10","updated_date":"2026-01-10","claim_boundary":{"statement":"B","place":"France"},"ref_area_scheme":"iso3166","ref_area":"FRA","unit":"u","obs_status":"A"`
	const none, retracted = `"corrections":[]`, `"corrections":[{"date":"2026-01-10","type":"retraction","in_version":2,"fields":["value"],"summary":"Wrong."}]`
	folder := withSettings(t, nil)
	for path := range folder {
		if strings.HasPrefix(path, "records/") {
			delete(folder, path)
		}
	}
	folder["records/entities/e.ndjson"] = &fstest.MapFile{Data: []byte(`{"id":"ent-law","version":1,"title":"Law","summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10","entity_type":"indicator","name":"Law","measure":{"code":"law","codes":{"y":"there is one","n":"there is none"}}}` + "\n")}
	folder["records/healthcare-statistics/s.ndjson"] = &fstest.MapFile{Data: []byte(
		`{"id":"sta-1",` + common + `,` + none + `,"unit_label":"cases","indicator":"few","time_period":"2019","value":7}` + "\n" +
			`{"id":"sta-2",` + common + `,` + none + `,"unit_label":"cases","indicator":"few","time_period":"2020","less_than":5}` + "\n" +
			`{"id":"sta-3",` + common + `,` + none + `,"unit_label":"answer","indicator":"law","indicator_id":"ent-law","time_period":"2020","code":"n"}` + "\n" +
			`{"id":"sta-4",` + common + `,` + none + `,"unit_label":"cases","indicator":"lost","time_period":"2019","value":1234567}` + "\n" +
			`{"id":"sta-5",` + common + `,` + retracted + `,"unit_label":"cases","indicator":"lost","time_period":"2020","value":9}` + "\n" +
			`{"id":"sta-6",` + common + `,` + none + `,"unit_label":"cases","indicator":"many","time_period":"2020","value":1234567.50}` + "\n")}
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()[:1]})
	rows := string(files["search/rows/0.json"])
	for _, want := range []string{
		`["/healthcare-statistics/few/","Few","","","","","<5 cases, 2020, France"]`,
		`["/healthcare-statistics/law/","Law","S","","","","there is none, 2020, France"]`,
		`["/healthcare-statistics/lost/","Lost","","","","",""]`,
		`["/healthcare-statistics/many/","Many","","","","","1,234,567.50 cases, 2020, France"]`,
		`["/places/FRA/","France","","","","",""]`,
	} {
		if !strings.Contains(rows, want) && !strings.Contains(rows, strings.ReplaceAll(want, "<", `\u003c`)) {
			t.Errorf("%s is not in\n%s", want, rows)
		}
	}
}
