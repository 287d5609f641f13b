package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// write writes a release with a title on another one, and does not put it in its place.
func write(
	t testing.TB, target, title string, version, day int, previous *release.Release,
) (store.Writer, *release.Release) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	const signal = "records/signals/sig-example-rise.yaml"
	text := strings.Replace(string(folder[signal].Data), "\ntitle: ", "\ntitle: "+title, 1)
	if previous != nil {
		text = strings.Replace(text, "\nversion: 1\n", fmt.Sprintf("\nversion: %d\n", version), 1)
		at := strings.Index(text, "\nupdated_date: ") + len("\nupdated_date: ")
		text = text[:at] + fmt.Sprintf("2026-03-%02d", day) + text[at+len(time.DateOnly):]
	}
	folder[signal] = &fstest.MapFile{Data: []byte(text)}
	w, err := store.NewWriter(target)
	must.Do(t, err)
	opt := compiler.Options{Date: record.Date(fmt.Sprintf("2026-03-%02d", day)), Previous: previous, NoVariants: true}
	out, err := compiler.Build(t.Context(), folder, w, opt)
	if err != nil || out.Manifest == nil {
		t.Fatalf("%v, %+v", err, out)
	}
	return w, &release.Release{Manifest: out.Manifest, Files: w.Files()}
}

// serviceIn has a folder and a bucket, in a folder of its own.
func serviceIn(t testing.TB, dir, address string, before func(op, key string) error) *Service {
	t.Helper()
	b := must.Get(bucket.Open(t.Context(), address, bucket.Options{Pause: time.Millisecond, Before: before}))(t)
	t.Cleanup(func() { b.Close() })
	return &Service{
		Folder: filepath.Join(dir, "public"), Bucket: b, Records: dir, State: filepath.Join(dir, "state"),
		ReadBucket: func(ctx context.Context, t *bucket.Transport) (*release.Release, func() error, error) {
			err := t.Refresh(ctx, nil)
			if err != nil {
				return nil, nil, errors.Join(err, t.Close())
			}
			c, err := client.Open(ctx, t.Name(), client.Options{Transport: t})
			if err != nil {
				return nil, nil, errors.Join(err, t.Close())
			}
			return c.Release(ctx), func() error { return errors.Join(c.Close(), t.Close()) }, nil
		},
	}
}

func folderHas(t testing.TB, s *Service) string {
	t.Helper()
	r, closeRelease, err := store.OpenTarget(s.Folder)
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	defer closeRelease()
	return r.Manifest.Release
}

// TestRivalOfService: somebody else publishes to the bucket between any two requests of a
// publication. The folder has what the bucket has, or one that the bucket came from: never another
// line.
func TestRivalOfService(t *testing.T) {
	refused := 0
	for step, more := 1, true; more; step++ {
		dir, address := t.TempDir(), buckettest.Folder(t)
		rival := serviceIn(t, t.TempDir(), address, nil)
		n := 0
		var first *release.Release
		s := serviceIn(t, dir, address, func(_, _ string) error {
			if n++; n == step && first != nil {
				w, now := write(t, rival.Folder, "Rival ", 2, 3, first)
				_, err := rival.Place(context.Background(), w, now, first, false, Options{})
				if err != nil && !errors.As(err, new(*OtherError)) {
					t.Error(err)
				}
			}
			return nil
		})
		w, now := write(t, s.Folder, "", 1, 1, nil)
		must.Get(s.Place(t.Context(), w, now, nil, false, Options{}))(t)
		live, _, err := s.OpenLive(t.Context(), false)
		must.Do(t, err)
		first, n = live, 0
		w, now = write(t, s.Folder, "Mine ", 2, 2, first)
		_, err = s.Place(t.Context(), w, now, first, false, Options{})
		s.Close()
		more = n >= step
		s = serviceIn(t, dir, address, nil)
		if _, _, lineErr := s.OpenLive(t.Context(), false); lineErr != nil {
			t.Fatalf("a rival before request %d, %v: %v", step, err, lineErr)
		}
		s.Close()
		if err != nil {
			refused++
		} else if got := folderHas(t, s); got != now.Manifest.Release {
			t.Errorf("a rival before request %d: the folder has %s, not %s", step, got, now.Manifest.Release)
		}
	}
	if refused == 0 {
		t.Error("no rival won")
	}
}

