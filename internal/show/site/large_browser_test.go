package site_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/sample"
)

const largeDefaults = `id: "sta-%[2]s-{ref_area}-{time_period}%[1]s"
version: 1
title: "%[2]s, {ref_area}, {time_period}"
summary: "S"
indicator: %[2]s
ref_area_scheme: iso3166
unit: u
unit_label: %[3]s
obs_status: A
claim_boundary: {statement: "Made up."}
source_links: [{url: "https://example.org/", role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
`

// largeFolder has about 49,000 statistics of 194 areas and 500 claims, of shapes that the sample
// lacks: forecasts, values of either sign, huge and tiny ones, a survey that differs in its years,
// breakdowns, months and weeks.
func largeFolder(t *testing.T) fstest.MapFS {
	t.Helper()
	folder := fstest.MapFS{"stele.yaml": &fstest.MapFile{Data: must.Get(fs.ReadFile(sample.Files, "stele.yaml"))(t)}}
	put := func(path, text string) { folder["records/"+path] = &fstest.MapFile{Data: []byte(text)} }
	areas := worldAreas(t)
	const common = "summary: S\nsource_links: [{url: \"https://example.org/\", role: primary}]\nverification_date: 2026-01-10\n" +
		"source_updates: []\ncorrections: []\npublished_date: 2026-01-10\nupdated_date: 2026-01-10\nversion: 1\n"
	indicator := map[string]string{} // the member that names it
	measure := func(code, more string) {
		indicator[code] = "indicator_id: ent-" + strings.ReplaceAll(code, "_", "-") + "\n"
		put("entities/"+code+".yaml", "id: ent-"+strings.ReplaceAll(code, "_", "-")+"\ntitle: Measure "+code+"\nentity_type: indicator\nname: Measure "+code+"\nmeasure: {code: "+code+
			", definition: Made up., unit: u"+more+"}\n"+common)
	}
	table := func(code, unit, header, suffix string, rows func(add func(format string, args ...any))) {
		var text strings.Builder
		text.WriteString(header + "\n")
		rows(func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) })
		put("healthcare-statistics/"+code+"/values.csv", text.String())
		put("healthcare-statistics/"+code+"/_defaults.yaml", fmt.Sprintf(largeDefaults, suffix, code, unit)+indicator[code])
	}
	yearly := func(code, unit string, from, to int, value func(area, year int) (figure, status string)) {
		table(code, unit, "ref_area,time_period,value,less_than,obs_status", "", func(add func(string, ...any)) {
			for a, area := range areas {
				for year := from; year <= to; year++ {
					figure, status := value(a, year)
					if bound, ok := strings.CutPrefix(figure, "<"); ok {
						add("%s,%d,,%s,%s", area, year, bound, status)
					} else if figure != "" {
						add("%s,%d,%s,,%s", area, year, figure, status)
					}
				}
			}
		})
	}
	yearly("population_all", "people", 1966, 2030, func(a, year int) (string, string) {
		status := "A"
		if year > 2025 {
			status = "F"
		} else if year == 2025 {
			status = "P"
		}
		scale := 20_000
		if a == len(areas)-1 {
			scale = 195_000_000
		}
		return fmt.Sprint((a + 1) * scale * (year - 1950) / 60), status
	})
	yearly("net_migration", "people", 1966, 2025, func(a, year int) (string, string) {
		return fmt.Sprint((a - 97) * (1300 + year%7)), "A"
	})
	yearly("survey_rate", "per cent", 1966, 2025, func(a, year int) (string, string) {
		if (year+a)%4 != 0 {
			return "", ""
		}
		return fmt.Sprintf("%d.5", 20+(a+year)%60), "E"
	})
	yearly("tiny_rate", "deaths per person", 2006, 2025, func(a, year int) (string, string) {
		return fmt.Sprintf("0.00000%d", 59322+a*101+year), "A"
	})
	measure("growth", `, breaks: [{time_period: "1990", summary: "Areas are counted by another method, which a later law describes."}, {time_period: "2008", summary: "Another source is used."}]`)
	yearly("growth", "per cent", 1976, 2025, func(a, year int) (string, string) {
		return fmt.Sprintf("%.1f", float64((a*7+year*13)%90-30)/10), "A"
	})
	yearly("cases", "reported cases", 1986, 2024, func(a, year int) (string, string) {
		switch (a + year) % 11 {
		case 0:
			return "<5", "A"
		case 1:
			return "", "" // a gap
		}
		return fmt.Sprint((a*31 + year*17) % 900), "A"
	})
	measure("death_rate", `, dimensions: [{name: sex, label: Sex, codes: {f: Women, m: Men, all: All}}, {name: age, label: Age, codes: {0-14: 0 to 14, 15+: 15 and over, _T: Total}}]`)
	table("death_rate", "per 1,000", "ref_area,time_period,value,dimensions.sex,dimensions.age", "-{dimensions.sex}-{dimensions.age}", func(add func(string, ...any)) {
		for a, area := range areas[:40] {
			for year := 2021; year < 2026; year++ {
				for s, sex := range []string{"f", "m", "all"} {
					for g, age := range []string{"0-14", "15+", "_T"} {
						add("%s,%d,%d,%s,%s", area, year, 100+a*10+s*3+g, sex, age)
					}
				}
			}
		}
	})
	for code, periods := range map[string]int{"monthly": 36, "weekly": 100} {
		table(code, "reported cases", "ref_area,time_period,value", "", func(add func(string, ...any)) {
			for a, area := range areas[:10] {
				for i := range periods {
					period := fmt.Sprintf("%d-%02d", 2023+i/12, i%12+1)
					if code == "weekly" {
						period = fmt.Sprintf("%d-W%02d", 2024+i/52, i%52+1)
					}
					add("%s,%s,%d", area, period, 1+(a*7+i*3)%50)
				}
			}
		})
	}
	const line = `"version":1,"summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10","source_updates":[],` +
		`"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10","claim_boundary":{"statement":"Made up."}`
	var claims, evidence strings.Builder
	for i := range 500 {
		list := fmt.Sprintf(`{"evidence_id":"evd-%d","stance":"supports"}`, i%61)
		for n := 1; i == 0 && n < 61; n++ {
			list += fmt.Sprintf(`,{"evidence_id":"evd-%d","stance":"supports"}`, n)
		}
		fmt.Fprintf(&claims, `{"id":"clm-n%d",%s,"title":"Claim number %[1]d about Donaudampfschifffahrtsgesellschaftskapitänsmützen","claim":"C.","evidence":[%[3]s],"evidence_label":"very_low"}`+"\n", i, line, list)
	}
	for i := range 61 {
		label := []string{"high", "moderate", "low", "very_low", "high"}[i%5]
		fmt.Fprintf(&evidence, `{"id":"evd-%d",%s,"title":"Evidence number %[1]d","evidence_type":"surveillance_report","finding":"F.","evidence_label":%[3]q,"label_basis":{"scheme":"GRADE","assessed_by":"service","locator":"Made up."}}`+"\n", i, line, label)
	}
	put("proof/claims.ndjson", claims.String())
	put("evidence/evidence.ndjson", evidence.String())
	return folder
}

