package figures_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/compile/restore"
	"stele/internal/disk/store"
	"stele/internal/show/series"
	"stele/internal/show/site/figures"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/records"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	published "stele/release"
)

// past is what a figure of the tests says, and what happened to it.
type past struct{ figure, rest string }

// yearTicks are the figures of ten releases, by their last letters: changed, corrected, added,
// bounded and not any more, verified again, retracted, removed, redacted and restored.
func yearTicks() []map[string]past {
	now := map[string]past{
		"a": {"value: 1.0", "version: 1"}, "b": {"value: 2", "version: 1"}, "c": {"less_than: 5", "version: 1"},
		"d": {"value: 4", "version: 1"}, "e": {"value: 50.98765", "version: 1"},
	}
	corrected := func(version int, sort string) string {
		return fmt.Sprintf("version: %d\ncorrections: [{date: DAY, type: %s, in_version: %d, fields: [value], summary: It was wrong.}]", version, sort, version)
	}
	kept := now["d"]
	all := []map[string]past{maps.Clone(now)}
	for _, step := range []func(){
		func() { now["a"] = past{"value: 1.50", "version: 2"} },
		func() { now["b"] = past{"value: 3", corrected(2, "correction")} },
		func() { now["f"] = past{"value: 6", "version: 1"} },
		func() { now["c"] = past{"value: 7", "version: 2"} },
		func() { now["f"] = past{"value: 6", "version: 2"} },
		func() { now["a"] = past{"value: 1.50", corrected(3, "retraction")} },
		func() { delete(now, "d") },
		func() { now["e"] = past{"value: 55", "version: 2"} },
		func() { now["d"] = kept },
	} {
		step()
		all = append(all, maps.Clone(now))
	}
	return all
}

// pastFolder is a publisher's folder on a day. first says when each version was first there.
func pastFolder(t *testing.T, figures map[string]past, day string, first map[string]string) fstest.MapFS {
	t.Helper()
	files := must.Get(specimen.Sample())(t)
	files["records/healthcare-statistics/y/_defaults.yaml"] = &fstest.MapFile{Data: []byte(
		`{indicator: y-past, ref_area_scheme: iso3166, ref_area: FRA, unit: cases, unit_label: notified cases, obs_status: A,
		summary: A figure of the tests., claim_boundary: {statement: Notified cases},
		source_links: [{url: "https://apps.who.int/gho/data/node.home", source_id: src-who-gho, role: primary}]}`)}
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(figures)) {
		f := figures[id]
		key := id + f.rest + f.figure
		for _, k := range []string{id, key} {
			if first[k] == "" {
				first[k] = day
			}
		}
		fmt.Fprintf(&text, "---\nid: sta-y-%s\ntitle: A figure %s\ntime_period: \"20%02d\"\n%s\n%s\ndimensions: {sex: f}\n"+
			"published_date: %s\nupdated_date: %s\nverification_date: %s\n", id, id, id[0]-'a'+10, f.figure,
			strings.ReplaceAll(f.rest, "DAY", first[key]), first[id], first[key], first[key])
	}
	files["records/healthcare-statistics/y/figures.yaml"] = &fstest.MapFile{Data: []byte(text.String())}
	return files
}

// TestVintages: what ten releases had can be told from the file of vintages of the last, as restore
// tells it. What was redacted is not in it, and a first release has no such file.
func TestVintages(t *testing.T) {
	race.LeaveOut(t, "it makes several releases, as others make one")
	var before *published.Release
	var m *store.Memory
	first, redacted := map[string]string{}, ""
	for i, figures := range yearTicks() {
		day := fmt.Sprintf("2026-11-%d", 16+(i+1)/2) // two releases each day
		folder := pastFolder(t, figures, day, first)
		if i == 8 {
			redacted = day
		}
		if i >= 8 {
			folder["redactions.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil,
				"redactions:\n  - {id: sta-y-e, versions: 1, date: %s, reason: It names somebody.}\n", redacted)}
		}
		o := compiler.Options{
			Date: record.Date(day), NoVariants: true, Previous: before, Render: []render.Renderer{renderFigures},
		}
		if i == 7 {
			o.AllowRemoved = []string{"sta-y-d: Withdrawn."}
		}
		made := must.Get(specimen.Build(folder, o))(t)
		before, m = made.Release, made.Memory
		if _, err := m.ReadFile("healthcare-statistics/y-past.vintages.csv"); (err == nil) != (i > 0) {
			t.Errorf("release %d: vintages are written: %v", i, err == nil)
		}
	}
	data := must.Get(m.ReadFile("healthcare-statistics/y-past.vintages.csv"))(t)
	if bytes.Contains(data, []byte("50.98765")) {
		t.Error("a redacted figure is there")
	}
	lines := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
	at := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	var pictures struct {
		Names []string
		Past  []struct {
			P      int
			Status string
			Value  *float64
		}
	}
	must.Do(t, json.Unmarshal(must.Get(m.ReadFile("healthcare-statistics/y-past/vintages.json"))(t), &pictures))
	values := 0
	for _, c := range pictures.Past {
		if pictures.Names[c.P] == "2010" && c.Value != nil {
			values++
			if c.Status != "retracted" {
				t.Errorf("a figure that was retracted since is %s in an earlier release", c.Status)
			}
		}
	}
	if values != 2 {
		t.Errorf("%d earlier values of the retracted figure", values)
	}
	place := map[string]int{}
	n := 0
	for p, err := range before.Releases() {
		must.Do(t, err)
		place[p.Release], n = n, n+1
	}
	for i := range n {
		got := map[string]string{}
		for _, l := range lines[1:] {
			until, ended := place[at(l, "until_release")]
			if place[at(l, "from_release")] <= i && (!ended || i < until) {
				var cells []string
				for _, name := range []string{"area_code", "time_period", "dim_sex", "value", "less_than"} {
					cells = append(cells, at(l, name))
				}
				got[at(l, "id")] = strings.Join(cells, " ")
			}
		}
		if want := restored(t, before, i); !maps.Equal(got, want) {
			t.Errorf("release %d had\n%v\nand restore gives\n%v", i, got, want)
		}
	}
}

// restored are the figures that restore gives of a release.
func restored(t *testing.T, r *published.Release, place int) map[string]string {
	t.Helper()
	var out bytes.Buffer
	scratch := func() (*os.File, error) { return os.Create(filepath.Join(t.TempDir(), "scratch")) }
	create := func(path string) (io.WriteCloser, error) {
		if strings.Contains(path, "healthcare-statistics") {
			return nopCloser{&out}, nil
		}
		return nopCloser{io.Discard}, nil
	}
	_, _, _, err := restore.Records(t.Context(), r, place, scratch, create)
	must.Do(t, err)
	all := map[string]string{}
	for d := json.NewDecoder(&out); d.More(); {
		var st record.HealthcareStatistic
		must.Do(t, d.Decode(&st))
		if st.Indicator != "y-past" {
			continue
		}
		if st.Retracted() {
			st.Value = ""
		}
		all[string(st.ID)] = strings.Join([]string{
			st.RefArea, string(st.TimePeriod), st.Dimensions.Get("sex"), string(st.Value), string(st.LessThan),
		}, " ")
	}
	return all
}

// renderFigures makes the pages of indicators alone.
func renderFigures(e render.Records, out render.Output) error {
	index, err := lookup.New(e)
	if err != nil {
		return err
	}
	shared, err := frame.NewSite(index, out)
	if err != nil {
		return err
	}
	f := figures.New(shared)
	f.Files.Formats = series.Formats
	if f.About, err = records.New(shared, f); err != nil {
		return err
	}
	return f.Write()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
