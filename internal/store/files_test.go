package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// ways are a folder that is open and one that is not: files are written to both alike.
func ways(path string) map[string]*folder {
	open := &folder{path: path, fd: -1}
	open.open()
	return map[string]*folder{"open": open, "by path": {path: path, fd: -1}}
}

func TestPutIntoFolder(t *testing.T) {
	for name, d := range ways(t.TempDir()) {
		for _, size := range []int{0, 1, 5000} {
			data := bytes.Repeat([]byte{'x'}, size)
			if err := errors.Join(d.put("file", []byte("what was there")), d.put("file", data)); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(d.path, "file"))
			info, err2 := os.Stat(filepath.Join(d.path, "file"))
			if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, data) || info.Mode() != 0o644 {
				t.Errorf("%s: %d bytes of %d, %v, %v", name, len(got), size, info, err)
			}
		}
		if err := os.MkdirAll(filepath.Join(d.path, name, "full"), 0o755); err != nil {
			t.Fatal(err)
		}
		var where *fs.PathError
		if err := d.put(name, nil); !errors.As(err, &where) || where.Path != filepath.Join(d.path, name) {
			t.Errorf("%s: a file in place of a folder: %v", name, err)
		}
		if err := d.put("none/file", nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file in a folder that is not there: %v", name, err)
		}
		d.close()
	}
}

func TestLinkFromFolder(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "a")
	if err := errors.Join(os.WriteFile(at, []byte("text"), 0o644), os.Symlink(at, filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "folder"), 0o755)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.Stat(filepath.Join(dir, "folder"))
	if err != nil {
		t.Fatal(err)
	}
	made := info.ModTime()
	for way, to := range ways(t.TempDir()) {
		from := ways(dir)[way]
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
			if got := to.link(fmt.Sprint(way, i), from, c.name, c.size, until); got != c.want {
				t.Errorf("%s: %s with %d bytes: %v", way, c.name, c.size, got)
			}
		}
		linked, err := os.Stat(filepath.Join(to.path, way+"0"))
		if err != nil || !os.SameFile(info, linked) {
			t.Errorf("%s: not the same file: %v", way, err)
		}
		to.close()
		from.close()
	}
}
