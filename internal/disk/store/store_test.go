package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/disk/durable"
	"stele/internal/testkit/must"
	"stele/release"
)

// manifest describes a release of nothing.
func manifest(t testing.TB, title string) []byte {
	t.Helper()
	data, err := (&release.Manifest{Format: layout.Format, Release: "0123456789ab", Date: "2026-01-01", Title: title}).Encode()
	must.Do(t, err)
	return data
}

// put writes a small release that is not yet in its place.
func put(t testing.TB, target, title string) Writer {
	t.Helper()
	w := must.Get(NewWriter(target))(t)
	large := must.Get(w.Create("api/large.json"))(t)
	for range 10 {
		must.Get(io.WriteString(large, title))(t)
	}
	must.Do(t, large.Close())
	must.Do(t, errors.Join(w.Put("api/small.json", []byte(title)), w.Put("empty", nil),
		w.Put(layout.ManifestPath, manifest(t, title))))
	return w
}

func commit(t testing.TB, target, title string) {
	t.Helper()
	must.Do(t, put(t, target, title).Commit())
}

// check makes sure that a target holds one small release and no other.
func check(t testing.TB, target, title string) {
	t.Helper()
	r, closeRelease, err := Open(target)
	must.Do(t, err)
	defer closeRelease()
	small, err1 := fs.ReadFile(r.Files, "api/small.json")
	large, err2 := fs.ReadFile(r.Files, "api/large.json")
	empty, err3 := fs.ReadFile(r.Files, "empty")
	if err := errors.Join(err1, err2, err3); err != nil || r.Manifest.Title != title || string(small) != title ||
		string(large) != strings.Repeat(title, 10) ||
		len(empty) > 0 {
		t.Fatalf("%s holds %q, %q, %q: %v", target, r.Manifest.Title, small, large, err)
	}
}

// beside lists a folder, hidden names too.
func there(t testing.TB, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// targets are a folder and a zip, with names that mean something to shells and patterns.
var targets = []string{"release", "release.zip", "[a]*?.zip", "[a]*?", "RELEASE.ZIP"}

func TestCommitAndAbort(t *testing.T) {
	for _, name := range targets {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			target := filepath.Join(dir, name)
			commit(t, target, "one")
			check(t, target, "one")
			commit(t, target, "two")
			check(t, target, "two")

			w := put(t, target, "three")
			must.Do(t, w.Abort())
			check(t, target, "two")
			w = put(t, target, "four")
			if err := errors.Join(w.Commit(), w.Abort()); err != nil { // to abort what is done does nothing
				t.Fatal(err)
			}
			check(t, target, "four")
			if got := there(t, dir); got != name {
				t.Errorf("there is %s", got)
			}
		})
	}
}

// TestReadBack reads what was written while more is written.
func TestReadBack(t *testing.T) {
	for _, name := range []string{"release", "release.zip"} {
		w := put(t, filepath.Join(t.TempDir(), name), "text")
		r, err := w.Files().Open("api/large.json")
		must.Do(t, err)
		must.Do(t, w.Put("api/more.json", make([]byte, 1<<20)))
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(data) != strings.Repeat("text", 10) {
			t.Errorf("%s: read back %q, %v", name, data, err)
		}
		if _, err := w.Files().Open("api/none.json"); err == nil {
			t.Errorf("%s: what was not written can be read", name)
		}
		must.Do(t, w.Abort())
	}
}

// TestOneAtATime: while a release is written, nobody else writes to its target; others may write
// beside it.
func TestOneAtATime(t *testing.T) {
	for _, name := range []string{"release", "release.zip"} {
		dir := t.TempDir()
		target := filepath.Join(dir, name)
		commit(t, target, "old")
		w := put(t, target, "new")
		for range 3 {
			_, err := NewWriter(filepath.Join(dir, ".", name))
			if !errors.Is(err, durable.ErrBusy) || err.Error() != target+": another process is writing there" {
				t.Errorf("%s: a second writer: %v", name, err)
			}
		}
		commit(t, filepath.Join(dir, "other-"+name), "other")
		check(t, target, "old")
		must.Do(t, w.Commit())
		check(t, target, "new")
		commit(t, target, "newer")
		if got := there(t, dir); got != "other-"+name+" "+name {
			t.Errorf("there is %s", got)
		}
	}
}

// TestRace lets many write at once: each is turned away or leaves a release that is wholly its own.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"release", "release.zip"} {
		target := filepath.Join(dir, name)
		var group sync.WaitGroup
		done := make([]bool, 8)
		start := make(chan struct{})
		for i := range done {
			group.Go(func() {
				<-start
				w, err := NewWriter(target)
				if errors.Is(err, durable.ErrBusy) {
					return
				}
				title := fmt.Sprint("writer ", i)
				if err == nil {
					err = errors.Join(
						w.Put("api/small.json", []byte(title)),
						w.Put("empty", nil),
						w.Put("api/large.json", []byte(strings.Repeat(title, 10))),
						w.Put(layout.ManifestPath, manifest(t, title)),
						w.Commit(),
					)
				}
				if err != nil {
					t.Errorf("%s, writer %d: %v", name, i, err)
				}
				done[i] = true
			})
		}
		close(start)
		group.Wait()
		if !slices.Contains(done, true) {
			t.Fatalf("%s: nobody could write", name)
		}
		r, closeRelease, err := Open(target)
		must.Do(t, err)
		title := r.Manifest.Title
		must.Do(t, closeRelease())
		check(t, target, title)
	}
	if got := there(t, dir); got != "release release.zip" {
		t.Errorf("there is %s", got)
	}
}

