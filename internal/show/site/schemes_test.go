package site_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// tables are the tables of areas with which the checks are tested.
const tables = "../../author/judging/check/testdata/areas/"

// plotFile is what the script draws.
type plotFile struct {
	Series []struct {
		Area   string
		Ends   *float64
		Values []*json.Number
	}
	At    []float64
	Turns []struct {
		At    float64
		Of    []int
		Steps [][]any
	}
}

func plotOf(t *testing.T, files map[string][]byte, indicator string) (f plotFile) {
	t.Helper()
	must.Do(t, json.Unmarshal(files["healthcare-statistics/"+indicator+"/series.json"], &f))
	return f
}

// TestAreasThatEnd: the Norway example shows what became of its counties, and ranks one edition.
func TestAreasThatEnd(t *testing.T) {
	files := makeSite(t, os.DirFS("../../../examples/norway"), compiler.Options{NoVariants: true})
	page := string(files["healthcare-statistics/cash-for-care/index.html"])
	trondelag := `<a href="../../areas/fylke/16/">Sør-Trøndelag</a>, <a href="../../areas/fylke/17/">Nord-Trøndelag</a> became <a href="../../areas/fylke/50/">Trøndelag</a>`
	if !strings.Contains(page, trondelag) {
		t.Error("the page does not say what became of Sør-Trøndelag")
	}
	_, ranking, _ := strings.Cut(page, `id="ranking"`)
	ranking, _, _ = strings.Cut(ranking, "</section>")
	if rows := strings.Count(ranking, `<th scope="row"`); rows != 12 || strings.Contains(ranking, "Østfold") {
		t.Errorf("%d areas are ranked, want 12 of 2020", rows)
	}
	for code := range strings.FieldsSeq("01 02 03 04 05 06 07 08 09 10 11 12 14 15 16 17 18 19 20 50 30 34 38 42 46 54 31 32 33 39 40 55 56") {
		if files["areas/fylke/"+code+"/index.html"] == nil {
			t.Errorf("%s has no page", code)
		}
	}
	viken := string(files["areas/fylke/30/index.html"])
	for _, want := range []string{
		"Akershus to 2019</a>", "Akershus from 2024</a>", "was divided into", `class="turn"`, "2023-12-31", "27.0", "22.0",
	} {
		if !strings.Contains(viken, want) {
			t.Errorf("the page of Viken does not have %s", want)
		}
	}
	// no thin line continues the line of an area that ended, up to its name
	for _, leader := range regexp.MustCompile(`class="leader [^"]*" d="M([\d.]+) [\d.]+L([\d.]+) `).FindAllStringSubmatch(
		page+viken+string(files["areas/fylke/16/index.html"]), -1) {
		from, to := must.Get(strconv.ParseFloat(leader[1], 64))(t), must.Get(strconv.ParseFloat(leader[2], 64))(t)
		if to-from > 60 {
			t.Errorf("a thin line is %v units long", to-from)
		}
	}
	if list := string(files["areas/fylke/index.html"]); !strings.Contains(list, `id="y2018"`) || !strings.Contains(list, "became") {
		t.Error("the page of the scheme has no changes by year")
	}
	found := ""
	for path, data := range files {
		if strings.HasPrefix(path, "search/rows/") {
			found += string(data)
		}
	}
	if !strings.Contains(found, `["/areas/fylke/02/","Akershus to 2019","After 2020-01-01: Viken"`) {
		t.Error("the search does not say what became of Akershus")
	}
	plot := plotOf(t, files, "cash-for-care")
	for _, s := range plot.Series {
		for i, v := range s.Values {
			if v != nil && s.Ends != nil && plot.At[i] >= *s.Ends {
				t.Errorf("%s has a value after its end", s.Area)
			}
		}
	}
}

