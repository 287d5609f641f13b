package push

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// history is a publisher, who publishes one release after the other.
type history struct {
	t      testing.TB
	dir    string
	folder fstest.MapFS
	last   string // the path of the newest release
	render []render.Renderer
	count  int
}

const signalFile = "records/signals/sig-example-rise.yaml"

func newHistory(t testing.TB) *history {
	t.Helper()
	return &history{t: t, dir: t.TempDir(), folder: must.Get(specimen.Starter())(t)}
}

// next makes the next release, as a zip, and returns its path.
func (h *history) next() string { return h.build(h.last, ".zip") }

// build makes a release on another.
func (h *history) build(previous, suffix string) string {
	h.t.Helper()
	h.count++
	date := fmt.Sprintf("2026-03-%02d", h.count)
	text := string(h.folder[signalFile].Data)
	if h.count > 1 {
		text = strings.Replace(text, fmt.Sprintf("\nversion: %d\n", h.count-1), fmt.Sprintf("\nversion: %d\n", h.count), 1)
		at := strings.Index(text, "\nupdated_date: ") + len("\nupdated_date: ")
		text = text[:at] + date + text[at+len(date):]
		h.folder[signalFile] = &fstest.MapFile{Data: []byte(text)}
	}
	opt := compiler.Options{Date: record.Date(date), ByHash: true, Render: h.render}
	if suffix == ".zip" && h.render == nil {
		h.last = h.share(previous, opt)
	} else {
		h.last = filepath.Join(h.dir, fmt.Sprintf("release-%d%s", h.count, suffix))
		h.buildTo(h.last, previous, opt)
	}
	return h.last
}

// share is the path of a release that some test may have made before. Nobody writes to it.
func (h *history) share(previous string, opt compiler.Options) string {
	h.t.Helper()
	made := sha256.New()
	fmt.Fprintf(made, "%q %q\n", previous, opt.Date)
	for _, path := range slices.Sorted(maps.Keys(h.folder)) {
		fmt.Fprintf(made, "%q %q\n", path, h.folder[path].Data)
	}
	of := [sha256.Size]byte(made.Sum(nil))
	shared.Lock()
	defer shared.Unlock()
	path := shared.paths[of]
	if path == "" {
		path = filepath.Join(shared.dir, fmt.Sprintf("%x.zip", of[:8]))
		h.buildTo(path, previous, opt)
		shared.paths[of] = path
	}
	return path
}

func (h *history) buildTo(path, previous string, opt compiler.Options) {
	h.t.Helper()
	if previous != "" {
		r, closeRelease, err := store.Open(previous)
		must.Do(h.t, err)
		defer closeRelease()
		opt.Previous = r
	}
	must.Get(specimen.BuildTo(path, h.folder, opt))(h.t)
}

var quick = bucket.Options{Pause: time.Millisecond}

func open(t testing.TB, address string, opt bucket.Options) *bucket.Bucket {
	t.Helper()
	b := must.Get(bucket.Open(t.Context(), address, opt))(t)
	t.Cleanup(func() { b.Close() })
	return b
}

func push(t testing.TB, b *bucket.Bucket, path string, opt Options) *Result {
	t.Helper()
	r := must.Get(Push(t.Context(), b, path, opt))(t)
	return r
}

// expectRelease makes sure that a bucket has a release, whole.
func expectRelease(t testing.TB, address, want string) {
	t.Helper()
	r, closeRelease, err := bucket.OpenRelease(t.Context(), address, 1<<30, quick)
	must.Do(t, err)
	defer closeRelease()
	found, err := r.Verify(t.Context(), nil)
	if err != nil || len(found.Faults) > 0 || r.Manifest.Release != want {
		t.Errorf("release %s, not %s: %v, %v", r.Manifest.Release, want, found.Faults, err)
	}
}

func idOf(t testing.TB, path string) string {
	t.Helper()
	r, closeRelease, err := store.Open(path)
	must.Do(t, err)
	defer closeRelease()
	return r.Manifest.Release
}

func keys(t testing.TB, b *bucket.Bucket) (all []string) {
	t.Helper()
	for o, err := range b.List(t.Context(), "") {
		must.Do(t, err)
		all = append(all, o.Key)
	}
	return all
}

// TestPush: releases follow each other, what is there is not sent again, and one that was not built
// on what is there is refused.
func TestPush(t *testing.T) {
	h := newHistory(t)
	one, two := h.next(), h.next()
	three := h.next()
	fork := h.build(one, ".zip")
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		dry := push(t, b, one, Options{DryRun: true})
		if all := keys(t, b); len(all) > 0 || dry.Bytes != dry.Pack.Size || dry.Before != nil {
			t.Errorf("a dry run left %q, and says %+v", all, dry)
		}
		counts := b.Counts()
		sent := counts.Sent.Load()
		r := push(t, b, one, Options{Keep: 3})
		if r.Serial != 1 || r.Before != nil || r.Unchanged {
			t.Errorf("the first push: %+v", r)
		}
		if got := counts.Sent.Load() - sent; got < dry.Bytes || got > dry.Bytes+4096 {
			t.Errorf("%d bytes, and the dry run said %d", got, dry.Bytes)
		}
		expectRelease(t, address, idOf(t, one))
		if r := push(t, b, one, Options{Keep: 3}); !r.Unchanged || r.Serial != 1 {
			t.Errorf("the same again: %+v", r)
		}
		// the one between was never pushed, and nothing of it is lost
		if r := push(t, b, three, Options{Keep: 3}); r.Serial != 2 || r.Before.Release != idOf(t, one) {
			t.Errorf("the next: %+v", r)
		}
		var other *OtherError
		for _, path := range []string{two, fork} {
			_, err := Push(t.Context(), b, path, Options{Keep: 3})
			if !errors.As(err, &other) || other.Has.Release != idOf(t, three) {
				t.Errorf("%s: %v", path, err)
			}
		}
		expectRelease(t, address, idOf(t, three))
		expectRelease(t, withParameter(address, "release="+idOf(t, one)), idOf(t, one))
		push(t, b, fork, Options{Keep: 3, Fork: true})
		expectRelease(t, address, idOf(t, fork))
	})
}

