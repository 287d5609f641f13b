package site_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"image"
	"image/png"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stele/internal/author/reading/settings/color"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/sample"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestGolden is one whole page, to be read.
func TestGolden(t *testing.T) {
	files := must.Get(sampleSite())(t)
	page := regexp.MustCompile(`\.[0-9a-f]{8}\.(css|js|svg|png)`).ReplaceAll(files["proof/clm-mmr-and-autism/index.html"], []byte(".00000000.$1"))
	const golden = "testdata/claim.golden.html"
	if *update {
		must.Do(t, os.WriteFile(golden, page, 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(page), "\n")); diff != "" {
		t.Errorf("golden (-) and page (+), -update writes it anew:\n%s", diff)
	}
}

// TestEveryPage holds every page of the sample to what all have in common.
func TestEveryPage(t *testing.T) {
	files := must.Get(sampleSite())(t)
	var manifest struct{ Release, Date string }
	must.Do(t, json.Unmarshal(files["manifest.json"], &manifest))
	style := 0
	for p, data := range files {
		if strings.HasPrefix(p, "assets/style.") && strings.HasSuffix(p, ".br") {
			style = len(data)
		}
	}
	for p, data := range files {
		if path.Ext(p) != ".html" {
			continue
		}
		page := string(data)
		for _, want := range []string{`<html lang="en">`, `<meta http-equiv="Content-Security-Policy" content="default-src 'none';`, `<meta name="viewport"`, `<title>`, `<main id="main">`} {
			if strings.Count(page, want) != 1 {
				t.Errorf("%s has %d of %s", p, strings.Count(page, want), want)
			}
		}
		if n := strings.Count(page, "<h1>"); n != 1 {
			t.Errorf("%s has %d headings of the first rank", p, n)
		}
		if strings.Contains(page, "unsafe-inline") || strings.Contains(page, " style=") || strings.Contains(page, "<style") {
			t.Errorf("%s has a style of its own", p)
		}
		for _, m := range linkedPattern.FindAllStringSubmatch(page, -1) {
			if !json.Valid([]byte(m[1])) {
				t.Errorf("%s has JSON-LD that is none: %s", p, m[1])
			}
		}
		if k := record.KindInFolder(strings.Split(p, "/")[0]); k != nil && strings.Count(p, "/") == 2 &&
			!strings.Contains(p, "healthcare-statistics") && !isRemoved(page) && !isLeading(data) {
			checkRecordPage(t, p, page, manifest.Release, manifest.Date)
			if wire := len(files[p+".gz"]) + style; !testing.Short() && (wire == style || wire > 30_000) {
				t.Errorf("%s and its style sheet take %d bytes", p, wire)
			}
		}
	}
}

// TestCards: every page names a picture, which is there; that of a retracted record is another than
// it would be, and begins in red. Pictures are not compressed once more.
func TestCards(t *testing.T) {
	files := must.Get(sampleSite())(t)
	shown := map[string]int{}
	for p, data := range files {
		if _, rest, ok := strings.Cut(string(data), `<meta property="og:image" content="`+publicBase+`/`); ok {
			picture, _, _ := strings.Cut(rest, `"`)
			picture, _, _ = strings.Cut(picture, "?")
			if files[picture] == nil {
				t.Errorf("%s names %s, which is not there", p, picture)
			}
			shown[picture]++
		} else if path.Ext(p) == ".html" && !strings.Contains(string(data), `name="robots" content="noindex"`) {
			t.Errorf("%s has no picture", p)
		}
		if path.Base(p) == "card.png" && (files[p+".gz"] != nil || files[p+".br"] != nil) {
			t.Errorf("%s is compressed once more", p)
		}
	}
	for _, own := range []string{"proof/clm-one-dose-protects", "healthcare-statistics/mcv1", "signals/sig-samoa-coverage-gap", "evidence/evd-mmr-one-dose", "decision-views/dec-reminders", "recommendations/rec-reminders"} {
		if shown[own+"/card.png"] != 1 {
			t.Errorf("%d pages show the picture of %s", shown[own+"/card.png"], own)
		}
	}
	for _, shared := range []string{"card.png", "entities/card.png", "source-objects/card.png"} {
		if shown[shared] < 2 {
			t.Errorf("%d pages show %s", shown[shared], shared)
		}
	}
	if page := files["evidence/evd-paper-of-1998/index.html"]; !bytes.Contains(page, []byte("card.png?v=3-retracted\"")) {
		t.Error("the picture of a retracted record has the address that it had before")
	}
	for p, red := range map[string]bool{"evidence/evd-paper-of-1998": true, "evidence/evd-mmr-one-dose": false} {
		img, err := png.Decode(bytes.NewReader(files[p+"/card.png"]))
		if err != nil || img.Bounds().Size() != image.Pt(1200, 630) {
			t.Fatal(p, err)
		}
		r, g, b, _ := img.At(600, 60).RGBA()
		if got := r > 2*g && r > 2*b; got != red {
			t.Errorf("%s has a red band: %v", p, got)
		}
	}
}

// isLeading reports whether a page only leads to another.
func isLeading(page []byte) bool { return strings.Contains(string(page), `http-equiv="refresh"`) }

// isRemoved reports whether a page is that of a record that was removed.
func isRemoved(page string) bool {
	return strings.Contains(page, "This record was removed from the service.")
}

var linkedPattern = regexp.MustCompile(`<script type="application/ld\+json">(.*?)</script>`)

// checkRecordPage: the page of a record says nothing of the release, and names the JSON of the
// record.
func checkRecordPage(t *testing.T, path, page, release, date string) {
	t.Helper()
	if strings.Contains(page, release) || strings.Contains(page, date) {
		t.Errorf("%s names the release, and so changes with it", path)
	}
	for _, want := range []string{`<link rel="alternate" type="application/json" href="../../`, `<link rel="canonical" href="https://measles.example.org/`, `"@context":"https://schema.org"`, `<meta property="og:title"`, "@misc{"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
}

// TestForHosts: what hosts and search engines look for.
func TestForHosts(t *testing.T) {
	files := must.Get(sampleSite())(t)
	var sitemap struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	must.Do(t, xml.Unmarshal(files["sitemap.xml"], &sitemap))
	listed := map[string]bool{}
	for _, u := range sitemap.URLs {
		file := strings.TrimPrefix(u.Loc, "https://measles.example.org/") + "index.html"
		if files[file] == nil || listed[file] {
			t.Errorf("the site map has %s, which is not there or stands twice", u.Loc)
		}
		listed[file] = true
	}
	for p := range files {
		if path.Base(p) == "index.html" && !listed[p] && !isRemoved(string(files[p])) && !isLeading(files[p]) &&
			!strings.HasPrefix(p, "embed/") {
			t.Errorf("the site map has no %s", p)
		}
	}
	if got := string(files["robots.txt"]); !strings.Contains(got, "Sitemap: https://measles.example.org/sitemap.xml") {
		t.Errorf("robots.txt:\n%s", got)
	}
	for _, want := range []string{"Content-Security-Policy: default-src 'none';", "frame-ancestors 'none'", "/assets/*\n  Cache-Control: max-age=31536000, immutable"} {
		if !bytes.Contains(files["_headers"], []byte(want)) {
			t.Errorf("_headers has no %q", want)
		}
	}
}

// TestBelowAPath: a service may live below a path of its host, and in a language that is written
// from right to left.
func TestBelowAPath(t *testing.T) {
	race.LeaveOut(t, "makes one release after the other")
	files := makeSite(t, withSettings(t, map[string]string{
		"base_url: https://measles.example.org": "base_url: https://example.org/data",
		"language: en":                          "language: fa",
	}), compiler.Options{NoVariants: true, Render: renderers()[:1]})
	if page := string(files["404.html"]); !strings.Contains(page, `href="/data/signals/"`) ||
		!strings.Contains(page, `src="/data/assets/`) && strings.Contains(page, `<script`) {
		t.Errorf("404.html:\n%s", page)
	}
	if page := string(files["signals/index.html"]); !strings.Contains(page, `<html lang="en">`) || !strings.Contains(page,
		` lang="fa" dir="rtl">`) || !strings.Contains(page, `href="https://example.org/data/signals/"`) {
		t.Errorf("signals/index.html:\n%.600s", page)
	}
}

// TestLook: the publisher's colour, logo and style sheet.
func TestLook(t *testing.T) {
	race.LeaveOut(t, "makes one release after the other")
	folder := withSettings(t, map[string]string{"language: en": "language: en\naccent_color: \"#7a1f5c\"\nlogo: brand/logo.svg\nstyle: brand/own.css"})
	folder["brand/own.css"] = &fstest.MapFile{Data: []byte(".masthead { border: 0 }")}
	folder["brand/logo.svg"] = &fstest.MapFile{Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()[:1]})
	found := 0
	for p, data := range files {
		switch {
		case strings.HasPrefix(p, "assets/style."):
			found++
			if !strings.HasPrefix(string(data), ":root{--accent-light:#7a1f5c;--accent-dark:#") {
				t.Errorf("the style sheet begins %.80s", data)
			}
			for _, ground := range []string{"--panel: " + color.LightGround.String(), "--panel: " + color.DarkGround.String()} {
				if !strings.Contains(string(data), ground) {
					t.Errorf("the style sheet has no %s, on which the accent colour is tried", ground)
				}
			}
		case strings.HasPrefix(p, "assets/brand."):
			found++
			if string(data) != ".masthead { border: 0 }" || !strings.Contains(string(files["signals/index.html"]), `.css"><link rel="stylesheet" href="../`+p+`">`) {
				t.Errorf("no page loads %s after the other style sheet", p)
			}
		case strings.HasPrefix(p, "assets/logo."):
			found++
			if !strings.Contains(string(files["signals/index.html"]), `<img alt="" src="../`+p+`">`) {
				t.Errorf("no page shows %s", p)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d of style sheets and logo", found)
	}
}

// withSettings is the sample with other settings.
func withSettings(t *testing.T, replace map[string]string) fstest.MapFS {
	t.Helper()
	folder := fstest.MapFS{}
	must.Do(t, walk(sample.Files, func(path string, data []byte) {
		if path == "stele.yaml" {
			for old, now := range replace {
				if !bytes.Contains(data, []byte(old)) {
					t.Fatalf("the sample has no %q", old)
				}
				data = bytes.ReplaceAll(data, []byte(old), []byte(now))
			}
		}
		folder[path] = &fstest.MapFile{Data: data}
	}))
	return folder
}

// TestPaged: a long list has pages that lead to each other.
func TestPaged(t *testing.T) {
	race.LeaveOut(t, "looks at pages, which others make too")
	folder := withSettings(t, nil)
	for i := range 230 {
		id := "ent-many-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		folder["records/entities/"+id+".json"] = &fstest.MapFile{Data: []byte(`{"id":"` + id + `","version":1,"title":"T","summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10","entity_type":"place","name":"N"}`)}
	}
	files := makeSite(t, folder, compiler.Options{NoVariants: true})
	for page, want := range map[string][]string{
		"entities/index.html":        {`rel="next" href="../entities/page/2/"`, "Page 1 / 3"},
		"entities/page/2/index.html": {`rel="prev" href="../../../entities/"`, `rel="next" href="../../../entities/page/3/"`},
		"entities/page/3/index.html": {`rel="prev" href="../../../entities/page/2/"`},
	} {
		for _, w := range want {
			if !strings.Contains(string(files[page]), w) {
				t.Errorf("%s has no %s", page, w)
			}
		}
	}
	if n := strings.Count(string(files["entities/page/3/index.html"]), "<tr>"); n != 1+73 {
		t.Errorf("the last page has %d rows", n)
	}
	crawl(t, files)
}

// TestRemovedWithoutHistory: also where nothing is kept of a record that was removed, its page says
// that, when, and in which release.
func TestRemovedWithoutHistory(t *testing.T) {
	files := must.Get(sampleSite())(t)
	page := string(files["public-references/ref-school-leaflet/index.html"])
	for _, want := range []string{"<h1>ref-school-leaflet</h1>", "This record was removed from the service.", `id="history"`, "noindex"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
}
