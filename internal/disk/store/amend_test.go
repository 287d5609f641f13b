package store

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stele/internal/testkit/must"
)

// TestAmend writes beside what is there, replaces and removes, in both forms; what is not named
// stays to the byte, and what was linked elsewhere is not written to.
func TestAmend(t *testing.T) {
	for _, name := range []string{"public", "public.zip"} {
		dir := t.TempDir()
		target := filepath.Join(dir, name)
		w := must.Get(NewWriter(target))(t)
		before := map[string]string{
			"manifest.json": "{}", "log/checkpoint": "old", "log/tile/0/000.p/1": "gone", "api/v1/signals.json": "records",
		}
		for _, path := range slices.Sorted(maps.Keys(before)) {
			must.Do(t, w.Put(path, []byte(before[path])))
		}
		must.Do(t, w.Commit())
		if name == "public" {
			must.Do(t, os.Link(filepath.Join(target, "log", "checkpoint"), filepath.Join(dir, "linked")))
		}
		files := map[string][]byte{"log/checkpoint": []byte("new"), "log/tile/0/000.p/2": []byte("more")}
		must.Do(t, Amend(target, func(fs.FS) ([]string, iter.Seq2[string, []byte], error) {
			return []string{"log/tile/0/000.p/1"}, maps.All(files), nil
		}))
		want := map[string]string{
			"manifest.json": "{}", "log/checkpoint": "new", "log/tile/0/000.p/2": "more", "api/v1/signals.json": "records",
		}
		if got := contents(t, target); !maps.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
		if name == "public" {
			if data, err := os.ReadFile(filepath.Join(dir, "linked")); err != nil || !bytes.Equal(data, []byte("old")) {
				t.Errorf("the file of another release is %q, %v", data, err)
			}
		} else {
			withTools(t, target)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

// contents reads a folder, or a zip with the standard library.
func contents(t *testing.T, target string) map[string]string {
	t.Helper()
	fsys := os.DirFS(target)
	if IsZip(target) {
		r := must.Get(zip.OpenReader(target))(t)
		defer r.Close()
		fsys = r
	}
	got := map[string]string{}
	must.Do(t, fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		got[path] = string(data)
		return err
	}))
	return got
}
