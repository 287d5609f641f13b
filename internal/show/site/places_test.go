package site_test

import (
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// TestPlaces: every place has a page with its figures and what uses them; that of its entity, or
// one of its own, and its code leads there. A topic names the claims, signals and figures about it.
// The page of an indicator says what it measures; that of its entity leads there.
func TestPlaces(t *testing.T) {
	files := must.Get(sampleSite())(t)
	for path, wants := range map[string][]string{
		"entities/ent-ukr/index.html": {
			`<p class="kicker">Place`, "Coverage with a first dose of measles vaccine</a>", "<strong>56</strong> per cent of one-year-olds",
			"Reported measles cases</a>", ">Coverage in Ukraine fell by 38 points in two years</a>",
			">Large outbreaks tend to follow falling coverage</a>",
		},
		"entities/ent-who-afr/index.html": {"Coverage with a first dose of measles vaccine</a>"},
		"entities/ent-measles/index.html": {
			`<p class="kicker">Condition`, "Reported measles cases</a>", "Estimated measles deaths</a>",
			"Coverage with a first dose of measles vaccine</a>", ">One dose of MMR vaccine protects most children from measles</a>",
			">From 57 reported cases to 133,802 in two years</a>",
		},
		"entities/ent-ind-mcv1/index.html": {
			`<meta http-equiv="refresh" content="0; url=../../healthcare-statistics/mcv1/">`,
			`<link rel="canonical" href="https://measles.example.org/healthcare-statistics/mcv1/">`,
			`<a href="../../healthcare-statistics/mcv1/">Coverage with a first dose`, `"@type":"StatisticalVariable"`,
		},
		"healthcare-statistics/mcv1/index.html": {
			`<section id="definition">`, "as a share of all one-year-olds", "Estimated by WHO and UNICEF from reports of countries",
			"<dd>Measles vaccine coverage, first dose</dd>", "<code>ent-ind-mcv1</code>",
			">World coverage hardly moved between 2009 and 2015</a>", ">Coverage in Ukraine fell by 38 points in two years</a>",
		},
		"entities/index.html":   {`<a href="../healthcare-statistics/mcv1/">Measles vaccine coverage, first dose</a>`},
		"places/UKR/index.html": {`<meta http-equiv="refresh" content="0; url=../../entities/ent-ukr/">`},
		"places/IND/index.html": {
			"<h1>India</h1>", "1 indicator, 4 values", "<strong>87</strong>", `<a href="../../places/IND.csv" download>CSV</a>`,
			`<a href="../../places/IND.xlsx" download>Workbook (XLSX)</a>`,
			`<a href="../../healthcare-statistics/mcv1/?areas=IND*001">`, "per cent of one-year-olds, 20", `id="use"`, "last changed",
		},
		"places/IND.csv":  {"indicator,indicator_name,area_code,", "mcv1,Coverage with a first dose of measles vaccine,IND,India,2015,"},
		"places/UKR.csv":  {",UKR,Ukraine,"},
		"places/UKR.xlsx": {"xl/tables/table3.xml"},
		"places/index.html": {
			`<a href="../entities/ent-ukr/">Ukraine</a>`, `<a href="../places/IND/">India</a>`, `<a href="#in-150">Europe</a>`, `<section class="narrow" id="in-142"><h2>Asia</h2>`,
			`<section class="narrow" id="in-"><h2>World and regions</h2>`, `<form class="filters narrowing" hidden>`,
			`<span class="quiet">87 per cent of one-year-olds, `,
		},
		"healthcare-statistics/index.html": {"<h2>Measles</h2>", "<h2>Other topics</h2>", `<form class="filters narrowing"`, `<svg class="spark chart"`, "<strong>85</strong> per cent of one-year-olds"},
		"index.html":                       {`<a href="places/">Places</a>`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s does not have %s", path, want)
			}
		}
	}
	for _, not := range []string{"/places/UKR/<", "/entities/ent-ind-mcv1/<"} {
		if strings.Contains(string(files["sitemap.xml"]), not) {
			t.Errorf("the site map has %s, which leads elsewhere", not)
		}
	}
}

// TestNoPlaces: a release without statistics leads to no list of places.
func TestNoPlaces(t *testing.T) {
	race.LeaveOut(t, "reads pages, which are made as those of the sample are")
	folder := withSettings(t, nil)
	for path := range folder {
		if strings.HasPrefix(path, "records/") && !strings.HasPrefix(path, "records/source-objects/") {
			delete(folder, path)
		}
	}
	files := makeSite(t, folder, compiler.Options{NoVariants: true})
	if strings.Contains(string(files["index.html"]), "places/") || files["places/index.html"] != nil {
		t.Error("there is a list of places, and no place")
	}
	crawl(t, files)
}