// TestLate: where nothing can be removed from the bucket, the release is published all the same,
// and what a push kept stays kept.
func TestLate(t *testing.T) {
	dir, address := t.TempDir(), buckettest.Folder(t)
	s := serviceIn(t, dir, address, func(op, key string) error {
		if op == "delete" && strings.HasPrefix(key, bucket.PackFolder) {
			return fs.ErrPermission
		}
		return nil
	})
	var last *release.Release
	for day := 1; day <= 4; day++ {
		w, now := write(t, s.Folder, fmt.Sprint("Day ", day, " "), day, day, last)
		opt := Options{Young: time.Nanosecond}
		if day == 1 {
			opt.Keep = 2
		}
		late, err := s.Place(t.Context(), w, now, last, false, opt)
		if err != nil || (late != nil) != (day > 2) {
			t.Fatalf("day %d: late %v, %v", day, late, err)
		}
		if last, _, err = s.OpenLive(t.Context(), false); err != nil || last.Manifest.Release != now.Manifest.Release {
			t.Fatal(last, err)
		}
	}
	s.Close()
	if state, err := s.Bucket.Pointer(t.Context()); err != nil || len(state.Kept) != 1 || state.Keep != 2 {
		t.Errorf("%+v, %v", state.Pointer, err)
	}
}

// TestBucketAnew: a bucket is emptied, or an old copy of it is restored, while a server follows it.
// The next publication is one that the server follows, on the machine that published before and on
// one that remembers nothing.
func TestBucketAnew(t *testing.T) {
	for _, c := range []struct{ restores, remembers bool }{{false, true}, {true, true}, {false, false}, {true, false}} {
		dir, address := t.TempDir(), buckettest.Folder(t)
		folder := strings.TrimPrefix(address, "file://")
		s := serviceIn(t, dir, address, nil)
		s.Folder = ""
		var last, shown *release.Release
		publishOn := func(day int) {
			t.Helper()
			w, now := write(t, filepath.Join(t.TempDir(), "release"), fmt.Sprint("Day ", day, " "), day, day, last)
			if _, err := s.Place(t.Context(), w, now, last, false, Options{}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s.serial, s.Found = 0, ""
		}
		live := func() {
			t.Helper()
			var err error
			last, _, err = s.OpenLive(t.Context(), false)
			must.Do(t, err)
		}
		publishOn(1)
		old := filepath.Join(t.TempDir(), "old")
		must.Do(t, os.CopyFS(old, os.DirFS(folder)))
		live()
		publishOn(2)
		live()
		publishOn(3)
		live()
		seen := must.Get(s.Bucket.Pointer(t.Context()))(t).Serial
		shown = last
		kept := filepath.Join(t.TempDir(), "shown")
		must.Do(t, os.CopyFS(kept, os.DirFS(folder)))
		shown, closeShown, err := bucket.OpenRelease(t.Context(), "file://"+kept, 1<<40, bucket.Options{})
		must.Do(t, err)
		defer closeShown()
		s.Close()
		must.Do(t, os.RemoveAll(folder))
		must.Do(t, os.MkdirAll(folder, 0o755))
		if c.restores {
			must.Do(t, os.CopyFS(folder, os.DirFS(old)))
		}
		s = serviceIn(t, dir, address, nil)
		s.Folder, s.Address = "", "https://data.example.org"
		s.Read = func(context.Context, string) (*release.Release, func() error, error) {
			return shown, func() error { return nil }, nil
		}
		if !c.remembers {
			s.State = t.TempDir()
		}
		live()
		if last.Manifest.Release != shown.Manifest.Release || s.Found == "" {
			t.Errorf("%+v: it goes on from %s, and says %q", c, last.Manifest.Release, s.Found)
		}
		w, now := write(t, filepath.Join(t.TempDir(), "release"), "Day 4 ", 4, 4, last)
		if _, err := s.Place(t.Context(), w, now, last, false, Options{}); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if is := must.Get(s.Bucket.Pointer(t.Context()))(t).Serial; is <= seen {
			t.Errorf("%+v: pointer %d, and servers saw %d", c, is, seen)
		}
		s.Close()
	}
}
