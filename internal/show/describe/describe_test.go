package describe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
	"stele/sample"
)

const (
	// base is the address in the settings of the sample.
	base = "https://measles.example.org"
	// sampleDate lies after every date in the sample.
	sampleDate = record.Date("2026-11-15")
	preserve   = "the record ID, the source links, the version, the verification date, the claim boundary, the source updates, the corrections, and the evidence and decision labels"
	notice     = "These are illustrative records, not health advice."
)

// described builds a release with descriptions.
func described(t testing.TB, records fs.FS, opt describe.Options, b compiler.Options) fstest.MapFS {
	t.Helper()
	b.NoVariants, b.Render = true, []render.Renderer{putLines(opt.Downloads.Of(nil))}
	if opt.Series != nil {
		b.Render = append(b.Render, opt.Series.Write)
	}
	b.Render = append(b.Render, opt.Write)
	if b.Date == "" {
		b.Date = sampleDate
	}
	return must.Get(specimen.Build(records, b))(t).MapFS()
}

// downloads are what the tests say that there is beside the collections.
func downloads(*release.Manifest) []render.Download {
	list := []render.Download{{Path: "bulk/records.sqlite", Format: "SQLite", MediaType: "application/vnd.sqlite3"}}
	for _, k := range record.Kinds {
		list = append(list,
			render.Download{Path: "bulk/" + k.Folder() + ".ndjson", Format: "NDJSON", MediaType: "application/x-ndjson", Kind: k},
			render.Download{Path: "bulk/" + k.Folder() + ".csv", Format: "CSV", MediaType: "text/csv", Kind: k})
	}
	return list
}

// putLines puts those downloads into the release that have a size and a digest to tell of. The
// others are named alone.
func putLines(downloads []render.Download) render.Renderer {
	return func(_ render.Records, out render.Output) error {
		for _, d := range downloads {
			if d.Format == "NDJSON" {
				if err := out.Put(d.Path, []byte("{}\n")); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// whole is that there are downloads and files of indicators.
func whole() describe.Options {
	return describe.Options{Downloads: downloads, Series: &series.Series{}}
}

var (
	theSample = sync.OnceValue(
		func() fstest.MapFS {
			return described(panicker{}, sample.Files, describe.Options{}, compiler.Options{})
		},
	)
	theWhole = sync.OnceValue(func() fstest.MapFS {
		return described(panicker{}, sample.Files, whole(), compiler.Options{})
	})
)

// panicker stands for a test where what is made serves many of them.
type panicker struct{ testing.TB }

func (panicker) Helper()                           {}
func (panicker) Fatal(args ...any)                 { panic(args) }
func (panicker) Fatalf(format string, args ...any) { panic(args) }

// file is a file of a release, which must be there.
func file(t *testing.T, files fstest.MapFS, path string) []byte {
	t.Helper()
	f := files[path]
	if f == nil {
		t.Fatalf("there is no %s", path)
	}
	return f.Data
}

// parse reads a JSON file of a release.
func parse[T any](t *testing.T, files fstest.MapFS, path string) (v T) {
	t.Helper()
	if err := json.Unmarshal(file(t, files, path), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// value reads JSON for the validator.
func value(t *testing.T, data []byte) any {
	t.Helper()
	v := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	return v
}

// tells looks for what every description has to say.
func tells(t *testing.T, name, text string) {
	t.Helper()
	for _, want := range []string{preserve, notice} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", name, want)
		}
	}
}

// TestReleaseVerifies: what is added belongs to the release, and nothing of it depends on the
// number of cores.
func TestReleaseVerifies(t *testing.T) {
	files := theWhole()
	r, err := release.Open(context.Background(), files)
	must.Do(t, err)
	verdict, err := r.Verify(t.Context(), nil)
	if err != nil || len(verdict.Faults) > 0 {
		t.Fatal(verdict.Faults, err)
	}
	for _, workers := range []int{1, 3} {
		again := described(t, sample.Files, whole(), compiler.Options{Workers: workers})
		if len(again) != len(files) {
			t.Errorf("%d workers make %d files, not %d", workers, len(again), len(files))
		}
		for path, f := range files {
			if other := again[path]; other == nil || !bytes.Equal(other.Data, f.Data) {
				t.Errorf("%s differs with %d workers", path, workers)
			}
		}
	}
}

// paths are those of the files that begin and end in a certain way, sorted.
func paths(files fstest.MapFS, prefix, suffix string) []string {
	var list []string
	for path := range files {
		if strings.HasPrefix(path, prefix) && strings.HasSuffix(path, suffix) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}
