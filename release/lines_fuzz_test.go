package release_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/release"
)

// FuzzLines: a listing of standings, and what a copy says of itself, however wrong, end
// with an error at most.
func FuzzLines(f *testing.F) {
	files := small(f)
	for _, path := range []string{layout.StandingPath, layout.CopyPath} {
		f.Add(path, files[path])
	}
	f.Add(layout.StandingPath, []byte(`{"count":1,"records":[
{"id":"sig-a","kind":"signal","standing":"in_question","since":"2026-01-01","cause":"concerns raised","path":[],"noticed":"2026-01-01"}
]}
`))
	f.Add(layout.CopyPath, []byte(`{"format":"stele-copy/1","from":"https://data.example.org","has":["pages"]}`))
	whole := open(f, files)
	manifest := files[layout.ManifestPath]
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		if path == layout.CopyPath {
			files := fstest.MapFS{layout.ManifestPath: {Data: manifest}, path: {Data: data}}
			r, err := release.Open(context.Background(), files)
			if err == nil && r.Manifest.Release != whole.Manifest.Release {
				t.Error("it is another release")
			}
			return
		}
		if path != layout.StandingPath {
			return
		}
		r, m := *whole, *whole.Manifest
		m.Files = []release.File{{Path: path, Size: int64(len(data)), SHA256: sha256.Sum256(data)}}
		r.Manifest, r.Files = &m, fstest.MapFS{path: {Data: data}}
		for s, err := range r.Standings() {
			if err == nil && (s.ID == "" || s.Standing == "") {
				t.Errorf("%+v is a standing", s)
			}
		}
	})
}
