package compiler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"stele/internal/base/layout"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/compile/files"
	"stele/internal/compile/render"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// stopBuildTo builds what must not become a release at a target.
func stopBuildTo(t *testing.T, target string, records fs.FS, opt compiler.Options) *compiler.Outcome {
	t.Helper()
	w := must.Get(store.NewWriter(target))(t)
	outcome := must.Get(compiler.Build(context.Background(), records, w, opt))(t)
	if outcome.Manifest != nil {
		t.Fatal("the build was not stopped")
	}
	must.Do(t, w.Abort())
	return outcome
}

// names are the names in a folder, hidden ones too.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// TestIDsAreNotPaths: records are written while others are still read, and an ID that leads
// elsewhere writes nothing there.
func TestIDsAreNotPaths(t *testing.T) {
	ids := []string{"../../../../escaped", "..", "/escaped", "a/b", `..\escaped`, strings.Repeat("a", 300)}
	if race.Enabled {
		ids = ids[:1]
	}
	for _, id := range ids {
		for _, name := range []string{"release", "release.zip"} {
			dir := t.TempDir()
			folder := starterFolder(t)
			evil := strings.Replace(string(folder["records/signals/sig-example-rise.yaml"].Data), "id: sig-example-rise", "id: '"+id+"'", 1)
			folder["records/signals/evil.yaml"] = &fstest.MapFile{Data: []byte(evil)}
			outcome := stopBuildTo(t, filepath.Join(dir, "in", "here", name), folder, compiler.Options{Date: releaseDate})
			if found := codesOf(outcome); len(found) != 1 || found[0] != codes.MalformedID {
				t.Errorf("%q: found %v", id, problems(outcome))
			}
			if there := names(t, dir) + "; " + names(t, filepath.Join(dir, "in")) + "; " + names(t,
				filepath.Join(dir, "in", "here")); there != "in; here; " {
				t.Errorf("%q: there is %s", id, there)
			}
		}
	}
}

// TestOneIDManyTimes: files are written by several goroutines, and records that want to have the
// same one must not get into each other's way.
func TestOneIDManyTimes(t *testing.T) {
	folder := starterFolder(t)
	signal := folder["records/signals/sig-example-rise.yaml"]
	const more = 50
	for i := range more {
		folder[fmt.Sprintf("records/signals/again-%d.yaml", i)] = signal
	}
	outcome := stopBuildTo(t, filepath.Join(t.TempDir(), "release"), folder, compiler.Options{Date: releaseDate})
	for _, code := range codesOf(outcome) {
		if code != codes.DuplicateID {
			t.Errorf("found %v", problems(outcome))
		}
	}
	if outcome.Check.Errors != more {
		t.Errorf("%d errors, want %d", outcome.Check.Errors, more)
	}
}

// TestPreviousIsNotWrittenTo: files that did not change are links to those of the previous release.
// Whatever comes after, that stays as it was.
func TestPreviousIsNotWrittenTo(t *testing.T) {
	dir := t.TempDir()
	live := filepath.Join(dir, "live")
	folder := starterFolder(t)
	pages := []render.Renderer{renderAll}
	buildTo(t, live, folder, compiler.Options{Date: releaseDate, Render: pages})
	before := readTree(t, live)
	r, closeRelease, err := store.Open(live)
	must.Do(t, err)
	defer closeRelease()
	opt := compiler.Options{Date: releaseDate, Previous: r, PreviousDir: live, Render: pages}

	// The same ID again, further down, with other content.
	twice := maps.Clone(folder)
	const signal = "records/signals/sig-example-rise.yaml"
	twice["records/signals/zzz.yaml"] = &fstest.MapFile{Data: bytes.Replace(folder[signal].Data, []byte("page 12"), []byte("page 13"), 1)}
	for _, target := range []string{live, filepath.Join(dir, "other")} {
		stopBuildTo(t, target, twice, opt)
		sameFiles(t, "twice", readTree(t, live), before)
	}

	other := filepath.Join(dir, "other")
	changed := edit(t, revise(t, folder, signal, string(releaseDate), "version: 1", "version: 2"), signal, "page 12", "page 13")
	buildTo(t, other, changed, opt)
	sameFiles(t, "changed", readTree(t, live), before)
	for path, same := range map[string]bool{
		"api/v1/proof/clm-example-vaccine.json": true,
		"api/v1/proof.json":                     true,
		"api/v1/healthcare-statistics.json.br":  true,
		"index/proof.json":                      true,
		"proof/clm-example-vaccine/index.html":  true,
		"api/v1/signals.json":                   false,
		"signals/sig-example-rise/index.html":   false,
		"api/v1/graph-nodes.json.br":            false,
		"manifest.json":                         false,
	} {
		linked, err1 := os.Stat(filepath.Join(other, path))
		from, err2 := os.Stat(filepath.Join(live, path))
		if err1 != nil || err2 != nil || os.SameFile(linked, from) != same {
			t.Errorf("%s is taken over: %t, %v, %v", path, !same, err1, err2)
		}
	}
	if got := names(t, dir); got != "live other" {
		t.Errorf("there is %s", got)
	}
}

