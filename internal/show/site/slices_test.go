package site_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/sample"
)

// TestSlices: values that are broken down are chosen by one menu for each dimension, in the words
// of the publisher, for chart, table, ranking and map alike. No slice is listed as an area.
func TestSlices(t *testing.T) {
	folder := fstest.MapFS{"stele.yaml": &fstest.MapFile{Data: must.Get(fs.ReadFile(sample.Files, "stele.yaml"))(t)}}
	folder["records/entities/ent-d.yaml"] = &fstest.MapFile{Data: []byte(`id: ent-d
version: 1
title: Deaths by sex and age
summary: Deaths.
entity_type: indicator
name: Deaths
measure:
  code: d
  definition: Deaths of a year.
  dimensions:
    - {name: sex, label: Sex, codes: {f: Women, m: Men, all: All}}
    - {name: age_group, label: Age, codes: {0-14: 0 to 14 years, 15+: 15 years and over, _T: Total}}
source_links: [{url: https://example.org/, role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
first_published_elsewhere: In an atlas.
`)}
	var lines strings.Builder
	areas := []string{"BRA", "FRA", "IND", "USA"}
	for a, area := range areas {
		for s, sex := range []string{"f", "m", "all"} {
			for g, age := range []string{"0-14", "15+", "_T"} {
				for year := 2014; year < 2017; year++ {
					m := made{
						period: fmt.Sprint(year), status: "A", sex: sex + `","age_group":"` + age,
						figure: fmt.Sprintf(`"indicator_id":"ent-d","value":%d,`, 1000*(a+1)+100*s+10*g+year-2014),
					}
					lines.WriteString(m.line(fmt.Sprintf("sta-d-%d-%d-%d-%d", a, s, g, year), "d", area))
				}
			}
		}
	}
	folder["records/healthcare-statistics/d.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()})
	page := string(files["healthcare-statistics/d/index.html"])
	_, still, _ := strings.Cut(page, `<div class="still">`)
	still, _, _ = strings.Cut(still, `<div class="side">`)
	_, ranking, _ := strings.Cut(page, `<section id="ranking">`)
	ranking, _, _ = strings.Cut(ranking, "</section>")
	for place, text := range map[string]string{"the picture": still, "the ranking": ranking} {
		if strings.Contains(text, "Women") || strings.Contains(text, "0-14") || !strings.Contains(text, "France") {
			t.Errorf("%s has slices: %s", place, text)
		}
	}
	if !strings.Contains(page, "Brazil, Women, 0 to 14 years") {
		t.Error("the tables do not have the publisher's labels")
	}
	if testing.Short() {
		return
	}
	b := open(t, serveRelease(t, files))
	b.visit("/healthcare-statistics/d/")
	b.ready(".charts")
	const listed = `[...document.querySelectorAll(".areas label")].map((e) => e.textContent)`
	if got := eval[[]string](b, listed); !slices.Equal(got, []string{"Brazil", "France", "India", "United States"}) {
		t.Errorf("the areas are %q", got)
	}
	const menus = `[...document.querySelectorAll(".menus label")].map((e) => e.firstChild.textContent + ": " + [...e.querySelectorAll("option")].map((o) => o.textContent).join(", "))`
	if got := eval[[]string](b, menus); !slices.Equal(got, []string{"Sex: Total, Women, Men", "Age: Total, 0 to 14 years, 15 years and over"}) {
		t.Errorf("the menus are %q", got)
	}
	b.run(`for (const [n, i] of [[0, 1], [1, 2]]) { const e = document.querySelectorAll(".menus select")[n]; e.selectedIndex = i; e.dispatchEvent(new Event("change")); }`)
	if got := eval[[]string](b, listed); !slices.Contains(got, "France, Women, 15 years and over") || len(got) != 4 {
		t.Errorf("the areas of a slice are %q", got)
	}
	if got := eval[string](b, `document.querySelector("table.readout").textContent`); !strings.Contains(got, "2,012") {
		t.Errorf("the read-out is %q", got)
	}
	for _, tab := range []string{"table", "ranking", "line"} {
		b.run(`document.querySelector("input[value=` + tab + `]").click()`)
		if got := eval[int](b, `document.querySelectorAll(".menus select").length`); got != 2 {
			t.Errorf("%s has %d menus", tab, got)
		}
	}
	address := eval[string](b, `location.href`)
	b.visit(strings.TrimPrefix(address, b.base))
	b.ready(".charts")
	if got := eval[string](b, `document.querySelector("table.readout").textContent`); !strings.Contains(got, "2,012") {
		t.Errorf("%s shows %q", address, got)
	}
}
