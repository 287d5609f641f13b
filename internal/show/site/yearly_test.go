package site_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// worldAreas are 194 areas with a shape or a dot on the map, France last.
func worldAreas(t *testing.T) []string {
	t.Helper()
	var world struct{ Shapes, Dots map[string]json.RawMessage }
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("assets/world.json"))(t), &world))
	areas := slices.Sorted(maps.Keys(world.Shapes))
	areas = slices.DeleteFunc(areas, func(a string) bool { return len(a) != 3 || a[0] < 'A' || a[0] > 'Z' })
	return append(slices.DeleteFunc(append(areas, slices.Sorted(maps.Keys(world.Dots))...), func(a string) bool {
		return a == "FRA" || len(a) != 3
	})[:193], "FRA")
}

// yearly is a service before and after its update of a year: 194 areas get a value for 2016, four
// values are revised, and 205 are corrected for two reasons. The world has no value for 2016.
func yearly(t *testing.T) map[string][]byte {
	t.Helper()
	areas := worldAreas(t)
	const line = `{"id":"sta-%s-%d","version":%d,"title":"Vaccinated, %[1]s, %[2]d","summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],` +
		`"verification_date":"2026-01-10","source_updates":[],"corrections":[%[4]s],"published_date":"%[5]s","updated_date":"%[6]s","claim_boundary":{"statement":"B"},"ref_area_scheme":"%[7]s","ref_area":"%[1]s",` +
		`"unit":"percent","unit_label":"per cent","indicator":"vaccinated","time_period":"%[2]d","value":%[8]d,"obs_status":"A"}` + "\n"
	folder := fstest.MapFS{"stele.yaml": &fstest.MapFile{Data: must.Get(fs.ReadFile(sample.Files, "stele.yaml"))(t)}}
	var previous *release.Release
	build := func(date record.Date, years, changed int) map[string][]byte {
		var lines strings.Builder
		for year := 2013; year < 2013+years; year++ {
			for i, area := range append(slices.Clone(areas), "001") {
				version, value, correction, published, updated, scheme := 1, 60+(i*7+year)%39, "", "2026-01-10", "2026-01-10", "iso3166"
				if area == "001" {
					if scheme = "un_m49"; year == 2016 {
						continue
					}
				}
				if year == 2016 {
					published, updated = string(date), string(date)
				}
				reason := ""
				switch at := (year-2013)*len(areas) + i; {
				case changed == 0 || year == 2016:
				case area == "001":
				case at < 150:
					reason = "Children born abroad were counted twice."
				case at < 205:
					reason = "A column was read wrong."
				case year == 2015 && i >= len(areas)-4:
					version, value, updated = 2, value-3, string(date)
				}
				if reason != "" {
					version, value, updated = 2, value+1, string(date)
					correction = fmt.Sprintf(`{"date":"%s","type":"correction","in_version":2,"fields":["value"],"summary":"%s"}`, date, reason)
				}
				fmt.Fprintf(&lines, line, area, year, version, correction, published, updated, scheme, value)
			}
		}
		folder["records/healthcare-statistics/v.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
		opt := compiler.Options{Date: date, Previous: previous, NoVariants: true, Render: renderers()}
		made := must.Get(specimen.Build(folder, opt))(t)
		previous = made.Release
		return maps.Collect(made.Memory.All())
	}
	build("2026-11-01", 3, 0)
	return build("2026-11-15", 4, 1)
}

// TestYearlyUpdate: after an ordinary update, the page of the indicator, the time line and the
// feeds have a line for each reason, with how many figures changed, when, and examples; what was
// revised comes before what was added. A read-out of areas that were not updated is not empty.
func TestYearlyUpdate(t *testing.T) {
	files := yearly(t)
	const first, second = "Children born abroad were counted twice.", "A column was read wrong."
	lines := []string{first, "150 values", second, "55 values", "4 values, 4 areas, 2015. ", "2016 added for 194 areas."}
	inOrder := func(path, text string, want ...string) {
		t.Helper()
		for _, part := range want {
			before, after, ok := strings.Cut(text, part)
			if !ok {
				t.Errorf("%s lacks %q, or has it too early: %.2000s", path, part, text)
				return
			}
			_, text = before, after
		}
	}
	page := html.UnescapeString(string(files["healthcare-statistics/vaccinated/index.html"]))
	_, past, _ := strings.Cut(page, `id="past"`)
	inOrder("the page of the indicator", past, lines...)
	inOrder("its examples", past, second, " → ", "4 values", "France, 2015: ", " → ", "2016 added")
	if strings.Contains(page, "No corrections") || !strings.Contains(page, "205 corrected") {
		t.Error("the page of the indicator says that there are no corrections, or does not count them")
	}
	if strings.Contains(past, "– →") {
		t.Error("a new value is told as a change")
	}
	const feed = "feeds/indicator-vaccinated"
	if want := `href="../../` + feed + `.atom">Follow this indicator</a>`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
	for _, path := range []string{"changes/index.html", "index.html"} {
		inOrder(path, html.UnescapeString(string(files[path])), "Main points", "<strong>New figures:</strong> ", "2016 added for 194 areas.",
			"<strong>Revised:</strong> ", first)
	}
	var listing struct{ Records []struct{ Release string } }
	must.Do(t, json.Unmarshal(files["index/releases.json"], &listing))
	address := layout.ReleaseAddress(listing.Records[1].Release)[1:] // the first has no changes
	inOrder("the release", html.UnescapeString(string(files[address+"index.html"])), "2026-11-15</time></h1>", "Created</span> 194",
		"Corrected</span> 205", "Main points", "2016 added for 194 areas.", "Revised:", first, "FRA, 2015", "Manifest",
		"779 statistics")
	inOrder("changes", string(files["changes/index.html"]), `href="../`+address+`"`)
	inOrder("changes", html.UnescapeString(string(files["changes/index.html"])), `id="changes"`, "Corrected", "FRA, 2015", "2016 added")
	inOrder("changes", string(files["changes/index.html"]), `href="../healthcare-statistics/vaccinated/"`, first, second)
	inOrder("the filters of changes", string(files["search/changes.json"]), `"/healthcare-statistics/vaccinated/"`, first, second)
	for _, path := range []string{feed, "feeds/changes", "feeds/healthcare-statistics"} {
		for _, suffix := range []string{".json", ".atom"} {
			inOrder(path+suffix, string(files[path+suffix]), "Corrected: Vaccinated, 150 values", first, " → ",
				"Corrected: Vaccinated, 55 values", second, " → ")
			inOrder(path+suffix, string(files[path+suffix]), "Updated: Vaccinated", "2015: ", " → ")
			inOrder(path+suffix, string(files[path+suffix]), "/healthcare-statistics/vaccinated/")
			if strings.Contains(string(files[path+suffix]), "The change events of this release say") {
				t.Errorf("%s%s leads to the file of all changes", path, suffix)
			}
		}
	}
	var answer struct {
		Result struct {
			StructuredContent struct {
				Updates []struct{ Title, Text string }
			}
		}
	}
	must.Do(t, json.Unmarshal(agentOf(t, files)("changes", `{"indicator":"vaccinated"}`), &answer))
	inOrder("agents", fmt.Sprint(answer.Result.StructuredContent.Updates), "150 values", first, "55 values", second, "2016 added")
	_, readout, _ := strings.Cut(page, `class="readout"`)
	readout, _, _ = strings.Cut(readout, "</table>")
	inOrder("the read-out", readout, "2016")
	if strings.Contains(readout, `<td class="num">–`) {
		t.Errorf("the read-out has dashes: %s", readout)
	}
}
