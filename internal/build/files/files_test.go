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
	"stele/internal/build/files"
	"stele/internal/disk/store"
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
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if is := f.Method == zip.Deflate; is != (packed[f.Name] && name == "release.zip") {
				t.Errorf("%s in %s is packed: %v", f.Name, name, is)
			}
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if want, ok := large[f.Name]; err != nil || ok && string(data) != want {
				t.Errorf("%s in %s is not what was written: %v", f.Name, name, err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if lists["release"] != lists["release.zip"] || !strings.Contains(lists["release"], "tidy.csv.br") {
		t.Errorf("a folder lists %s\nand a zip %s", lists["release"], lists["release.zip"])
	}
}

// writeSet writes files and a page to a folder or a zip, reads one of them back meanwhile, and
// returns what the manifest is to list.
func writeSet(t *testing.T, path string, large map[string]string, page string, plain bool) []release.File {
	t.Helper()
	w, err := store.NewWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	set, err := files.New(t.Context(), w, files.Options{NoVariants: plain})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	out := files.NewOutput(set)
	defer out.Close()
	for at, text := range large {
		f, err := out.Create(at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	in, err := set.Open("bulk/tidy.csv")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(in); err != nil || !bytes.Equal(data, []byte(page)) {
		t.Errorf("reads %d bytes back: %v", len(data), err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	at := func(int) string { return "page/index.html" }
	if err := out.Each(1, at, func(_ int, b []byte) ([]byte, error) { return append(b, page...), nil }); err != nil {
		t.Fatal(err)
	}
	listed, err := set.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(layout.ManifestPath, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return listed
}