func withParameter(address, parameter string) string {
	if strings.Contains(address, "?") {
		return address + "&" + parameter
	}
	return address + "?" + parameter
}

// TestPushFolder: a folder becomes the same pack each time, without what is there twice.
func TestPushFolder(t *testing.T) {
	h := newHistory(t)
	path := h.build("", "")
	address := buckettest.Folder(t)
	b := open(t, address, quick)
	r := push(t, b, path, Options{})
	if again := push(t, b, path, Options{}); !again.Unchanged || again.Pack.SHA256 != r.Pack.SHA256 {
		t.Errorf("the second time it is %+v", again)
	}
	expectRelease(t, address, idOf(t, path))
	opened, closeRelease, err := bucket.OpenRelease(t.Context(), address, 1<<30, quick)
	must.Do(t, err)
	defer closeRelease()
	if _, err := fs.Stat(opened.Files, "by-hash"); err == nil {
		t.Error("the pack has files by their digests")
	}
}

// TestPushDamaged: what is not whole is not published.
func TestPushDamaged(t *testing.T) {
	h := newHistory(t)
	path := h.build("", "")
	must.Do(t, os.WriteFile(filepath.Join(path, "api", "v1", "signals.json"), []byte("{}"), 0o644))
	b := open(t, buckettest.Folder(t), quick)
	if _, err := Push(t.Context(), b, path, Options{}); err == nil || !strings.Contains(err.Error(), "stele verify") {
		t.Error(err)
	}
	if all := keys(t, b); len(all) > 0 {
		t.Errorf("it left %q", all)
	}
}

// TestRivals: of some who push different releases on the same one at the same time, one wins.
func TestRivals(t *testing.T) { bothWays(t, testRivals) }

func testRivals(t *testing.T) {
	h := newHistory(t)
	one := h.next()
	folder := h.folder[signalFile]
	var rivals []string
	for range 4 {
		h.folder[signalFile] = folder // each of them makes its own second release
		h.count = 1
		h.folder["stele.yaml"] = &fstest.MapFile{Data: append(slices.Clone(h.folder["stele.yaml"].Data), '\n')}
		h.folder["records/signals/sig-example-rise.yaml"] = &fstest.MapFile{Data: bytes.Replace(folder.Data, []byte("\ntitle: "), fmt.Appendf(nil, "\ntitle: Rival %d ", len(rivals)), 1)}
		rivals = append(rivals, h.build(one, ".zip"))
	}
	buckettest.Each(t, func(t *testing.T, address string) {
		push(t, open(t, address, quick), one, Options{Keep: 3})
		var wait sync.WaitGroup
		outcomes := make([]error, len(rivals))
		for i, path := range rivals {
			b := open(t, address, quick)
			wait.Go(func() { _, outcomes[i] = Push(t.Context(), b, path, Options{Keep: 3}) })
		}
		wait.Wait()
		winner := -1
		for i, err := range outcomes {
			var other *OtherError
			switch {
			case err == nil && winner < 0:
				winner = i
			case err == nil:
				t.Errorf("%d and %d won", winner, i)
			case !errors.As(err, &other):
				t.Errorf("%d: %v", i, err)
			}
		}
		if winner < 0 {
			t.Fatal("nobody won")
		}
		expectRelease(t, address, idOf(t, rivals[winner]))
		if s, err := open(t, address, quick).Pointer(t.Context()); err != nil || s.Serial != 2 {
			t.Errorf("the pointer is %+v, %v", s.Pointer, err)
		}
	})
}

// TestResume: a pack that an interrupted push brought is not sent again.
func TestResume(t *testing.T) { bothWays(t, testResume) }

func testResume(t *testing.T) {
	h := newHistory(t)
	one := h.next()
	address := buckettest.Folder(t)
	b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
		if op == "put" && key == bucket.PointerPath {
			return fs.ErrPermission
		}
		return nil
	}})
	if _, err := Push(t.Context(), b, one, Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	b = open(t, address, quick)
	if r := push(t, b, one, Options{}); !r.Resumed || len(r.Pieces) > 0 || b.Counts().Sent.Load() > 4096 {
		t.Errorf("%d bytes were sent: %+v", b.Counts().Sent.Load(), r)
	}
	expectRelease(t, address, idOf(t, one))
}
