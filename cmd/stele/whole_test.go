//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/author/editing/starter"
	"stele/internal/disk/store"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// Whatever happens to a build, the release that was there is whole, or the new one is.

// builds are two states of a folder of records, and where releases of them go.
type builds struct {
	t              *testing.T
	old, now       string // folders of records
	target         string
	oldID          string
	previousTarget bool // whether the new release follows the old one
	// What the new one has besides the records: pages, and compressed variants, which take most of
	// the time.
	pages, variants bool
}

// newBuilds puts a release of the old records in place. Names say whether it is a folder or a zip.
func newBuilds(t *testing.T, dir, name string) *builds {
	t.Helper()
	b := &builds{t: t, old: filepath.Join(dir, "records-old"), now: filepath.Join(dir, "records-new"), target: filepath.Join(dir, "releases", name)}
	for _, folder := range []string{b.old, b.now} {
		must.Do(t, starter.Init(folder))
	}
	path := filepath.Join(b.now, "records", "signals", "sig-example-rise.yaml")
	data, err := os.ReadFile(path)
	if err != nil || bytes.Count(data, []byte("\nversion: 1\n")) != 1 {
		t.Fatalf("%s: %v", data, err)
	}
	data = bytes.Replace(data, []byte("\nversion: 1\n"), []byte("\nversion: 2\nlicense: CC0-1.0\n"), 1)
	data = regexp.MustCompile(`(?m)^updated_date: .*$`).ReplaceAll(data, []byte("updated_date: 2026-02-01"))
	must.Do(t, os.WriteFile(path, data, 0o644))
	b.restore()
	b.oldID, _ = b.check()
	return b
}

// args are the arguments that build a release of some records. The old one never has pages, because
// it is built again and again. One that follows it does so years later, when events are archived.
func (b *builds) args(records string) []string {
	args := []string{"build", records, "-o", b.target, "--quiet", "--date"}
	if records == b.old {
		return append(args, "2026-02-01", "--without=derived", "--without=variants", "--first")
	}
	if b.previousTarget {
		args = append(args, "2028-02-01", "--allow=future")
	} else {
		args = append(args, "2026-02-01")
	}
	if b.pages {
		args = append(args, "--downloads", "none")
	} else {
		args = append(args, "--without=derived")
	}
	if !b.variants {
		args = append(args, "--without=variants")
	}
	if b.previousTarget {
		return append(args, "--previous", b.target)
	}
	return append(args, "--first")
}

// restore builds the old release, which must succeed and leave nothing beside it.
func (b *builds) restore() {
	b.t.Helper()
	if out, err := exec.Command("stele", b.args(b.old)...).CombinedOutput(); err != nil {
		b.t.Fatalf("the next build: %v\n%s", err, out)
	}
	b.alone()
}

// alone makes sure that nothing lies beside the release.
func (b *builds) alone() {
	b.t.Helper()
	entries := must.Get(os.ReadDir(filepath.Dir(b.target)))(b.t)
	for _, e := range entries {
		if e.Name() != filepath.Base(b.target) && e.Name() != "ballast" {
			b.t.Fatalf("%s lies beside the release", e.Name())
		}
	}
}

// check makes sure that the release is whole, and says which it is.
func (b *builds) check() (id string, isNew bool) {
	b.t.Helper()
	r, closeRelease, err := store.Open(b.target)
	must.Do(b.t, err)
	defer closeRelease()
	report, err := r.Verify(b.t.Context(), nil)
	if err != nil || len(report.Faults) > 0 || report.Records < 40 {
		b.t.Fatalf("the release is damaged: %v, %v", report.Faults, err)
	}
	data := must.Get(fs.ReadFile(r.Files, "api/v1/signals/sig-example-rise.json"))(b.t)
	isNew = bytes.Contains(data, []byte(`"version":2`))
	if archived := len(r.Manifest.Archives()) > 0; archived != (isNew && b.previousTarget) {
		b.t.Fatalf("it has archives of events: %v", archived)
	}
	if b.oldID != "" && (r.Manifest.Release != b.oldID) != isNew {
		b.t.Fatalf("release %s is not the one that it says", r.Manifest.Release)
	}
	return r.Manifest.Release, isNew
}

// failed makes sure that a build ended with 2, said why, and left everything as it was.
func (b *builds) failed(err error, out []byte, want string) {
	b.t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.HasPrefix(string(out), "stele: ") ||
		!strings.Contains(string(out), want) {
		b.t.Fatalf("the build ended with %v, want %q:\n%s", err, want, out)
	}
	if _, isNew := b.check(); isNew {
		b.t.Fatal("it failed, and the new release is there")
	}
	b.alone()
}

// TestLongKilled kills builds at points that are spread over the time that one takes.
func TestLongKilled(t *testing.T) {
	long.Only(t)
	for _, c := range []struct {
		name           string
		previousTarget bool
	}{{"public", true}, {"release.zip", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBuilds(t, memoryDir(t), c.name)
			b.previousTarget, b.pages = c.previousTarget, true
			start := time.Now()
			if out, err := exec.Command("stele", b.args(b.now)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			took := time.Since(start)
			if _, isNew := b.check(); !isNew {
				t.Fatal("the new release is not there")
			}
			const runs = 8
			killed, completed := 0, 0
			for i := range runs {
				b.restore()
				cmd := exec.Command("stele", b.args(b.now)...)
				must.Do(t, cmd.Start())
				timer := time.AfterFunc(took*3/2*time.Duration(i)/runs, func() { cmd.Process.Kill() })
				if err := cmd.Wait(); err != nil {
					killed++
				}
				timer.Stop()
				if _, isNew := b.check(); isNew {
					completed++
				}
			}
			if b.restore(); killed == 0 {
				t.Error("no build was killed")
			}
			t.Logf("%d of %d builds were killed, %d new releases were there", killed, runs, completed)
		})
	}
}

// TestBusy: while one build writes, another says so and ends. Neither harms the other.
func TestBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	for _, name := range []string{"public", "release.zip"} {
		b := newBuilds(t, memoryDir(t), name)
		w, err := store.NewWriter(b.target)
		must.Do(t, err)
		out, err := exec.Command("stele", b.args(b.now)...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || string(out) != "stele: "+b.target+": another process is writing there\n" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		b.check()
		must.Do(t, w.Abort())

		var running []*exec.Cmd
		for range 4 {
			cmd := exec.Command("stele", b.args(b.now)...)
			cmd.Stderr = new(bytes.Buffer)
			must.Do(t, cmd.Start())
			running = append(running, cmd)
		}
		worked := 0
		for _, cmd := range running {
			switch err := cmd.Wait(); {
			case err == nil:
				worked++
			case !strings.Contains(cmd.Stderr.(*bytes.Buffer).String(), "another process is writing there"):
				t.Errorf("%s: %v\n%s", name, err, cmd.Stderr)
			}
		}
		if _, isNew := b.check(); !isNew || worked == 0 {
			t.Errorf("%s: %d builds worked", name, worked)
		}
		b.alone()
	}
}
