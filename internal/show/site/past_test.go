package site_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/site"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// pastReleases builds a release for each table of figures, and returns their IDs and files.
func pastReleases(t *testing.T, columns string, tables ...string) (ids []string, files []map[string][]byte) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	var previous *release.Release
	for i, rows := range tables {
		folder["records/healthcare-statistics/coverage/values.csv"] = &fstest.MapFile{Data: []byte(columns + "\n" + rows)}
		made := must.Get(specimen.Build(folder, compiler.Options{
			Date: record.Date(fmt.Sprintf("2026-02-%02d", i+1)), Previous: previous, NoVariants: true,
			Render: []render.Renderer{site.Options{}.Write},
		}))(t)
		previous = made.Release
		ids, files = append(ids, previous.Manifest.Release), append(files, maps.Collect(made.Memory.All()))
	}
	return ids, files
}

// TestPastGaps: the line of a release that is past has the gaps that it had, and not today's.
func TestPastGaps(t *testing.T) {
	needsBrowser(t)
	const columns = "ref_area,x_area_name,time_period,value,obs_status,version,published_date,updated_date"
	const old, now = ",1,2026-01-10,2026-01-10\n", "2026-02-02,2026-02-02\n"
	var both string
	for _, area := range []string{"FRA,France", "ITA,Italy"} {
		both += area + ",2018,90,A" + old + area + ",2020,92,A" + old
	}
	ids, files := pastReleases(t, columns, both+"FRA,France,2019,91,A"+old,
		both+"FRA,France,2019,,O,2,2026-01-10,2026-02-02\nITA,Italy,2019,91,A,1,"+now)
	b := open(t, serveRelease(t, files[1]))
	for _, c := range []struct {
		query string
		gap   bool
	}{
		{"?areas=FRA&as-of=" + ids[0], false},
		{"?areas=FRA&as-of=" + ids[1], true},
		{"?areas=FRA", true},
		{"?areas=ITA&as-of=" + ids[0], true},
		{"?areas=ITA&as-of=" + ids[1], false},
		{"?areas=ITA", false},
	} {
		b.visit("/healthcare-statistics/mcv1/" + c.query)
		b.ready(".charts[data-ready]")
		line := eval[string](b, `document.querySelector(".stage svg .s0 .line").getAttribute("d")`)
		gap := eval[bool](b, `document.querySelector(".stage svg .s0 .gap") !== null`)
		if gap != c.gap || strings.Contains(line, "L") == c.gap {
			t.Errorf("%s: the line is %s, with a gap: %v", c.query, line, gap)
		}
	}
}

// TestPastFigures: the page of an indicator says which figures changed and when. With a release in
// its address it shows what that had, and never today's figures as those of another.
func TestPastFigures(t *testing.T) {
	ids, releases := pastReleases(t, "ref_area,x_area_name,time_period,value,version,updated_date",
		"FRA,France,2025,95.5,1,2026-01-10\nITA,Italy,2025,94,1,2026-01-10\n",
		"FRA,France,2025,96.25,2,2026-02-02\nITA,Italy,2025,94,1,2026-01-10\n")
	first, newest, files := ids[0], ids[1], releases[1]
	if strings.Contains(string(releases[0]["healthcare-statistics/mcv1/index.html"]), `id="past"`) {
		t.Error("a first release has a past")
	}
	text := string(files["healthcare-statistics/mcv1/index.html"])
	for _, part := range []string{
		"1 value, 1 area, 2025. France, 2025: 95.5 → 96.25 (estimated)</p>", "release " + newest, `href="../../healthcare-statistics/mcv1/?as-of=` + newest,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in\n%s", part, text)
		}
	}
	b := open(t, serveRelease(t, files))
	b.width(360)
	for query, want := range map[string]struct{ says, shows string }{
		"?as-of=" + first:     {"These are the figures of release " + first, "95.5"},
		"?as-of=" + newest:    {"They are the newest.", "96.25"},
		"?as-of=000000000000": {"is not known here, so no figures are shown", ""},
	} {
		for _, page := range []string{"/healthcare-statistics/mcv1/", "/embed/mcv1/"} {
			b.visit(page + query)
			b.wait(`document.querySelector(".warning p") !== null`)
			if want.shows != "" {
				b.ready(".charts[data-ready]")
			}
			got := eval[string](b, `document.querySelector("main")?.innerText ?? document.body.innerText`)
			other := map[string]string{"95.5": "96.25", "96.25": "\x00", "": "96.25"}[want.shows]
			if !strings.Contains(got, want.says) || !strings.Contains(got, want.shows) || strings.Contains(got, other) {
				t.Errorf("%s%s shows\n%s", page, query, got)
			}
			b.fits(page+query, 360)
		}
	}
}