// TestLatestEditionsInTabs: the table, ranking and map have every area of the last period, also
// those whose values are in several editions.
func TestLatestEditionsInTabs(t *testing.T) {
	needsBrowser(t)
	files := makeSite(t, os.DirFS("../../../examples/norway"), compiler.Options{NoVariants: true})
	b := open(t, serveRelease(t, files))
	for _, tab := range []string{"table", "ranking"} {
		b.visit("/healthcare-statistics/cash-for-care/?tab=" + tab)
		b.ready(".charts")
		text := eval[string](b, `[...document.querySelectorAll(".charts .scroll, .charts .stage")].map((e) => e.textContent).join(" ")`)
		for _, area := range []string{"Agder", "Trøndelag, edition of September 2020", "Norway, edition of September 2020"} {
			if !strings.Contains(text, area) {
				t.Errorf("%s is not in the %s: %s", area, tab, text)
			}
		}
		if strings.Contains(text, "edition of June") {
			t.Errorf("the %s has an earlier edition: %s", tab, text)
		}
	}
}

// TestAreasAreNotJoined: eight counties of Connecticut and the nine regions after them have 17
// lines. A new code of the same area has a line of its own, too, to which a step leads.
func TestAreasAreNotJoined(t *testing.T) {
	folder := fstest.MapFS{}
	add := func(path, text string) { folder[path] = &fstest.MapFile{Data: []byte(text)} }
	read := func(name string) string { return string(must.Get(os.ReadFile(tables + name + ".csv"))(t)) }
	add("stele.yaml", "title: T\npublisher: P\nlicense: CC0-1.0\ncontact: c@example.org\nlanguage: en\nnotice: N\nareas:\n"+
		"  fips: {title: C, codes: a/c.csv, changes: a/d.csv}\n  gss: {title: E, codes: a/e.csv, changes: a/f.csv}\n")
	add("a/c.csv", read("fips-connecticut"))
	add("a/d.csv", read("fips-connecticut-changes"))
	add("a/e.csv", read("gss-england"))
	add("a/f.csv", read("gss-england-changes"))
	rows := "id,indicator,ref_area_scheme,ref_area,time_period,value\n"
	value := func(scheme, code, year string) {
		rows += fmt.Sprintf("s-%s-%s,%s,%s,%s,%s,%d\n", code, year, scheme, scheme, code, year, len(rows)%50)
	}
	for line := range strings.Lines(read("fips-connecticut")) {
		code, _, _ := strings.Cut(line, ",")
		switch {
		case strings.HasPrefix(code, "0900"), strings.HasPrefix(code, "0901"):
			value("fips", code, "2020")
			value("fips", code, "2021")
		case strings.HasPrefix(code, "09"):
			value("fips", code, "2023")
			value("fips", code, "2024")
		}
	}
	value("gss", "E10000023", "2021")
	value("gss", "E10000023", "2022")
	value("gss", "E06000065", "2023")
	add("records/healthcare-statistics/values.csv", rows)
	add("records/healthcare-statistics/_defaults.yaml", `version: 1
title: "T {id}"
summary: S
unit: persons
unit_label: persons
obs_status: A
claim_boundary: {statement: B}
source_links: [{url: "https://example.org/", role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
`)
	files := makeSite(t, folder, compiler.Options{NoVariants: true})
	fips := plotOf(t, files, "fips")
	if len(fips.Series) != 17 || len(fips.Turns) == 0 {
		t.Errorf("%d lines and %d changes in Connecticut", len(fips.Series), len(fips.Turns))
	}
	for _, s := range fips.Series {
		if n := len(s.Values); n != 4 || (s.Values[0] != nil) == (s.Values[3] != nil) {
			t.Errorf("the line of %s has values before and after the change", s.Area)
		}
	}
	gss := plotOf(t, files, "gss")
	if len(gss.Series) != 2 || len(gss.Turns) != 1 || len(gss.Turns[0].Steps) != 1 || gss.Turns[0].Steps[0][2] != "E10000023 → E06000065" {
		t.Errorf("North Yorkshire: %+v", gss)
	}
	for _, path := range []string{"healthcare-statistics/gss/index.html", "areas/gss/E06000065/index.html"} {
		if !strings.Contains(string(files[path]), `<path class="step" d="M`) {
			t.Errorf("%s does not lead from the old code to the new one", path)
		}
	}
}