// TestLeftovers: what a killed build leaves is gone after the next one, whatever it was; what
// belongs to others stays.
func TestLeftovers(t *testing.T) {
	for _, name := range targets {
		dir := t.TempDir()
		target := filepath.Join(dir, name)
		commit(t, target, "old")
		left := filepath.Join(dir, "."+name+".stele-new-123")
		must.Do(t, errors.Join(
			os.MkdirAll(filepath.Join(left, "api"), 0o755), os.WriteFile(filepath.Join(left, "api", "a"), nil, 0o644),
			os.WriteFile(filepath.Join(dir, "."+name+".stele-new-456"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, "."+name+".stele-lock"), nil, 0o644),
			os.WriteFile(filepath.Join(dir, ".z.stele-new-456"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, "."+name+".stele"), nil, 0o600),
		))
		commit(t, target, "new")
		check(t, target, "new")
		if got, want := there(t, dir), "."+name+".stele .z.stele-new-456 "+name; got != want {
			t.Errorf("there is %s, want %s", got, want)
		}
	}
}

// TestBetweenTwoSteps: where a folder cannot be put in place in one step, a build that is killed
// between the two leaves the old release under another name. It is put back.
func TestBetweenTwoSteps(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "release")
	commit(t, target, "old")
	half := filepath.Join(dir, ".release.stele-new-123")
	must.Do(t, errors.Join(os.Mkdir(half, 0o755), os.Rename(target, half+oldSuffix)))
	must.Do(t, put(t, target, "new").Abort())
	check(t, target, "old")
	if got := there(t, dir); got != "release" {
		t.Errorf("there is %s", got)
	}
}

// TestNotReplaced: nothing but a release or an empty folder is replaced.
func TestNotReplaced(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"file", "is a file, not a folder: move it away, or write to a name that ends in .zip", func(path string) error { return os.WriteFile(path, []byte("text"), 0o644) }},
		{"folder.zip", "is a folder, not a zip: move it away", func(path string) error { return os.Mkdir(path, 0o755) }},
		{"notes", "is not a release", func(path string) error {
			return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "notes.txt"), []byte("mine"), 0o644))
		}},
		{"app", "is not a release", func(path string) error {
			return errors.Join(os.Mkdir(path, 0o755),
				os.WriteFile(filepath.Join(path, layout.ManifestPath), []byte(`{"name":"My app"}`), 0o644))
		}},
		{"older", `"stele-release/0"`, func(path string) error {
			return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, layout.ManifestPath),
				[]byte(`{"format":"stele-release/0"}`), 0o644))
		}},
		{"text.zip", "is not a release", func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("text ", 100)), 0o644) }},
		{"empty.zip", "is not a release", func(path string) error { return os.WriteFile(path, nil, 0o644) }},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		must.Do(t, c.make(path))
		before, err := os.Stat(path)
		must.Do(t, err)
		if _, err := NewWriter(path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		after, err := os.Stat(path)
		if err != nil || !os.SameFile(before, after) || before.Size() != after.Size() ||
			!before.ModTime().Equal(after.ModTime()) {
			t.Errorf("%s is not as it was: %v", c.name, err)
		}
		if got := there(t, dir); got != c.name {
			t.Errorf("%s: there is %s", c.name, got)
		}
	}
}

func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "empty")
	must.Do(t, os.Mkdir(target, 0o700))
	commit(t, target, "text")
	check(t, target, "text")
	deep := filepath.Join(dir, "a", "b", "release.zip")
	commit(t, deep, "text")
	check(t, deep, "text")
	info, err1 := os.Stat(target)
	zipped, err2 := os.Stat(deep)
	// a web server must be able to read it
	if err1 != nil || err2 != nil || info.Mode().Perm() != 0o755 || zipped.Mode().Perm() != 0o644 {
		t.Errorf("the modes are %v and %v: %v, %v", info.Mode(), zipped.Mode(), err1, err2)
	}
}

// TestLinkAsTarget: where the target is a link to a release, that release is replaced, and the link
// stays.
func TestLinkAsTarget(t *testing.T) {
	for _, name := range []string{"release", "release.zip"} {
		dir := t.TempDir()
		there := filepath.Join(dir, "of-before-"+name)
		commit(t, there, "old")
		link := filepath.Join(dir, name)
		must.Do(t, os.Symlink(there, link))
		commit(t, link, "new")
		check(t, link, "new")
		check(t, there, "new")
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
	}
}

