//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
)

// TestPipes: nothing but ordinary files is opened, so that nobody waits for a pipe.
func TestPipes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	pipe := filepath.Join(dir, "api", "small.json")
	must.Do(t, errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o644)))
	r, done, err := Open(dir)
	must.Do(t, err)
	defer done()
	if _, err := r.Files.Open("api/small.json"); !errors.Is(err, errNotRegular) {
		t.Errorf("a pipe in a folder: %v", err)
	}
	if _, _, err := Open(pipe); !errors.Is(err, errNotRegular) {
		t.Errorf("a pipe in place of a zip: %v", err)
	}
	manifest := filepath.Join(dir, layout.ManifestPath)
	must.Do(t, errors.Join(os.Remove(manifest), syscall.Mkfifo(manifest, 0o644)))
	if _, _, err := Open(dir); !errors.Is(err, errNotRegular) {
		t.Errorf("a pipe in place of the manifest: %v", err)
	}
	if _, err := NewWriter(dir); err == nil {
		t.Error("what is no release is replaced")
	}
}