// TestLongLargeSet: with many data of other shapes than the sample's, pages say nothing untrue,
// fit a telephone, and have nothing that axe-core reports.
func TestLongLargeSet(t *testing.T) {
	long.Only(t)
	files := makeSite(t, largeFolder(t), compiler.Options{NoVariants: true, Render: renderers()})
	b := openWithAxe(t, serveRelease(t, files))
	text := func(selector string) string {
		return eval[string](b, `[...document.querySelectorAll("`+selector+`")].map((e) => e.textContent).join("|")`)
	}
	has := func(what, got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%s is %.600q, and does not have %q", what, got, want)
		}
	}
	lacks := func(what, got, pattern string) {
		t.Helper()
		if found := regexp.MustCompile(pattern).FindString(got); found != "" {
			t.Errorf("%s has %q: %.600q", what, found, got)
		}
	}
	charts := func(path string) {
		t.Helper()
		b.visit("/healthcare-statistics/" + path)
		b.ready(".charts")
	}

	// a forecast is no headline, and a headline speaks for all areas
	for _, path := range []string{"/", "/healthcare-statistics/", "/places/FRA/", "/healthcare-statistics/population_all/?area=FRA"} {
		b.visit(path)
		for _, value := range eval[[]string](b, `[...document.querySelectorAll(".latest, .value, td")].map((e) => e.textContent)`) {
			if strings.Contains(value, "2030") && !strings.Contains(strings.ToLower(value), "forecast") && !strings.Contains(value, "–") {
				t.Errorf("%s has a forecast without saying so: %q", path, value)
			}
		}
	}
	charts("population_all/")
	has("the headline", text(".latest"), "median of 194 areas, 2025")
	has("the headline", text(".latest"), "provisional")
	has("what is projected", text(".stage .projection, .stage text"), "projected")
	lacks("the list of areas", text(".areas :checked + span"), "Andorra")
	charts("population_all/?tab=ranking")
	lacks("the ranking", text(".plot > .unit"), "2030")
	charts("net_migration/")
	has("the headline", text(".latest + p, .latest, .opening"), "Lowest: −")

	// paper has the chart on the screen
	charts("population_all/?areas=FRA*DEU")
	screen := text(".stage text.name")
	b.paper()
	if got := text(".stage text.name"); got != screen || !eval[bool](b, `document.querySelector(".stage").checkVisibility() && !document.querySelector(".still svg")?.checkVisibility()`) {
		t.Errorf("on paper are %q, and on the screen %q", got, screen)
	}
	b.scheme("light")
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)

	// the closest earlier value, with its year
	charts("survey_rate/")
	lacks("the read-out", text("table.readout td"), "^–|\\|–")
	has("the read-out", text("table.readout"), "2023")
	charts("survey_rate/?tab=table")
	if got := eval[string](b, `[...document.querySelectorAll(".scroll tbody tr")].map((r) => r.cells[2].textContent).filter((v) => v === "–").length + "/" + document.querySelectorAll(".scroll tbody tr").length`); got != "0/194" {
		t.Errorf("in the table, without a value are %s", got)
	}

	// slices are no areas
	charts("death_rate/")
	lacks("the areas", text(".areas label"), "sex|0-14|Women")
	if got := eval[int](b, `document.querySelectorAll(".areas label").length`); got != 40 {
		t.Errorf("there are %d areas", got)
	}
	has("the menus", text(".menus"), "Women")

	// two hues, whose classes part at zero
	charts("net_migration/?tab=map")
	b.wait(`document.querySelectorAll(".stage .land path").length > 150`)
	classes := eval[[]string](b, `[...document.querySelectorAll(".stage .land [data-series]:not(.none)")].map((e) => getComputedStyle(e).fill)`)
	if hues := len(slices.Compact(slices.Sorted(slices.Values(classes)))); hues < 4 {
		t.Errorf("the map has %d colours", hues)
	}
	has("the classes", text(".stage text.year"), "|0|")
	lacks("the classes", text(".stage text.year"), `-\d|\.\d{3}`)

	// numbers and periods that people can read
	charts("tiny_rate/")
	lacks("the headline", text(".latest"), `0\.0000`)
	for _, code := range []string{"monthly", "weekly"} {
		charts(code + "/")
		lacks("the headline of "+code, text(".latest, table.readout caption, .stage .year"), `\d{4}-(W|\d\d)`)
	}

	// much evidence is folded
	b.visit("/proof/clm-n0/")
	if got := eval[int](b, `document.querySelectorAll(".stance details:not([open]) > summary > .evidence_label").length`); got != 4 { // each has more than the six that are shown at once
		t.Errorf("of the evidence, %d groups are folded", got)
	}

	pages := []sort{
		{"/", ""},
		{"/changes/", ""},
		{"/graph/#graph", "#graph"},
		{"/healthcare-statistics/", ""},
		{"/places/", ""},
		{"/places/FRA/", ""},
		{"/proof/", "#table"},
		{"/proof/clm-n0/", ""},
		{"/proof/clm-n77/", ""},
		{"/search/?q=france+population+2030", "#search"},
		{"/healthcare-statistics/population_all/", ".charts"},
		{"/healthcare-statistics/population_all/?area=FRA", ""},
		{"/healthcare-statistics/net_migration/?tab=map", ".charts"},
		{"/healthcare-statistics/net_migration/?tab=ranking", ".charts"},
		{"/healthcare-statistics/survey_rate/?tab=table", ".charts"},
		{"/healthcare-statistics/growth/", ".charts"},
		{"/healthcare-statistics/cases/", ".charts"},
		{"/healthcare-statistics/death_rate/", ".charts"},
		{"/healthcare-statistics/weekly/", ".charts"},
	}
	checkPages(t, b, pages)
}

