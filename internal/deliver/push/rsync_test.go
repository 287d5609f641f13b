package push

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"stele/internal/testkit/must"
	"stele/release"
)

// TestRsync runs the script of the manual, with a program in the place of rsync that looks at what
// is there after each step.
func TestRsync(t *testing.T) {
	if testing.Short() {
		t.Skip("runs rsync")
	}
	rsync, err := exec.LookPath("rsync")
	if err != nil {
		t.Skip("rsync is not installed")
	}
	h := newSite(t)
	one := h.build("", "")
	two := h.build(one, "")
	served := filepath.Join(t.TempDir(), "served")
	script, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "rsync.sh"))
	must.Do(t, err)
	run := func(from, path string) {
		t.Helper()
		c := exec.Command("sh", script, from, served)
		c.Env = append(os.Environ(), "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// rsync takes files of the same size and second for the same, and these are built within one
	before := time.Now().Add(-time.Minute)
	for path := range filesOf(t, one) {
		must.Do(t, os.Chtimes(filepath.Join(one, filepath.FromSlash(path)), before, before))
	}
	run(one, "")
	expectSame(t, served, one)
	// each step leaves a copy of what is there
	steps, bin := t.TempDir(), t.TempDir()
	wrapper := "#!/bin/sh\nset -e\n" + rsync + ` "$@"` + "\n" + rsync + " -a " + served + "/ " + steps + "/$$/\n"
	must.Do(t, os.WriteFile(filepath.Join(bin, "rsync"), []byte(wrapper), 0o755))
	run(two, bin)
	expectSame(t, served, two)
	copies, err := os.ReadDir(steps)
	if err != nil || len(copies) != 5 {
		t.Fatalf("%d steps, %v", len(copies), err)
	}
	old, now := filesOf(t, one), filesOf(t, two)
	for _, c := range copies {
		is := filesOf(t, filepath.Join(steps, c.Name()))
		for path, data := range old { // nothing is gone before the end, and nothing is of neither
			got, there := is[path]
			after, has := now[path]
			if !there && has || there && !bytes.Equal(got, data) && !bytes.Equal(got, after) {
				t.Errorf("%s is there: %v", path, there)
			}
		}
		if bytes.Equal(is["manifest.json"], now["manifest.json"]) {
			for path, data := range now {
				if !bytes.Equal(is[path], data) {
					t.Errorf("the manifest is there, and %s is not", path)
				}
			}
		}
	}
}

// filesOf reads all files of a folder.
func filesOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := os.DirFS(dir)
	for path, err := range (&release.Release{Files: root}).Names() {
		data, err2 := fs.ReadFile(root, path)
		must.Do(t, errors.Join(err, err2))
		files[path] = data
	}
	return files
}

// expectSame makes sure that two folders have the same files.
func expectSame(t testing.TB, got, want string) {
	t.Helper()
	is, should := filesOf(t, got), filesOf(t, want)
	if len(is) != len(should) {
		t.Errorf("%d files, not %d", len(is), len(should))
	}
	for path, data := range should {
		if !bytes.Equal(is[path], data) {
			t.Errorf("%s differs", path)
		}
	}
}
