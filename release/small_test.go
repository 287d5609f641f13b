package release_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// starterFolder is the starter folder in memory.
func starterFolder(t testing.TB) fstest.MapFS {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	// One record that is worth compressing.
	long := strings.Replace(string(folder["records/signals/sig-example-rise.yaml"].Data), "id: sig-example-rise", "id: sig-example-long", 1)
	long = strings.Replace(long, "summary: ", "summary: "+strings.Repeat("A long story. ", 300), 1)
	folder["records/signals/long.yaml"] = &fstest.MapFile{Data: []byte(long)}
	return folder
}

// lost gives a release a file beside its records.
func lost(_ render.Records, out render.Output) error {
	return out.Put("404.html", []byte("<!doctype html><title>Not found</title>"))
}

// makeFiles builds a release and reads all its files.
func makeFiles(t testing.TB, records fs.FS, date string, previous *release.Release) map[string][]byte {
	t.Helper()
	return makeWith(t, records, compiler.Options{Date: record.Date(date), Previous: previous})
}

func makeWith(t testing.TB, records fs.FS, opt compiler.Options) map[string][]byte {
	t.Helper()
	opt.Render = []render.Renderer{lost}
	return maps.Collect(must.Get(specimen.Build(records, opt))(t).Memory.All())
}

var made struct {
	once  sync.Once
	files map[string][]byte
}

// small are the files of a small release.
func small(t testing.TB) map[string][]byte {
	t.Helper()
	made.once.Do(func() { made.files = makeFiles(t, starterFolder(t), "2026-02-01", nil) })
	if len(made.files) < 40 {
		t.Fatalf("the release has %d files", len(made.files))
	}
	return maps.Clone(made.files)
}

// open opens a release that lies in memory.
func open(t testing.TB, files map[string][]byte) *release.Release {
	t.Helper()
	r := must.Get(release.Open(context.Background(), inMemory(files)))(t)
	return r
}

func inMemory(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for path, data := range files {
		m[path] = &fstest.MapFile{Data: data}
	}
	return m
}

// replace changes a text that stands once in a file.
func replace(t testing.TB, files map[string][]byte, path, old, now string) {
	t.Helper()
	if bytes.Count(files[path], []byte(old)) != 1 {
		t.Fatalf("%s does not have %q once", path, old)
	}
	files[path] = bytes.Replace(files[path], []byte(old), []byte(now), 1)
}
