package compiler_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/release"
)

// TestByHash: what the manifests of this release and of the one before list can be read by digest,
// but for downloads of the one before, and takes no room.
func TestByHash(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	folder := starterFolder(t)
	download := []render.Renderer{func(e render.Records, out render.Output) error {
		return out.Put("bulk/release.csv", []byte(e.Release().Release))
	}}
	buildTo(t, target, folder, compiler.Options{Date: releaseDate, ByHash: true, Render: download})
	one, closeOne, err := store.Open(target)
	must.Do(t, err)
	defer closeOne()
	changed := revise(t, folder, "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	opt := compiler.Options{Date: releaseDate, Previous: one, PreviousDir: target, ByHash: true, Render: download}
	buildTo(t, target, changed, opt)
	two, closeTwo, err := store.Open(target)
	must.Do(t, err)
	defer closeTwo()
	if one.Manifest.Release == two.Manifest.Release {
		t.Fatal("nothing changed")
	}
	read := func(sum release.Digest) {
		t.Helper()
		data := must.Get(os.ReadFile(filepath.Join(target, "by-hash", sum.String())))(t)
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum.String() {
			t.Errorf("%s has another digest", sum)
		}
	}
	for _, m := range []*release.Manifest{one.Manifest, two.Manifest} {
		for _, f := range m.Files {
			if f.Path == "bulk/release.csv" && m == one.Manifest {
				if _, err := os.Stat(filepath.Join(target, "by-hash", f.SHA256.String())); !os.IsNotExist(err) {
					t.Errorf("%s of the release before is kept: %v", f.Path, err)
				}
				continue
			}
			read(f.SHA256)
			for _, v := range f.Variants {
				read(v.SHA256)
			}
		}
	}
	f := two.Manifest.File("api/v2/entities.json")
	named, err1 := os.Stat(filepath.Join(target, f.Path))
	hashed, err2 := os.Stat(filepath.Join(target, "by-hash", f.SHA256.String()))
	if err1 != nil || err2 != nil || !os.SameFile(named, hashed) {
		t.Errorf("%s is there twice: %v, %v", f.Path, err1, err2)
	}
	verify(t, two)

	// What has another name than its digest is found.
	must.Do(t, os.WriteFile(filepath.Join(target, "by-hash", release.Digest{}.String()), []byte("x"), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(target, "by-hash", "x"), []byte("x"), 0o644))
	report, err := two.Verify(t.Context(), nil)
	if err != nil || len(report.Faults) != 2 {
		t.Errorf("%v, %v", report.Faults, err)
	}
}
