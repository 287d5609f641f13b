package compiler_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/bench/corpus"
	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/release"
)

// manySignals is a folder of so many signals that few of them change at once, and that folder with
// one changed.
func manySignals(t *testing.T) (before, after fs.FS) {
	t.Helper()
	folders := [2]string{t.TempDir(), t.TempDir()}
	for i, dir := range folders {
		must.Do(t, corpus.Write(dir, 60))
		if i == 0 {
			continue
		}
		at := filepath.Join(dir, "records", "signals", "signals.ndjson")
		data := must.Get(os.ReadFile(at))(t)
		lines := strings.SplitAfter(string(data), "\n")
		lines[7] = strings.NewReplacer(`"version":2,`, `"version":3,`, "All ages", "Adults", `"updated_date":"2026-11-01"`, `"updated_date":"2026-11-15"`).Replace(lines[7])
		must.Do(t, os.WriteFile(at, []byte(strings.Join(lines, "")), 0o644))
	}
	return os.DirFS(folders[0]), os.DirFS(folders[1])
}

// TestChangedRecords: what a record was is read from the collection, whatever became of its file.
func TestChangedRecords(t *testing.T) {
	before, after := manySignals(t)
	was := makeRelease(t, before, compiler.Options{Date: sampleDate, NoVariants: true})
	want := makeRelease(t, after, compiler.Options{Date: sampleDate, NoVariants: true, Previous: was.Release})
	const single, collection = "api/v1/signals/sig-bench-0000007.json", "api/v1/signals.json"
	damage := func(b []byte) []byte { return bytes.Replace(b, []byte("All ages"), []byte("Any ages"), 1) }
	for _, c := range []struct {
		name  string
		harm  func(files map[string][]byte)
		stops bool
	}{
		{"the file is missing", func(files map[string][]byte) { delete(files, single) }, false},
		{"the file is damaged", func(files map[string][]byte) { files[single] = damage(files[single]) }, false},
		{"the collection is missing", func(files map[string][]byte) { delete(files, collection) }, true},
		{"the collection is damaged", func(files map[string][]byte) { files[collection] = damage(files[collection]) }, true},
	} {
		files := maps.Clone(was.files)
		c.harm(files)
		opt := compiler.Options{Date: sampleDate, NoVariants: true, Previous: (&memory{files: files}).open(t)}
		if !c.stops {
			sameFiles(t, c.name, makeRelease(t, after, opt).files, want.files)
			continue
		}
		if _, err := compiler.Build(context.Background(), after, newMemory(), opt); err == nil ||
			!strings.Contains(err.Error(), "cannot read the previous release: ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// marked is a release in which a variant has other bytes, of which the manifest knows.
func marked(t *testing.T, r made, path string, mark []byte) map[string][]byte {
	t.Helper()
	files, manifest := maps.Clone(r.files), *r.Release.Manifest
	manifest.Files = nil
	for _, f := range r.Release.Manifest.Files {
		f.Variants = append([]release.Variant(nil), f.Variants...)
		for i := range f.Variants {
			if v := &f.Variants[i]; v.Path == path {
				v.Size, v.SHA256 = int64(len(mark)), sha256.Sum256(mark)
			}
		}
		manifest.Files = append(manifest.Files, f)
	}
	data := must.Get(manifest.Encode())(t)
	files[path], files[layout.ManifestPath] = mark, data
	return files
}

// TestVariantsAreTakenOver: what did not change is not compressed again, if its variant is the one
// that the manifest describes.
func TestVariantsAreTakenOver(t *testing.T) {
	if testing.Short() && !race.Enabled {
		t.Skip("takes more than a second")
	}
	before, after := manySignals(t)
	was := makeRelease(t, before, compiler.Options{Date: sampleDate})
	want := makeRelease(t, after, compiler.Options{Date: sampleDate, Previous: was.Release})
	again := func(files map[string][]byte) map[string][]byte {
		previous := (&memory{files: files}).open(t)
		return makeRelease(t, after, compiler.Options{Date: sampleDate, Previous: previous}).files
	}
	const same, changed = "api/v1/evidence.json.zst", "api/v1/signals.json.zst"
	mark := []byte("another compressor made this")
	if got := again(marked(t, was, same, mark)); !bytes.Equal(got[same], mark) {
		t.Errorf("%s is compressed again", same)
	}
	sameFiles(t, "the file changed", again(marked(t, was, changed, mark)), want.files)
	if race.Enabled {
		return // the same goroutines make the same again
	}

	files := maps.Clone(was.files)
	files[same] = mark
	sameFiles(t, "the variant is damaged", again(files), want.files)
	delete(files, same)
	sameFiles(t, "the variant is missing", again(files), want.files)

	tooLarge := bytes.Repeat(mark, len(was.files[strings.TrimSuffix(same, ".zst")])/len(mark)+1)
	sameFiles(t, "the variant saves nothing", again(marked(t, was, same, tooLarge)), want.files)

	remote := (&memory{files: marked(t, was, same, mark)}).open(t)
	remote.Files = onlyOpens{remote.Files}
	sameFiles(t, "a service", makeRelease(t, after, compiler.Options{Date: sampleDate, Previous: remote}).files, want.files)
}

// onlyOpens is a file system whose files cannot be listed, as that of a service is.
type onlyOpens struct{ fs.FS }
