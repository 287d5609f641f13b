package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
)

// TestPlace: a place says once of each change that there was one, also of what cannot be opened.
func TestPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	p := store.NewSource(dir)
	if _, err := p.Changed(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing it says %v", err)
	}
	if _, _, _, err := p.Open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is opened: %v", err)
	}
	expect := func(when string, want bool) {
		t.Helper()
		if changed, err := p.Changed(); err != nil || changed != want {
			t.Errorf("%s: changed is %t, %v", when, changed, err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		must.Do(t, os.MkdirAll(dir, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	open := func() {
		t.Helper()
		if _, _, _, err := p.Open(); err == nil {
			t.Error("what is no release is opened")
		}
	}
	write(layout.ManifestPath, "{}")
	expect("before it is opened", true)
	open()
	expect("after it was", false)
	write(layout.ManifestPath, "{ }")
	expect("another manifest", true)
	open()
	write(layout.ProofPath, "signed")
	expect("its signature", true)
	open()
	expect("after that", false)
}
