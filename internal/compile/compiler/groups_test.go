//go:build !race

package compiler_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/testkit/race"
	"stele/record"
)

// figures is the starter folder with statistics of two indicators and two sources, at a version
// that they have since a day.
func figures(t *testing.T, count, version int, day string) fstest.MapFS {
	t.Helper()
	folder := starterFolder(t)
	folder["records/source-objects/other.yaml"] = &fstest.MapFile{
		Data: bytes.Replace(folder["records/source-objects/src-example-report.yaml"].Data,
			[]byte("id: src-example-report"), []byte("id: src-example-other"), 1),
	}
	var lines strings.Builder
	for i := range count {
		indicator, source := "cases", "src-example-report"
		if i%3 == 0 {
			indicator = "deaths"
		}
		if i%2 == 0 {
			source = "src-example-other"
		}
		fmt.Fprintf(&lines, `{"id":"sta-%04d","version":%d,"title":"Figure","summary":"A figure.","indicator":%q,"ref_area_scheme":"iso3166",`+
			`"ref_area":"FRA","time_period":"%[1]d","value":%[1]d,"unit":"cases","unit_label":"cases","obs_status":"A","claim_boundary":{"statement":"Nothing beyond."},`+
			`"source_links":[{"url":"https://example.org/","source_id":%[4]q,"role":"primary"}],"verification_date":"2026-01-10","source_updates":[],"corrections":[],`+
			`"published_date":"2026-01-10","updated_date":%[5]q}`+"\n", 1000+i, version, indicator, source, day)
	}
	folder["records/healthcare-statistics/many.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	return folder
}

// told is what people read of a release, in short.
func told(t *testing.T, e render.Records, k *record.Kind) (list []string) {
	t.Helper()
	entries := e.Entries(k)
	for n := range entries.Len() + 1 {
		var from []string
		for entry, err := range entries.From(n) {
			switch {
			case err != nil:
				t.Fatal(err)
			case entry.Group != nil:
				g := entry.Group
				from = append(from, fmt.Sprintf("%d %s %s", g.Count, g.Kind, g.Change))
			default:
				from = append(from, string(entry.Event.RecordID)+" "+string(entry.Event.ChangeType))
			}
		}
		if list == nil {
			list = from
		} else if !slices.Equal(from, list[n:]) {
			t.Fatalf("from %d on it is %q, and all is %q", n, from, list)
		}
	}
	return list
}

// TestGroups: what happens to very many records of a kind, or to more than a few values of an
// indicator, is shown as a group, and stays so whatever becomes of the records; of values that are
// gone, as one of the kind. The events are all there.
func TestGroups(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	var all, ofSignals []string
	see := func(e render.Records, _ render.Output) error {
		all, ofSignals = told(t, e, nil), told(t, e, record.KindNamed(record.KindSignal))
		return nil
	}
	opt := compiler.Options{Date: "2026-01-20", NoVariants: true, Render: []render.Renderer{see}}
	build := func(folder fstest.MapFS, day record.Date) made {
		opt.Date = day
		r := makeRelease(t, folder, opt)
		verify(t, r.Release)
		opt.Previous = r.Release
		return r
	}
	build(figures(t, 300, 1, "2026-01-10"), "2026-01-20")
	revised := revise(t, figures(t, 300, 2, "2026-02-01"), rise, "2026-02-01", "\nversion: 1\n", "\nversion: 2\n")
	second := build(revised, "2026-02-01")
	want := []string{
		"200 healthcare_statistic updated", "100 healthcare_statistic updated",
		"sig-example-rise updated", "clm-example-vaccine corrected",
	}
	if !slices.Equal(all, want) || !slices.Equal(ofSignals, want[2:3]) {
		t.Errorf("told is %q, and of signals %q", all, ofSignals)
	}
	if typed, _ := events(t, second.Release); len(typed) != 302 {
		t.Errorf("%d events", len(typed))
	}

	// Later the records have other sources, a few change again, and some are gone.
	later := maps.Clone(revised)
	data := revised["records/healthcare-statistics/many.ndjson"].Data
	data = bytes.Replace(data, []byte(`"version":2`), []byte(`"version":3`), 7)
	data = bytes.Replace(data, []byte(`"updated_date":"2026-02-01"`), []byte(`"updated_date":"2026-03-01"`), 7)
	data = bytes.Replace(data, []byte(`src-example-other`), []byte(`src-example-report`), 4)
	later["records/healthcare-statistics/many.ndjson"] = &fstest.MapFile{Data: data}
	build(later, "2026-03-01")
	if len(all) != len(want)+7 || !slices.Equal(all[7:], want) {
		t.Errorf("told is %q", all)
	}
	want = append([]string{"300 healthcare_statistic updated"}, want[2:]...) // nobody knows of which indicator
	gone := without(later, "records/healthcare-statistics/many.ndjson")
	opt.AllowRemoved, opt.AllowShrink = []string{"sta-1*"}, true
	build(gone, "2026-04-01")
	if len(all) != len(want)+7+1 || all[0] != "300 healthcare_statistic removed" || !slices.Equal(all[1+7:], want) {
		t.Errorf("told is %q", all)
	}
}
