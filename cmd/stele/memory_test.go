package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"stele/bench/corpus"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/release"
)

// TestLongMemory: a release and the next one, in which all statistics are others, have the same
// bytes, however little memory there is for what is kept of each record.
func TestLongMemory(t *testing.T) {
	long.Only(t)
	var downloads bulk.Choice
	must.Do(t, downloads.Set("ndjson,csv,parquet,sqlite"))
	from := t.TempDir()
	must.Do(t, corpus.WriteFigures(from, 200_000))
	for _, folder := range must.Get(filepath.Glob(filepath.Join(from, "records", "healthcare-statistics", "*-*")))(t) {
		if filepath.Base(folder) != "burden-00" { // which has more than a list has in one part
			must.Do(t, os.RemoveAll(folder))
		}
	}
	// what is held back is added to the facts of all, and cut off again
	held := must.Get(os.ReadFile(filepath.Join(from, "records", "entities", "entities.ndjson")))(t)
	held = bytes.ReplaceAll(held, []byte(`{"id":"ent-`), []byte(`{"draft":true,"id":"ent-held-`))
	must.Do(t, os.WriteFile(filepath.Join(from, "records", "entities", "held.ndjson"), held, 0o644))
	var want [2][]byte
	for _, bound := range []int{1 << 30, 1 << 18} {
		dir := t.TempDir()
		must.Do(t, os.CopyFS(dir, os.DirFS(from)))
		var previous *release.Release
		for n, target := range []string{filepath.Join(dir, "1.zip"), filepath.Join(dir, "2.zip")} {
			if n > 0 {
				secondVersions(t, dir)
			}
			w := must.Get(store.NewWriter(target))(t)
			o := must.Get(compiler.Build(context.Background(), os.DirFS(dir), w, compiler.Options{
				Date: "2026-11-02", Previous: previous, Render: renderers(downloads), Memory: bound,
			}))(t)
			if o.Manifest == nil {
				t.Fatalf("nothing was built: %v", o.Check.Problems[:min(3, len(o.Check.Problems))])
			}
			must.Do(t, w.Commit())
			got := must.Get(os.ReadFile(target))(t)
			if want[n] == nil {
				want[n] = got
			} else if !bytes.Equal(got, want[n]) {
				t.Errorf("release %d is another with less memory", n+1)
			}
			r, closeRelease, err := store.Open(target)
			must.Do(t, err)
			defer closeRelease()
			previous = r
		}
	}
}

// secondVersions gives all statistics a second version.
func secondVersions(t *testing.T, dir string) {
	for _, path := range must.Get(filepath.Glob(filepath.Join(dir, "records", "healthcare-statistics", "*", "_defaults.yaml")))(t) {
		text := must.Get(os.ReadFile(path))(t)
		text = bytes.ReplaceAll(text, []byte("\nversion: 1\n"), []byte("\nversion: 2\n"))
		text = bytes.ReplaceAll(text, []byte("updated_date: 2026-01-10"), []byte("updated_date: 2026-11-01"))
		must.Do(t, os.WriteFile(path, text, 0o644))
	}
}
