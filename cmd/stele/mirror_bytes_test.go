package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/mirror"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// TestMirrorBytes: a copy, with pages, of a bucket that has packs alone reads nothing but the
// pointer if nothing is new, and a part of the pack if something is. It is what a new copy would
// be.
func TestMirrorBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it makes releases")
	}
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	folder, public := starterRelease(t)
	address := buckettest.Folder(t)
	stele(t, "push", public, address, "-q")
	target := filepath.Join(dir, "copy")
	update := func(target string) *mirror.Result {
		t.Helper()
		b := must.Get(bucket.Open(t.Context(), address, bucket.Options{}))(t)
		defer b.Close()
		limits := must.Get(fetchLimits())(t)
		pack := b.Transport(limits.Bytes)
		defer pack.Close()
		_, err := os.Stat(target)
		pack.Whole, limits.Transport = err != nil, pack
		var f mirrorFlags
		f.Parts = []string{layout.PartPages} // the records alone are not read from the pack
		m := mirror.New(b.Name(), target, limits, f.Options)
		return must.Get(f.updateFrom(t.Context(), pack, m, target))(t)
	}
	first, again := update(target), update(target)
	if !again.Unchanged || again.Received > 4<<10 || first.Received < 1<<20 {
		t.Errorf("%d bytes, and %d where nothing is new", first.Received, again.Received)
	}
	publish := func(date string, more ...string) {
		t.Helper()
		stele(t, "revise", "sig-example-rise", folder, "--set", "title=Title "+date, "--date", date)
		stele(t, "build", folder, "-o", public, "-q", "--date", date)
		stele(t, append([]string{"push", public, address, "-q"}, more...)...)
	}
	publish("2026-03-02", "--whole")
	next := update(target)
	if next.Unchanged || next.Received > first.Received/4 {
		t.Errorf("%d bytes of %d where one record is new", next.Received, first.Received)
	}
	publish("2026-03-03") // an increment on a pack whose directory is remembered
	directories := must.Get(filepath.Glob(filepath.Join(dir, "state", "stele", "mirror", "*.directory")))(t)
	saved := must.Get(os.Stat(directories[0]))(t).Size()
	with := update(target)
	publish("2026-03-04")
	must.Do(t, os.Remove(directories[0]))
	if without := update(target); with.Received > without.Received-saved/2 {
		t.Errorf("%d bytes with the directory of %d, %d without", with.Received, saved, without.Received)
	}
	t.Logf("%d bytes, %d where nothing is new, %d where one record is", first.Received, again.Received, next.Received)
	fresh := filepath.Join(dir, "fresh")
	update(fresh)
	must.Do(t, os.RemoveAll(filepath.Join(target, "by-hash"))) // which also has the release before
	must.Do(t, os.RemoveAll(filepath.Join(fresh, "by-hash")))
	if out, err := exec.Command("diff", "-r", target, fresh).CombinedOutput(); err != nil {
		t.Errorf("the copies differ: %v\n%.2000s", err, out)
	}
}