func TestPathsStayInside(t *testing.T) {
	dir := t.TempDir()
	w := put(t, filepath.Join(dir, "release"), "text")
	defer w.Abort()
	for _, path := range []string{"../escaped", "a/../../escaped", "/escaped", "", ".."} {
		_, err := w.Create(path)
		if w.Put(path, nil) == nil || err == nil || w.(*dirWriter).Link(path, filepath.Join(dir, "release", "empty"), 0, time.Now()) {
			t.Errorf("%q can be written", path)
		}
	}
	if got := there(t, dir); strings.Contains(got, "escaped") {
		t.Errorf("there is %s", got)
	}
}

// TestDiscard: of a file that was given up nothing is left, and another can take its place.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"release", "release.zip"} {
		var trees [2]string
		for i := range trees {
			target := filepath.Join(dir, fmt.Sprint(i), name)
			w := put(t, target, "text")
			for _, size := range []int{0, 1, 10 << 20} {
				if i == 0 { // else nothing is given up
					break
				}
				f := must.Get(w.Create("api/a.json"))(t)
				must.Get(f.Write(make([]byte, size)))(t)
				must.Do(t, f.Discard())
			}
			f := must.Get(w.Create("api/a.json"))(t)
			must.Get(io.WriteString(f, "another"))(t)
			must.Do(t, errors.Join(f.Close(), w.Put("api/b.json", []byte("b")), w.Commit()))
			r, closeRelease, err := Open(target)
			must.Do(t, err)
			if data, err := fs.ReadFile(r.Files, "api/a.json"); string(data) != "another" {
				t.Errorf("%s has %q, %v", name, data, err)
			}
			must.Do(t, closeRelease())
			if !IsZip(target) {
				trees[i] = there(t, target)
				continue
			}
			data := must.Get(os.ReadFile(target))(t)
			trees[i] = string(data)
		}
		if trees[0] != trees[1] {
			t.Errorf("%s is another one", name)
		}
	}
}

// TestLinked: a file that was taken over from another release is replaced and never written to.
func TestLinked(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	commit(t, old, "old")
	w := put(t, filepath.Join(dir, "new"), "new")
	defer w.Abort()
	from := filepath.Join(old, "api", "small.json")
	info := must.Get(os.Stat(from))(t)
	for _, path := range []string{"api/a.json", "api/b.json"} {
		if !w.(*dirWriter).Link(path, from, 3, info.ModTime()) {
			t.Fatal("it cannot be linked")
		}
	}
	must.Do(t, w.Put("api/a.json", []byte("another")))
	f := must.Get(w.Create("api/b.json"))(t)
	must.Get(io.WriteString(f, "another"))(t)
	must.Do(t, f.Close())
	check(t, old, "old")
}

// TestSyncEarly: what the disk says while files are still written is not forgotten.
func TestSyncEarly(t *testing.T) {
	target := filepath.Join(t.TempDir(), "release")
	write := func(title string, early error) error {
		t.Helper()
		w := put(t, target, title)
		f := w.(*dirWriter)
		f.syncing.Lock()
		f.failed = early
		f.syncing.Unlock()
		f.files.Store(syncEvery - 2)
		for range 4 { // the second of these asks the disk
			must.Do(t, w.Put("api/more.json", []byte(title)))
		}
		return errors.Join(w.Commit(), w.Abort())
	}
	must.Do(t, write("one", nil))
	check(t, target, "one")
	full := errors.New("the disk is full")
	if err := write("two", full); !errors.Is(err, full) || !strings.Contains(err.Error(), target+" is unchanged") {
		t.Errorf("an error of the disk: %v", err)
	}
	check(t, target, "one")
}

// TestCommitFails: what the error says of the target is true.
func TestCommitFails(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "release")
	commit(t, target, "old")
	w := put(t, target, "new").(*dirWriter)
	must.Do(t, os.RemoveAll(w.tmp))
	if err := w.Commit(); err == nil || !strings.HasPrefix(err.Error(), target+" is unchanged: ") {
		t.Errorf("the error is %v", err)
	}
	check(t, target, "old")
	must.Do(t, w.Abort())
	z := put(t, target+".zip", "new").(*zipWriter)
	must.Do(t, z.file.Close())
	if err := z.Commit(); err == nil || !strings.HasPrefix(err.Error(), target+".zip is unchanged: ") {
		t.Errorf("the error is %v", err)
	}
	must.Do(t, z.Abort())
	z = put(t, target+".zip", "new").(*zipWriter)
	must.Do(t, os.Remove(z.directory.Name()))
	if err := z.Commit(); err == nil || !strings.HasPrefix(err.Error(), "the release is complete, but ") {
		t.Errorf("the error is %v", err)
	}
	check(t, target+".zip", "new")
	if got := there(t, dir); got != "release release.zip" {
		t.Errorf("there is %s", got)
	}
}

func TestReadOnlyParent(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything is writable for this user")
	}
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o555))
	if _, err := NewWriter(filepath.Join(dir, "release")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
}

func TestOpenNothing(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "no release found at ") {
		t.Errorf("the error is %v", err)
	}
	if _, _, err := Open(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir+": no release found") {
		t.Errorf("the error is %v", err)
	}
}
