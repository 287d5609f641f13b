package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
)

// watched records the steps that do makes, with paths relative to a folder.
func watched(t *testing.T, dir string, do func() error) (steps []string) {
	t.Helper()
	var mu sync.Mutex
	stop := Watch(func(step, path string) {
		mu.Lock()
		defer mu.Unlock()
		path, err := filepath.Rel(dir, path)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(path, layout.TemporaryPrefix) {
			path = "temporary"
		}
		steps = append(steps, step+" "+filepath.ToSlash(path))
	})
	defer stop()
	if err := do(); err != nil {
		t.Error(err)
	}
	return steps
}

// TestSteps: a file is on disk before it has its name, and its folder after that.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"folders", func() error { return MkdirAll(filepath.Join(dir, "a", "b")) }, []string{"sync folder .", "sync folder a"}},
		{"folders that are there", func() error { return MkdirAll(filepath.Join(dir, "a", "b")) }, nil},
		{
			"a file", func() error { return WriteFile(filepath.Join(dir, "a", "f"), []byte("1"), 0o600) },
			[]string{"sync file temporary", "rename a/f", "sync folder a"},
		},
		{
			"a file again", func() error { return WriteFile(filepath.Join(dir, "a", "f"), []byte("2"), 0o600) },
			[]string{"sync file temporary", "rename a/f", "sync folder a"},
		},
		{
			"a new file", func() error { return WriteNew(filepath.Join(dir, "n"), []byte("3"), 0o600) },
			[]string{"sync file temporary", "rename n", "sync folder ."},
		},
		{
			"another name", func() error { return Replace(filepath.Join(dir, "n"), filepath.Join(dir, "a", "n")) },
			[]string{"sync file n", "rename a/n", "sync folder a"},
		},
	} {
		if got := watched(t, dir, c.do); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	steps := watched(t, dir, func() error { return Replace(filepath.Join(dir, "a"), filepath.Join(dir, "z")) })
	if steps[0] != "sync tree a" || !slices.Equal(steps[len(steps)-2:], []string{"rename z", "sync folder ."}) {
		t.Errorf("a folder: %q", steps)
	}
	for path, want := range map[string]string{"z/f": "2", "z/n": "3"} {
		if data, err := os.ReadFile(filepath.Join(dir, path)); string(data) != want || err != nil {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if err := WriteNew(filepath.Join(dir, "z", "n"), []byte("4"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	left := filepath.Join(dir, "z", layout.TemporaryPrefix+"1")
	must.Do(t, os.WriteFile(left, nil, 0o600))
	must.Do(t, RemoveTemporary(filepath.Join(dir, "z")))
	names, err := filepath.Glob(filepath.Join(dir, "z", "*"))
	if hidden, _ := filepath.Glob(filepath.Join(dir, "z", ".*")); err != nil || len(names) != 3 || len(hidden) > 0 {
		t.Errorf("%v, %v, %v", names, hidden, err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path)
	must.Do(t, err)
	if _, err := Lock(path); !errors.Is(err, ErrBusy) {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	if unlock, err = LockSoon(path); err != nil {
		t.Fatal(err)
	}
	unlock()
}