// TestTouchedFilesAreNotTakenOver: a file of the previous release that was changed by hand is
// written anew.
func TestTouchedFilesAreNotTakenOver(t *testing.T) {
	dir := t.TempDir()
	live, folder := filepath.Join(dir, "live"), starterFolder(t)
	buildTo(t, live, folder, compiler.Options{Date: releaseDate})
	before := readTree(t, live)
	const signal, proof = "api/v1/signals/sig-example-rise.json", "api/v1/proof/clm-example-vaccine.json"
	manifest, err := os.Stat(filepath.Join(live, layout.ManifestPath))
	must.Do(t, err)
	damaged := bytes.Replace(before[signal], []byte("page 12"), []byte("page 99"), 1)
	later := manifest.ModTime().Add(1)
	must.Do(t, errors.Join(os.WriteFile(filepath.Join(live, signal), damaged, 0o644),
		os.Chtimes(filepath.Join(live, signal), later, later), os.Remove(filepath.Join(live, proof))))
	r, closeRelease, err := store.Open(live)
	must.Do(t, err)
	defer closeRelease()
	buildTo(t, filepath.Join(dir, "other"), folder, compiler.Options{Date: releaseDate, Previous: r, PreviousDir: live})
	sameFiles(t, "healed", readTree(t, filepath.Join(dir, "other")), before)
}

// failing is a writer that fails at the nth thing it is asked for.
type failing struct {
	store.Writer
	left *atomic.Int64 // files are compressed on several cores
}

var errFull = errors.New("the disk is full")

func (f failing) fail() error {
	if f.left.Add(-1) < 0 {
		return errFull
	}
	return nil
}

func (f failing) Put(path string, data []byte) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.Writer.Put(path, data)
}

func (f failing) Create(path string) (store.File, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	w, err := f.Writer.Create(path)
	return failingFile{w, f}, err
}

func (f failing) Files() fs.FS { return failingFiles{f} }

type failingFiles struct{ failing }

func (f failingFiles) Open(path string) (fs.File, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Writer.Files().Open(path)
}

func (f failing) Scratch() (*os.File, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Writer.Scratch()
}

type failingFile struct {
	store.File
	f failing
}

func (w failingFile) Write(b []byte) (int, error) {
	if err := w.f.fail(); err != nil {
		return 0, err
	}
	return w.File.Write(b)
}

func (w failingFile) Close() error { return errors.Join(w.f.fail(), w.File.Close()) }

// linking is a failing writer that can link, as that of a folder can.
type linking struct{ failing }

func (l linking) Link(path, from string, size int64, until time.Time) bool {
	return l.Writer.(store.Linker).Link(path, from, size, until)
}

func (l linking) Alias(path, of string) error { return l.Writer.(store.Linker).Alias(path, of) }

// TestWriteErrors lets writing fail at every point in turn: the error comes out, nothing is left,
// and no goroutine waits for ever.
func TestWriteErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir, folder := t.TempDir(), starterFolder(t)
	// so that there are events too
	before := makeRelease(t, without(folder, poster), compiler.Options{NoVariants: true})
	for _, name := range []string{"folder", "release.zip"} {
		target := filepath.Join(dir, name)
		reached := false
		for step := 0; step < 1000 && !reached; step += 1 + step/30 {
			w, err := store.NewWriter(target)
			must.Do(t, err)
			var left atomic.Int64
			left.Store(int64(step))
			var f files.Writer = failing{w, &left}
			if _, ok := w.(store.Linker); ok {
				f = linking{failing{w, &left}}
			}
			_, err = compiler.Build(context.Background(), folder, f,
				compiler.Options{Date: releaseDate, Previous: before.Release})
			if reached = err == nil; !reached && !errors.Is(err, errFull) {
				t.Errorf("%s, step %d: %v", name, step, err)
			}
			must.Do(t, w.Abort())
			if there := names(t, dir); there != "" {
				t.Fatalf("%s, step %d: there is %s", name, step, there)
			}
		}
		if !reached {
			t.Errorf("%s: it always fails", name)
		}
	}
}
