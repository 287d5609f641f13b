package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/race"
)

// TestManyFigures: where the figures of an indicator are too many for a page, those of each area
// have one, and whatever leads to a figure leads there.
func TestManyFigures(t *testing.T) {
	race.LeaveOut(t, "reads pages, which are made as those of the sample are")
	const table = "records/healthcare-statistics/mcv1/countries/coverage.csv"
	folder := withSettings(t, nil)
	rows := slices.Clone(folder[table].Data)
	countries := strings.Fields("AUT BEL BGR CHE CYP CZE DEU DNK ESP EST FIN FRA GRC HRV HUN IRL ITA LTU LUX LVA MLT NLD NOR POL PRT ROU SVK SVN SWE")
	for _, code := range countries {
		for year := 1980; year < 2012; year++ {
			rows = fmt.Appendf(rows, "%s,Country %[1]s,%d,%d\n", code, year, year-1920)
		}
	}
	folder[table] = &fstest.MapFile{Data: rows}
	files := makeSite(t, folder, compiler.Options{NoVariants: true})
	for path, wants := range map[string][]string{
		"healthcare-statistics/mcv1/index.html": {
			`<a href="../../healthcare-statistics/mcv1/areas/AUT/">Country AUT</a></th><td class="num">91</td>`,
			`<a href="../../healthcare-statistics/mcv1/areas/GBR/">United Kingdom</a>`,
		},
		"healthcare-statistics/mcv1/areas/GBR/index.html": {
			`<a href="../../../../healthcare-statistics/mcv1/">Indicator</a>`,
			`<h1>Coverage with a first dose of measles vaccine, United Kingdom</h1>`, `<a href="../../../../entities/ent-gbr/">All indicators of United Kingdom</a>`, `<tr id="sta-mcv1-GBR-1998">`,
		},
		"signals/sig-samoa-coverage-gap/index.html": {`href="../../healthcare-statistics/mcv1/areas/WSM/#sta-mcv1-WSM-`},
		"places/AUT/index.html": {
			"<h1>Country AUT</h1>", `<a href="../../healthcare-statistics/mcv1/areas/AUT/">Coverage with a first dose`, "<strong>91</strong>",
		},
		"sitemap.xml": {"/healthcare-statistics/mcv1/areas/AUT/</loc>", "/places/AUT/</loc>"},
		// few enough for one page
		"healthcare-statistics/measles_cases/index.html": {`<tr id="sta-measles-cases-`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s does not have %s", path, want)
			}
		}
	}
	if page := string(files["healthcare-statistics/mcv1/index.html"]); strings.Contains(page, `<tr id="sta-`) {
		t.Error("the figures are on the indicator's page too")
	}
}
