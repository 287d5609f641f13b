package amend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/author/editing/amend"
	"stele/internal/disk/durable"
	"stele/internal/testkit/must"
)

// TestWrite: several files change together. If one of them is another by now, none does; if giving
// one its name fails, the error says which are changed.
func TestWrite(t *testing.T) {
	root := t.TempDir()
	var files []amend.File
	for _, name := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		files = append(files, amend.File{Path: name, Old: []byte("old " + name), New: []byte("new " + name)})
	}
	set := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o640))
	}
	has := func(name, want string) {
		t.Helper()
		if data, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(data) != want {
			t.Errorf("%s has %q, %v", name, data, err)
		}
	}
	for _, f := range files {
		set(f.Path, string(f.Old))
	}
	set("c.yaml", "of somebody else")
	if err := amend.Write(root, files); err == nil || !strings.Contains(err.Error(),
		"c.yaml was changed by someone else") {
		t.Error(err)
	}
	has("a.yaml", "old a.yaml")

	set("c.yaml", "old c.yaml")
	stop := durable.Watch(func(step, path string) {
		if step == "rename" && filepath.Base(path) == "a.yaml" { // and now b cannot be replaced
			os.Remove(filepath.Join(root, "b.yaml"))
			os.MkdirAll(filepath.Join(root, "b.yaml", "inner"), 0o755)
		}
	})
	err := amend.Write(root, files)
	stop()
	if err == nil || !strings.Contains(err.Error(),
		"1 of 3 files were changed: a.yaml") {
		t.Error(err)
	}
	has("a.yaml", "new a.yaml")
	has("c.yaml", "old c.yaml")
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 3 {
		t.Errorf("%v are left, %v", left, err)
	}
	if info, err := os.Stat(filepath.Join(root, "a.yaml")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestRemoveLine: the line of a record goes, whatever quotation marks stand in those before it.
func TestRemoveLine(t *testing.T) {
	const at, line = "records/entities/a.ndjson", `{"id":"%s","name":"Five \" wide"}` + "\r\n"
	var all [3]string
	for i, id := range []string{"ent-a", "ent-b", "ent-c"} {
		all[i] = fmt.Sprintf(line, id)
	}
	files := fstest.MapFS{at: {Data: []byte(strings.Join(all[:], ""))}}
	got := must.Get(amend.Remove(files, at, "ent-b"))(t)
	if want := all[0] + all[2]; string(got[0].New) != want {
		t.Errorf("it is %q", got[0].New)
	}
}

// TestLeftovers: a save removes what a killed one left in the folder, and nothing that another
// process may be writing.
func TestLeftovers(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.yaml")
	must.Do(t, os.WriteFile(path, []byte("old"), 0o600))
	for name, age := range map[string]time.Duration{".stele-new-1": time.Hour, ".stele-new-2": 0, "other": time.Hour} {
		at := filepath.Join(root, name)
		must.Do(t, os.WriteFile(at, nil, 0o600))
		must.Do(t, os.Chtimes(at, time.Time{}, time.Now().Add(-age)))
	}
	must.Do(t, amend.Write(root, []amend.File{{Path: "a.yaml", Old: []byte("old"), New: []byte("new")}}))
	left, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(left) != 3 || filepath.Base(left[0]) != ".stele-new-2" {
		t.Errorf("%q are left, %v", left, err)
	}
}
