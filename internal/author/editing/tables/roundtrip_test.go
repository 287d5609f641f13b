package tables_test

import (
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stele/internal/author/editing/tables"
	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// The folder that tables are imported into, without its statistics.
const (
	roundSettings = "title: T\npublisher: P\ndescription: D\nbase_url: https://records.example.org\nlicense: CC-BY-4.0\nnotice: N\ncontact: a@example.org\nlanguage: en\n"
	roundShared   = "version: 1\nsource_links: [{url: https://example.org/, role: primary}]\nverification_date: 2026-01-02\n" +
		"source_updates: []\ncorrections: []\npublished_date: 2026-01-02\nupdated_date: 2026-01-02\n"
	roundEntities = "id: ent-a\ntitle: A\nsummary: S\nentity_type: indicator\nname: A\nmeasure: {code: a, unit: one, dimensions: [{name: sex, codes: {f: Females, m: Males}}]}\n---\n" +
		"id: ent-b\ntitle: B\nsummary: S\nentity_type: indicator\nname: B\nmeasure: {code: b, codes: {\"60\": By law, \"61\": Not at all}}\n"
	roundStatistics = roundShared + "title: \"{ref_area}, {time_period}\"\nsummary: \"=1, \\\"quoted\\\"\"\nunit: one\nunit_label: one\nobs_status: A\n" +
		"claim_boundary: {statement: B, excludes: [\"x, y\", \"z\"]}\naliases: [\"a, b\"]\n"
	roundMap = `
table: {decimal: ",", thousands: " ", missing: [n/a], marks: {"*": {note: "Late, and by \"mail\"."}, "p": {obs_status: P}, "..": {obs_status: L}, "c": {obs_status: Q}}}
columns: {ref_area: Country, x_area_name: Country, time_period: Year, vintage: Edition, dimensions.sex: Sex, numerator: N, denominator: D}
areas: {World: {ref_area_scheme: un_m49, ref_area: "001"}}
words: {code: {"Yes": "60", "No": "61"}}
series:
  - {folder: a, value: A, set: {interval: confidence, level: "95", indicator: a, indicator_id: ent-a}}
  - {folder: b, value: B, as: code, set: {indicator: b, indicator_id: ent-b}}
`
)

// figuresOf generates tables with all that people write in the place of a value.
func figuresOf(t *rapid.T) string {
	digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,2}( [0-9]{3}){0,2})(,[0-9]{1,9}0{0,2})?`)
	around := func(before, after string) *rapid.Generator[string] {
		return rapid.Map(digits, func(s string) string { return before + s + after })
	}
	cell := rapid.OneOf(
		digits, around("", "*"), around("", "*p"), around("<", ""), around("> ", ""),
		rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(1, 999).Draw(t, "value")
			return fmt.Sprintf("%d,50 (%d–%d,500)", n, n-1, n)
		}),
		rapid.SampledFrom([]string{"", "n/a", "..", "c"}),
	)
	rows := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		return strings.Join([]string{
			pick("area", "France", "ITA", "Ivory Coast", "World"),
			pick("period", "2016", "2016-2020", "2016Q3", "2016-W29", "2016-07-01/P1Y", "2016M07", "2016-S1"),
			pick("edition", "", "2024", "2025-07"), pick("sex", "", "f", "m"),
		}, ";")
	}), 1, 15, rapid.ID[string]).Draw(t, "rows")
	var b strings.Builder
	b.WriteString("Country;Year;Edition;Sex;A;B;N;D\n")
	for i, row := range rows {
		first := cell
		if i == 0 { // a table without a figure is an error
			first = digits
		}
		fmt.Fprintf(&b, "%s;%s;%s;%s;%s\n", row, first.Draw(t, "A"), rapid.SampledFrom([]string{"", "Yes", "No", "n/a"}).Draw(t, "B"),
			rapid.SampledFrom([]string{"", "1 000,50"}).Draw(t, "N"), rapid.SampledFrom([]string{"", "7"}).Draw(t, "D"))
	}
	return b.String()
}

// into imports a table into a folder.
func into(t testing.TB, m *tables.Map, name, content string, folder fstest.MapFS) {
	t.Helper()
	result, err := m.Convert(open(t, name, content, m.Table.Options))
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	plan := must.Get(result.Compare(folder, tables.Change{Date: "2026-01-02"}))(t)
	for _, f := range plan.New {
		folder[f.Path] = &fstest.MapFile{Data: f.New}
	}
}

// released builds a folder, and returns its collection of statistics and the CSV of them.
func released(t testing.TB, folder fstest.MapFS) (collection, csv string) {
	t.Helper()
	var choice bulk.Choice
	must.Do(t, choice.Set("csv"))
	made, err := specimen.Build(folder, compiler.Options{
		Date: "2026-02-01", NoVariants: true, Render: []render.Renderer{choice.Write},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, folder["records/healthcare-statistics/a/values.csv"])
	}
	read := func(path string) string {
		return string(must.Get(made.Memory.ReadFile(path))(t))
	}
	return read("api/v1/healthcare-statistics.json"), read(layout.BulkFolder + "healthcare-statistics.csv")
}

// TestRoundTrip: a table that is imported, released and downloaded as CSV gives the same records
// when it is imported again.
func TestRoundTrip(t *testing.T) {
	checks := "25" // each is two builds
	if testing.Short() || race.Enabled {
		checks = "5"
	}
	must.Do(t, flag.Set("rapid.checks", checks))
	first := must.Get(tables.ReadMap(strings.NewReader(roundMap)))(t)
	bare := fstest.MapFS{
		"stele.yaml":                      {Data: []byte(roundSettings)},
		"records/entities/_defaults.yaml": {Data: []byte(roundShared)},
		"records/entities/a.yaml":         {Data: []byte(roundEntities)},
	}
	rapid.Check(t, func(rt *rapid.T) {
		again := must.Get(tables.OpenMap("stele-csv"))(t)
		table := figuresOf(rt)
		from, to := maps.Clone(bare), maps.Clone(bare)
		for _, folder := range []string{"a", "b"} {
			from["records/healthcare-statistics/"+folder+"/_defaults.yaml"] = &fstest.MapFile{
				Data: []byte("id: \"sta-" + folder + "-{ref_area}-{time_period}-{vintage}-{dimensions.sex}\"\n" + roundStatistics),
			}
		}
		into(t, first, "t.csv", table, from)
		want, csv := released(t, from)
		into(t, again, "t.csv", csv, to)
		got, _ := released(t, to)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			rt.Fatalf("the table\n%sgives (-at first +again):\n%s", table, diff)
		}
	})
}
