package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/testkit/must"
)

// ways are a folder that is open, one in a folder that is open, and one that is not: files are
// written to all alike.
func ways(t *testing.T, path string) map[string]*dir {
	open, around := &dir{path: path, fd: -1}, &dir{path: filepath.Dir(path), fd: -1}
	open.open()
	around.open()
	t.Cleanup(open.close)
	t.Cleanup(around.close)
	return map[string]*dir{
		"open":           open,
		"in an open one": {path: path, fd: around.fd, prefix: filepath.Base(path) + "/"},
		"by path":        {path: path, fd: -1},
	}
}

func TestPutIntoFolder(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	must.Do(t, os.WriteFile(other, nil, 0o644))
	usual := must.Get(os.Stat(other))(t)
	for name, d := range ways(t, t.TempDir()) {
		for _, size := range []int{0, 1, 5000} {
			data := bytes.Repeat([]byte{'x'}, size)
			must.Do(t, errors.Join(d.put("file", []byte("what was there")), d.put("file", data)))
			got, err := os.ReadFile(filepath.Join(d.path, "file"))
			info, err2 := os.Stat(filepath.Join(d.path, "file"))
			if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, data) || info.Mode() != usual.Mode() {
				t.Errorf("%s: %d bytes of %d, %v and not %v, %v", name, len(got), size, info, usual.Mode(), err)
			}
		}
		must.Do(t, os.MkdirAll(filepath.Join(d.path, name, "full"), 0o755))
		var where *fs.PathError
		if err := d.put(name, nil); !errors.As(err, &where) || where.Path != filepath.Join(d.path, name) {
			t.Errorf("%s: a file in place of a folder: %v", name, err)
		}
		if err := d.put("none/file", nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file in a folder that is not there: %v", name, err)
		}
	}
}

func TestLinkFromFolder(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "a")
	must.Do(t, errors.Join(os.WriteFile(at, []byte("text"), 0o644), os.Symlink(at, filepath.Join(dir, "link")),
		os.Mkdir(filepath.Join(dir, "folder"), 0o755)))
	info := must.Get(os.Stat(at))(t)
	folder := must.Get(os.Stat(filepath.Join(dir, "folder")))(t)
	made := info.ModTime()
	for way, to := range ways(t, t.TempDir()) {
		from := *ways(t, dir)[way]
		for i, c := range []struct {
			name   string
			size   int64
			before bool // whether the release was made before the file
			want   bool
		}{
			{"a", 4, false, true},
			{"a", 5, false, false},
			{"a", 4, true, false},
			{"link", 4, false, false},
			{"missing", 4, false, false},
			{"folder", folder.Size(), false, false},
		} {
			until := made
			if c.before {
				until = made.Add(-1)
			}
			name := fmt.Sprint(way, i)
			for _, there := range []bool{false, true} {
				if there {
					must.Do(t, to.put(name, []byte("what is there already")))
				}
				if got := to.link(name, from, c.name, c.size, until); got != c.want {
					t.Errorf("%s: %s with %d bytes: %v", way, c.name, c.size, got)
				}
				linked, err := os.Stat(filepath.Join(to.path, name))
				if c.want != os.SameFile(info, linked) {
					t.Errorf("%s: %s is another file, %v", way, c.name, err)
				}
				if !c.want && there != (err == nil) {
					t.Errorf("%s: %s: what was there already: %v", way, c.name, err)
				}
			}
		}
		if left, err := filepath.Glob(filepath.Join(to.path, "*"+linkSuffix)); len(left) > 0 || err != nil {
			t.Errorf("%s: there is %s, %v", way, left, err)
		}
	}
}
