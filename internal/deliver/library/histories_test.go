package library

import (
	"crypto/sha256"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// publishRevised publishes records, and again after a signal was changed.
func publishRevised(t *testing.T, target string) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	for _, date := range []string{"2026-02-28", "2026-03-31"} {
		before, closeBefore, err := store.OpenTarget(target)
		must.Do(t, err)
		must.Get(specimen.BuildTo(target, folder, compiler.Options{Date: record.Date(date), Previous: before}))(t)
		must.Do(t, closeBefore())
		const signal = "records/signals/sig-example-rise.yaml"
		text := strings.NewReplacer("version: 1", "version: 2", "updated_date: 2026-01-10", "updated_date: 2026-03-31").
			Replace(string(folder[signal].Data))
		folder[signal] = &fstest.MapFile{Data: []byte(text)}
	}
}

// TestHistories: what records said before is served as it is listed, from memory and from files.
func TestHistories(t *testing.T) {
	const path = "/history/signals/sig-example-rise.ndjson"
	for _, name := range []string{"release", "release.zip"} {
		target := filepath.Join(t.TempDir(), name)
		publishRevised(t, target)
		for _, memory := range []int64{1 << 30, 1} {
			r, closer, err := store.Open(target)
			must.Do(t, err)
			l := openLibrary(t, r, Options{Memory: memory}, closer)
			listed := 0
			for f, err := range r.Histories() {
				must.Do(t, err)
				listed++
				sums := map[string]release.Digest{"": f.SHA256}
				for _, v := range f.Variants {
					sums[v.Encoding] = v.SHA256
				}
				for encoding, sum := range sums {
					status, data := fetchedFrom(t, l, "/"+f.Path, encoding)
					if status != http.StatusOK || "/"+f.Path != path || release.Digest(sha256.Sum256(data)) != sum {
						t.Errorf("%s with memory %d: %s as %q is answered with %d", name, memory, f.Path, encoding, status)
					}
				}
			}
			if listed != 1 {
				t.Errorf("%d histories", listed)
			}
			if status, _ := fetchedFrom(t, l, "/history/signals/sig-example-none.ndjson", ""); status != http.StatusNotFound {
				t.Errorf("a history that is not there is answered with %d", status)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
