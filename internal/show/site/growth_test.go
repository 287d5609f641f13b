package site_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/disk/store"
	"stele/internal/show/describe"
	"stele/internal/show/site"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
	"stele/sample"
)

const changesPath = "api/v1/changes.json"

// withHistory is a release with other change events.
type withHistory struct {
	fs.FS
	changes string // the file that has them
}

func (f withHistory) Open(path string) (fs.File, error) {
	if path == changesPath {
		return os.Open(f.changes)
	}
	return f.FS.Open(path)
}

// plainSample is the release of the sample without pages, made once.
var plainSample = sync.OnceValues(func() (map[string][]byte, error) {
	made, err := specimen.Build(sample.Files, compiler.Options{Date: releaseDate, NoVariants: true})
	return maps.Collect(made.Memory.All()), err
})

// longHistory is the release of the sample, as if so many events had happened before.
func longHistory(t *testing.T, count int) *release.Release {
	t.Helper()
	files := must.Get(plainSample())(t)
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "changes.json")))(t)
	defer file.Close() // it was flushed
	sum := sha256.New()
	w := bufio.NewWriter(io.MultiWriter(file, sum))
	writeEvents(w, count)
	must.Do(t, w.Flush())
	info := must.Get(file.Stat())(t)
	r := must.Get(release.Open(context.Background(), withHistory{filesOf(files), file.Name()}))(t)
	i := slices.IndexFunc(r.Manifest.Files, func(f release.File) bool { return f.Path == changesPath })
	r.Manifest.Files[i] = release.File{Path: changesPath, Size: info.Size(), SHA256: release.Digest(sum.Sum(nil))}
	return r
}

// writeEvents writes a collection of events. Half of them are about a record that is there, the
// others about records that are gone.
func writeEvents(w io.Writer, count int) {
	fmt.Fprintf(w, `{"kind":"change_event","count":%d,"records":[`, count)
	separator := "\n"
	for i := range count {
		about := "clm-one-dose-protects"
		if i%2 == 0 {
			about = fmt.Sprint("clm-gone-", i)
		}
		fmt.Fprintf(w, `%s{"id":"chg-0123456789ab-%d-%s","kind":"change_event","version":1,"published_date":"2026-01-10","record_id":%[3]q,"record_kind":"proof_claim","change_type":"updated",`+
			`"before":{"version":%[2]d,"sha256":"%064[2]x"},"after":{"version":%[4]d,"sha256":"%064[4]x"},"changed_fields":["/claim","/summary","/updated_date","/version"],"release":"0123456789ab"}`, separator, i+1, about, i+2)
		separator = ",\n"
	}
	fmt.Fprint(w, "\n]}\n")
}

// weighed is a writer that looks now and then how much memory is in use.
type weighed struct {
	store.Writer
	puts int
	peak uint64
}

func (w *weighed) Put(path string, data []byte) error {
	if w.puts++; w.puts%32 == 0 {
		w.weigh()
	}
	return w.Writer.Put(path, data)
}

func (w *weighed) Create(path string) (store.File, error) {
	w.weigh()
	return w.Writer.Create(path)
}

func (w *weighed) weigh() { w.peak = max(w.peak, heap.Live()) }

// TestLongHistory: a service has more change events with every release. Neither a build nor its
// pages, feeds and twins hold them in memory; a few dozen bytes of each are what an index takes.
func TestLongHistory(t *testing.T) {
	long.Only(t)
	if os.Getenv("STELE_TEST_ALONE") == "" { // other tests leave memory in use, and let go of it later
		alone := exec.Command(os.Args[0], "-test.run=^TestLongHistory$")
		alone.Env = append(os.Environ(), "STELE_TEST_ALONE=1")
		if out, err := alone.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	// The events themselves would take 6 MB more; what is in buffers when memory is weighed differs
	// by up to 2 MB from one time to the next.
	const few, many, each, slack = 3_000, 15_000, 64, 4 << 20
	// pages that are made at once are in memory, and should be as many every time
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, render := range map[string][]render.Renderer{
		"records": nil, "pages": {site.Options{}.Write}, "descriptions": {describe.Options{}.Write},
	} {
		t.Run(name, func(t *testing.T) {
			weight := func(count int) uint64 {
				zip := must.Get(store.NewWriter(filepath.Join(t.TempDir(), "release.zip")))(t)
				defer zip.Abort() // it has been measured
				w := &weighed{Writer: zip}
				outcome := must.Get(compiler.Build(context.Background(), sample.Files, w, compiler.Options{
					Date: releaseDate, Previous: longHistory(t, count), NoVariants: true, Render: render,
				}))(t)
				if got := outcome.Manifest.Kind("change_event").Count; got < count {
					t.Fatalf("%d events of %d", got, count)
				}
				return w.peak
			}
			if low, high := weight(few), weight(many); high > low+(many-few)*each+slack {
				t.Errorf("%d kB with %d events, and %d kB with %d", low>>10, few, high>>10, many)
			}
		})
	}
}
