package files_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// TestPackedInZip: a zip has its large files as their gzip variants have them, but for those that a
// server reads in parts. All are listed with the digests that a folder has.
func TestPackedInZip(t *testing.T) {
	text := string(specimen.Numbers(100 << 10))
	large := map[string]string{
		"api/v1/healthcare-statistics.json": text, "index/healthcare-statistics.json": text, "bulk/tidy.csv": text,
		"api/v1/signals.json": text, "index/signals.json": text, layout.PagesPath: text,
		"api/v2/entities.json": "{}", "bulk/all.parquet": text,
	}
	packed := map[string]bool{
		"api/v1/healthcare-statistics.json": true, "index/healthcare-statistics.json": true, "bulk/tidy.csv": true,
		"page/index.html": true,
	}
	lists := map[string]string{}
	for _, name := range []string{"release", "release.zip", "plain.zip"} {
		path := filepath.Join(t.TempDir(), name)
		lists[name] = fmt.Sprint(writeSet(t, path, large, text, name == "plain.zip"))
		if !store.IsZip(path) {
			continue
		}
		z := must.Get(zip.OpenReader(path))(t)
		for _, f := range z.File {
			if is := f.Method == zip.Deflate; is != (packed[f.Name] && name == "release.zip") {
				t.Errorf("%s in %s is packed: %v", f.Name, name, is)
			}
			in, err := f.Open()
			must.Do(t, err)
			data, err := io.ReadAll(in)
			if want, ok := large[f.Name]; err != nil || ok && string(data) != want {
				t.Errorf("%s in %s is not what was written: %v", f.Name, name, err)
			}
		}
		must.Do(t, z.Close())
	}
	if lists["release"] != lists["release.zip"] || !strings.Contains(lists["release"], "tidy.csv.br") {
		t.Errorf("a folder lists %s\nand a zip %s", lists["release"], lists["release.zip"])
	}
}

// writeSet writes files and a page to a folder or a zip, reads one of them back meanwhile, and
// returns what the manifest is to list.
func writeSet(t *testing.T, path string, large map[string]string, page string, plain bool) []release.File {
	t.Helper()
	w := must.Get(store.NewWriter(path))(t)
	set := must.Get(files.New(t.Context(), w, files.Options{NoVariants: plain}))(t)
	defer set.Close()
	out := files.NewOutput(set)
	defer out.Close()
	for at, text := range large {
		f := must.Get(out.Create(at))(t)
		must.Get(io.WriteString(f, text))(t)
		must.Do(t, f.Close())
	}
	in := must.Get(set.Open("bulk/tidy.csv"))(t)
	if data, err := io.ReadAll(in); err != nil || !bytes.Equal(data, []byte(page)) {
		t.Errorf("reads %d bytes back: %v", len(data), err)
	}
	must.Do(t, in.Close())
	at := func(int) string { return "page/index.html" }
	must.Do(t, out.Each(1, at, func(_ int, b []byte) ([]byte, error) { return append(b, page...), nil }))
	listed := must.Get(set.Finish())(t)
	must.Do(t, w.Put(layout.ManifestPath, []byte("{}")))
	must.Do(t, w.Commit())
	return listed
}
