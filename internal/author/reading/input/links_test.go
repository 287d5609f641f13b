//go:build unix

package input_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stele/internal/author/reading/input"
	"stele/internal/testkit/must"
)

// disk makes a folder on the disk and opens it as the command does: nothing outside of it can be
// read.
func disk(t *testing.T, files map[string]string) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
	}
	root = must.Get(os.OpenRoot(dir))(t)
	t.Cleanup(func() { root.Close() })
	return dir, root
}

func link(t *testing.T, to, at string) {
	t.Helper()
	must.Do(t, os.Symlink(to, at))
}

func TestLinks(t *testing.T) {
	dir, root := disk(t, map[string]string{"records/signals/good.yaml": "id: good", "elsewhere/b.yaml": "id: b"})
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	must.Do(t, os.WriteFile(outside, []byte("id: secret"), 0o644))
	signals := filepath.Join(dir, "records", "signals")
	link(t, "good.yaml", filepath.Join(signals, "inside.yaml"))
	link(t, "../../elsewhere", filepath.Join(signals, "linked"))
	link(t, "loop.yaml", filepath.Join(signals, "loop.yaml"))
	link(t, "none.yaml", filepath.Join(signals, "nowhere.yaml"))
	link(t, outside, filepath.Join(signals, "out.yaml"))
	link(t, ".", filepath.Join(signals, "self"))
	link(t, "signals", filepath.Join(dir, "records", "evidence"))
	link(t, filepath.Dir(outside), filepath.Join(dir, "records", "entities"))
	expectLines(t, lines(read(root.FS(), 2)), []string{
		"records/entities: error FIL01: links are not followed here; move the folder itself here",
		"records/evidence: error FIL01: links are not followed here",
		"linked: error FIL01: links to folders are not followed; move the folder here",
		"loop.yaml: error FIL01: the file cannot be read: too many levels of symbolic links; the link has no valid target",
		"nowhere.yaml: error FIL01: the file cannot be read: no such file or directory; the link has no valid target",
		"out.yaml: error FIL01: the file cannot be read: path escapes from parent; put the file itself here; links that lead out",
		"self: error FIL01: links to folders are not followed",
		"{id:good}",
		"{id:good}", // through inside.yaml
	})
}

// A test that fails here waits for ever: opening a pipe waits for somebody who writes into it.
func TestPipes(t *testing.T) {
	dir, root := disk(t, map[string]string{"records/signals/good.yaml": "id: good"})
	for _, name := range []string{"stele.yaml", "records/signals/a.yaml", "records/signals/a.csv", "records/signals/_defaults.yaml", "records/evidence"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Skip("no pipes here: ", err)
		}
	}
	expectLines(t, lines(read(root.FS(), 2)), []string{
		"records/evidence: error FIL06: this file is not in the folder of a kind",
		"_defaults.yaml: error FIL01: this is not a regular file; remove it",
		"a.csv: error FIL01: this is not a regular file",
		"a.yaml: error FIL01: this is not a regular file",
		"{id:good}",
	})
	_, problems, err := input.ReadSettings(root.FS())
	if err != nil || len(problems) != 1 || problems[0].Message != "this is not a regular file" {
		t.Errorf("settings: %v, %v", problems, err)
	}
}

func TestForbiddenFiles(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir, root := disk(t, map[string]string{"records/signals/a.yaml": "id: a", "records/signals/b.csv": "id\nb\n", "records/signals/good.yaml": "id: good"})
	for _, name := range []string{"a.yaml", "b.csv"} {
		must.Do(t, os.Chmod(filepath.Join(dir, "records", "signals", name), 0))
	}
	expectLines(t, lines(read(root.FS(), 2)), []string{
		"a.yaml: error FIL01: the file cannot be read: permission denied; allow reading it",
		"b.csv: error FIL01: the file cannot be read: permission denied; allow reading it",
		"{id:good}",
	})
}