// checkPages holds pages to what all pages must do on a telephone.
func checkPages(t *testing.T, b *tab, pages []sort) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range pages {
		b.width(360)
		b.visitSort(p)
		b.accessible(p, seen)
		if got := eval[string](b, `[...document.querySelectorAll("h1, h2, h3")].filter((e) => e.checkVisibility() && (!e.textContent.trim() || !e.nextElementSibling && !e.closest("summary, a, li") && e.parentElement.children.length === 1)).map((e) => e.outerHTML).join()`); got != "" {
			t.Errorf("%s has headings without a text: %s", p.path, got)
		}
		b.fits(p.path, 360)
		b.width(320)
		b.fits(p.path, 320)
		b.run(`document.adoptedStyleSheets = []`)
	}
}

// TestLongYearlyPages: after an update of a year, what readers see of it has its reasons, with
// scripts too, and fits a telephone.
func TestLongYearlyPages(t *testing.T) {
	long.Only(t)
	b := openWithAxe(t, serveRelease(t, yearly(t)))
	b.visit("/changes/?type=corrected")
	b.ready("#changes")
	got := eval[string](b, `document.querySelector("#changes").textContent`)
	for _, want := range []string{"150 values", "Children born abroad were counted twice.", "55 values", "A column was read wrong."} {
		if !strings.Contains(got, want) {
			t.Errorf("the corrections lack %q: %.800s", want, got)
		}
	}
	b.visit("/healthcare-statistics/vaccinated/")
	b.ready(".charts")
	if got := eval[string](b, `[...document.querySelectorAll("table.readout td")].map((e) => e.textContent).join("|")`); strings.Contains(got, "–") {
		t.Errorf("the read-out is %s", got)
	}
	if got := eval[string](b, `document.querySelector("#history, #past")?.textContent ?? ""`); strings.Contains(got, "No corrections") || !strings.Contains(got, "A column was read wrong.") {
		t.Errorf("the history is %.500s", got)
	}
	checkPages(t, b, []sort{
		{"/", ""},
		{"/changes/", "#changes"},
		{"/healthcare-statistics/vaccinated/", ".charts"},
		{"/healthcare-statistics/vaccinated/?tab=map", ".charts"},

		{"/places/FRA/", ""},
	})
}
