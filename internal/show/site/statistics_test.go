package site_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// TestFiguresThatAreNoValues: a bound is shown as one and a code as what it means, wherever the
// statistic is named, and neither as a value. A place
// has its continent beside it.
func TestFiguresThatAreNoValues(t *testing.T) {
	race.LeaveOut(t, "it reads pages, which are made as those of the sample are")
	folder := must.Get(specimen.Sample())(t)
	folder["records/healthcare-statistics/measles-cases/bound.yaml"] = &fstest.MapFile{Data: []byte(
		"id: sta-bound\ntitle: A bound\nsummary: Fewer than five.\nref_area_scheme: iso3166\nref_area: FRA\nx_area_name: France\ntime_period: 2001-04-01/P1Y\nless_than: 5\nobs_status: Q\n")}
	folder["records/healthcare-statistics/measles-cases/region.yaml"] = &fstest.MapFile{Data: []byte(
		"id: sta-region\ntitle: A region\nsummary: All of it.\nref_area_scheme: un_m49\nref_area: \"150\"\nx_area_name: Europe\ntime_period: 2001-04-01/P1Y\nvalue: 1234\nobs_status: A\n")}
	outbreaks := folder["records/evidence/large-outbreaks.yaml"]
	folder["records/evidence/large-outbreaks.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(string(outbreaks.Data),
		"statistic_ids:\n", "statistic_ids:\n  - sta-bound\n  - sta-measles-status-GBR-2018\n", 1))}
	files := makeSite(t, folder, compiler.Options{NoVariants: true})
	for page, wants := range map[string][]string{
		"evidence/evd-large-outbreaks/index.html":         {"&lt;5", "Eliminated before, and spreading again"},
		"healthcare-statistics/measles_cases/index.html":  {"&lt;5", "Suppressed"},
		"healthcare-statistics/measles_status/index.html": {"re_established", "Eliminated before, and spreading again"},
		"places/FRA/index.html":                           {`<th scope="col">Europe</th>`, "1,234 ", "?areas=FRA*150"},
		"api/v1/graph-edges.json":                         {"evd-large-outbreaks--cites--sta-bound"},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[page]), want) {
				t.Errorf("%s has no %s", page, want)
			}
		}
	}
	if strings.Contains(string(files["healthcare-statistics/measles_status/index.html"]), "<svg class=\"chart") {
		t.Error("codes are drawn")
	}
}
