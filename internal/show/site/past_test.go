package site_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/editing/starter"
	"stele/internal/build/publish"
	"stele/internal/build/render"
	"stele/internal/disk/store"
	"stele/internal/show/site"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// TestPastFigures: the page of an indicator says which figures changed and when. With a release in
// its address it shows what that had, and never today's figures as those of another.
func TestPastFigures(t *testing.T) {
	folder := fstest.MapFS{}
	for path, data := range must.Get(starter.Files())(t) {
		folder[path] = &fstest.MapFile{Data: data}
	}
	var previous *release.Release
	var files map[string][]byte
	first := ""
	for _, step := range [][2]string{
		{"2026-02-01", "FRA,France,2025,95.5,1,2026-01-10\nITA,Italy,2025,94,1,2026-01-10\n"},
		{"2026-02-03", "FRA,France,2025,96.25,2,2026-02-03\nITA,Italy,2025,94,1,2026-01-10\n"},
	} {
		folder["records/healthcare-statistics/coverage/values.csv"] = &fstest.MapFile{
			Data: []byte("ref_area,x_area_name,time_period,value,version,updated_date\n" + step[1]),
		}
		m := store.NewMemory()
		outcome := must.Get(publish.Build(t.Context(), folder, m, publish.Options{
			Date: record.Date(step[0]), Previous: previous, NoVariants: true,
			Render: []render.Renderer{site.Options{}.Write},
		}))(t)
		if outcome.Manifest == nil {
			t.Fatal(outcome.Check.Problems)
		}
		previous = must.Get(release.Open(t.Context(), m.Files()))(t)
		if files = maps.Collect(m.All()); first == "" {
			first = previous.Manifest.Release
			if strings.Contains(string(files["healthcare-statistics/mcv1/index.html"]), `id="past"`) {
				t.Error("a first release has a past")
			}
		}
	}
	text := string(files["healthcare-statistics/mcv1/index.html"])
	for _, part := range []string{
		`<td data-column="Before">95.5</td><td data-column="After">96.25</td>`, "release " + previous.Manifest.Release,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s", part)
		}
	}
	b := open(t, serveRelease(t, files))
	b.width(360)
	for query, want := range map[string]struct{ says, shows string }{
		"?as-of=" + first:                     {"These are the figures of release " + first, "95.5"},
		"?as-of=" + previous.Manifest.Release: {"They are the newest.", "96.25"},
		"?as-of=000000000000":                 {"is not known here, so no figures are shown", ""},
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
