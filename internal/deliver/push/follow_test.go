package push

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/release"
)

// follow is a place with a cache of its own, which asks whenever it is asked.
func follow(t testing.TB, address, cache string, opt bucket.Options, bytes int64) *bucket.Place {
	t.Helper()
	b := must.Get(bucket.Open(t.Context(), address, opt))(t)
	p := must.Get(b.At(t.Context(), bucket.PlaceOptions{Cache: cache, Every: time.Nanosecond, Bytes: bytes}))(t)
	t.Cleanup(func() { p.Close() })
	return p
}

// expectOpened opens what a place has, and lets it go.
func expectOpened(t testing.TB, p *bucket.Place, want string) {
	t.Helper()
	r, modified, closer, err := p.Open()
	must.Do(t, err)
	defer closer()
	p.MarkServed()
	found, err := r.Verify(t.Context(), nil)
	if err != nil || len(found.Faults) > 0 || r.Manifest.Release != want || modified.IsZero() {
		t.Errorf("release %s of %s, not %s: %v, %v", r.Manifest.Release, modified, want, found.Faults, err)
	}
}

func expectChanged(t testing.TB, p *bucket.Place, want bool) {
	t.Helper()
	if changed, err := p.Changed(); err != nil || changed != want {
		t.Errorf("changed is %v, %v", changed, err)
	}
}

func measure(t testing.TB, p *bucket.Place, serving, name string) float64 {
	t.Helper()
	for _, m := range p.Measures(serving) {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// TestFollow: a server gets the next release, and keeps a cache of two.
func TestFollow(t *testing.T) { bothWays(t, testFollow) }

func testFollow(t *testing.T) {
	h := newHistory(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		*h = *newHistory(t)
		b := open(t, address, quick)
		cache := t.TempDir()
		p := follow(t, address, cache, quick, 0)
		if _, err := p.Changed(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an empty bucket: %v", err)
		}
		if _, _, _, err := p.Open(); err == nil || !strings.Contains(err.Error(), "stele push") {
			t.Errorf("an empty bucket: %v", err)
		}
		for i := range 4 {
			path := h.next()
			push(t, b, path, Options{Keep: 2})
			expectChanged(t, p, true)
			before := measure(t, p, "", "stele_bucket_fetched_bytes_total")
			if i > 0 && measure(t, p, "another", "stele_bucket_lag_seconds") <= 0 {
				t.Error("it does not lag behind")
			}
			expectOpened(t, p, idOf(t, path))
			expectChanged(t, p, false)
			if measure(t, p, idOf(t, path), "stele_bucket_lag_seconds") != 0 {
				t.Error("it lags behind")
			}
			info := must.Get(os.Stat(path))(t)
			fetched := int64(measure(t, p, "", "stele_bucket_fetched_bytes_total") - before)
			if whole := small > 0 || i == 0; whole && fetched != info.Size() || !whole && fetched > info.Size()/part {
				t.Errorf("release %d: %d bytes were fetched of %d", i, fetched, info.Size())
			}
		}
		zips, err := filepath.Glob(filepath.Join(cache, "*.zip"))
		if err != nil || len(zips) != 2 {
			t.Errorf("the cache has %q", zips)
		}
	})
}

// TestBucketAway: while the bucket cannot be reached, what is in the cache is served, also by a
// server that starts.
func TestBucketAway(t *testing.T) { bothWays(t, testBucketAway) }

func testBucketAway(t *testing.T) {
	h := newHistory(t)
	one := h.next()
	address, cache := buckettest.Folder(t), t.TempDir()
	push(t, open(t, address, quick), one, Options{})
	var away atomic.Bool
	opt := quick
	opt.Before = func(string, string) error {
		if away.Load() {
			return fs.ErrPermission
		}
		return nil
	}
	p := follow(t, address, cache, opt, 0)
	expectOpened(t, p, idOf(t, one))
	away.Store(true)
	push(t, open(t, address, quick), h.next(), Options{})
	expectChanged(t, p, false)
	p.Close()
	p = follow(t, address, cache, opt, 0)
	expectOpened(t, p, idOf(t, one))
	expectChanged(t, p, false)
	away.Store(false)
	expectChanged(t, p, true)
	expectOpened(t, p, idOf(t, h.last))
	p.Close()
	// a cache that was damaged meanwhile is fetched anew
	zips, err := filepath.Glob(filepath.Join(cache, packOf(t, address).Release+"-*.zip"))
	if err != nil || len(zips) != 1 {
		t.Fatal(zips, err)
	}
	must.Do(t, os.Truncate(zips[0], 100))
	p = follow(t, address, cache, opt, 0)
	expectOpened(t, p, idOf(t, h.last))
	b := must.Get(bucket.Open(t.Context(), address, quick))(t)
	defer b.Close()
	if _, err := b.At(t.Context(), bucket.PlaceOptions{Cache: cache}); err == nil {
		t.Error("two have one cache")
	}
}

func packOf(t testing.TB, address string) *bucket.Pack {
	t.Helper()
	return pointerOf(t, address).Current
}

func pointerOf(t testing.TB, address string) *bucket.Pointer {
	t.Helper()
	s := must.Get(open(t, address, quick).Pointer(t.Context()))(t)
	return s.Pointer
}

// lastOf is the object that a push brought last: a pack, or an increment.
func lastOf(t testing.TB, address string) string {
	t.Helper()
	p := pointerOf(t, address)
	if p.Current.Path == "" {
		return p.Increments[len(p.Increments)-1].Path
	}
	return p.Current.Path
}

// bothWays runs a test with packs that are sent whole, as small ones are, and with increments.
func bothWays(t *testing.T, test func(t *testing.T)) {
	t.Run("whole", test)
	t.Run("increments", func(t *testing.T) {
		before := small
		small = 0
		defer func() { small = before }()
		test(t)
	})
}

// TestRefused: a process that starts begins with the release that an earlier one served, or that
// the bucket keeps, where those that came after it are refused. They do not drive it out of the
// cache, however many there are, and are not tried again; the next good one is served.
func TestRefused(t *testing.T) { bothWays(t, testRefused) }

func testRefused(t *testing.T) {
	h := newHistory(t)
	good, bad := h.next(), []string{h.next(), h.next()}
	next := h.next()
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		push(t, b, good, Options{Keep: 4})
		cache := t.TempDir()
		p := follow(t, address, cache, quick, 0)
		expectOpened(t, p, idOf(t, good))
		for i, path := range bad {
			push(t, b, path, Options{Keep: 4})
			expectChanged(t, p, true)
			expectRefused(t, p, idOf(t, path))
			expectChanged(t, p, false)
			p.Close()
			for _, dir := range []string{t.TempDir(), cache} { // an empty one, too
				p = follow(t, address, dir, quick, 0)
				refused := []string{path}
				if dir != cache && i > 0 {
					refused = append(refused, bad[i-1]) // which is kept, too
				}
				for _, path := range refused {
					expectRefused(t, p, idOf(t, path))
					expectChanged(t, p, true)
				}
				expectOpened(t, p, idOf(t, good))
				expectChanged(t, p, false)
				if dir != cache {
					p.Close()
				}
			}
		}
		push(t, b, next, Options{Keep: 4})
		expectChanged(t, p, true)
		expectOpened(t, p, idOf(t, next))
	})
}

// TestPassingRefusal: a release that cannot be served because of the machine is tried again.
func TestPassingRefusal(t *testing.T) {
	one, _, _ := threeReleases(t)
	address := buckettest.Folder(t)
	push(t, open(t, address, quick), one, Options{})
	p := follow(t, address, t.TempDir(), quick, 0)
	expectRefused(t, p, idOf(t, one))
	p.MarkRefused(fmt.Errorf("the pages: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}))
	time.Sleep(time.Millisecond)
	expectChanged(t, p, true)
	expectRefused(t, p, idOf(t, one))
	p.MarkRefused(errors.New("it is damaged"))
	expectChanged(t, p, false)
}

// expectRefused opens what a place has, and does not serve it.
func expectRefused(t testing.TB, p *bucket.Place, want string) {
	t.Helper()
	r, _, closer, err := p.Open()
	must.Do(t, err)
	if r.Manifest.Release != want {
		t.Errorf("release %s is opened, not %s", r.Manifest.Release, want)
	}
	if err := closer(); err != nil {
		t.Error(err)
	}
}

// TestBadBucket: rubbish, half a pack, an older pointer and what is too large are refused, and what
// was good stays.
func TestBadBucket(t *testing.T) { bothWays(t, testBadBucket) }

func testBadBucket(t *testing.T) {
	h := newHistory(t)
	one, two := h.next(), h.next()
	address := buckettest.Folder(t)
	dir := strings.TrimPrefix(address, "file://")
	b := open(t, address, quick)
	push(t, b, one, Options{Keep: 2})
	pointer := filepath.Join(dir, filepath.FromSlash(bucket.PointerPath))
	old := must.Get(os.ReadFile(pointer))(t)
	p := follow(t, address, t.TempDir(), quick, 0)
	expectOpened(t, p, idOf(t, one))
	push(t, b, two, Options{Keep: 2})
	pack := filepath.Join(dir, filepath.FromSlash(lastOf(t, address)))
	whole := must.Get(os.ReadFile(pack))(t)
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 1
	for name, data := range map[string][]byte{"half": whole[:len(whole)/2], "rubbish": []byte("rubbish"), "flipped": flipped, "empty": nil} {
		must.Do(t, os.WriteFile(pack, data, 0o644))
		t.Log(name)
		p := follow(t, address, t.TempDir(), quick, 0)
		expectOpened(t, p, idOf(t, one)) // which is kept
	}
	if small := follow(t, address, t.TempDir(), quick, 1000); small != nil {
		var large *bucket.TooLargeError
		if _, _, _, err := small.Open(); !errors.As(err, &large) {
			t.Errorf("what is too large ends with %v", err)
		}
	}
	must.Do(t, os.WriteFile(pack, whole, 0o644))
	expectChanged(t, p, true)
	expectOpened(t, p, idOf(t, two))
	for name, data := range map[string][]byte{"older": old, "rubbish": []byte("rubbish"), "empty": nil} {
		must.Do(t, os.WriteFile(pointer, data, 0o644))
		if changed, err := p.Changed(); err != nil || changed {
			t.Errorf("a pointer that is %s is followed: %v", name, err)
		}
	}
}

// TestManyServers: three servers with empty caches answer without a failure while releases are
// pushed; every body is of one release, and no server goes back.
func TestManyServers(t *testing.T) { bothWays(t, testManyServers) }

func testManyServers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs servers under load")
	}
	const collection = "api/v1/signals.json"
	h := newHistory(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		*h = *newHistory(t)
		b := open(t, address, quick)
		order := &sync.Map{} // digest of the collection → its place among the releases
		publishNext := func(place int) {
			path := h.next()
			r, closeRelease, err := store.Open(path)
			must.Do(t, err)
			order.Store(r.Manifest.File(collection).SHA256, place)
			closeRelease()
			push(t, b, path, Options{Keep: 2})
		}
		publishNext(0)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		var seen [3]atomic.Int64
		var asked atomic.Int64
		for i := range seen {
			p := follow(t, address, t.TempDir(), quick, 0)
			f := must.Get(serve.Follow("bucket", p, serve.Options{}))(t)
			l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
			go f.Server().Serve(l)
			t.Cleanup(func() { f.Server().Shutdown(context.WithoutCancel(t.Context())) })
			running.Go(func() {
				for ctx.Err() == nil {
					f.Look(false)
					time.Sleep(10 * time.Millisecond)
				}
			})
			running.Go(func() {
				for last := -1; ctx.Err() == nil; {
					digest, err := digestOf("http://" + l.Addr().String() + "/" + collection)
					place, known := order.Load(digest)
					switch {
					case err != nil:
						t.Errorf("server %d: %v", i, err)
						return
					case !known:
						t.Errorf("server %d: a body is of no release", i)
						return
					case place.(int) < last:
						t.Errorf("server %d went back", i)
						return
					}
					last = place.(int)
					seen[i].Store(int64(last))
					asked.Add(1)
					time.Sleep(time.Millisecond) // which leaves time for those who publish
				}
			})
		}
		const releases = 5
		for n := range releases {
			publishNext(n + 1)
			for i := range seen {
				deadline := time.Now().Add(time.Minute)
				for ; seen[i].Load() < int64(n+1) && !t.Failed(); time.Sleep(5 * time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("server %d does not serve release %d", i, n+1)
					}
				}
			}
		}
		stop()
		running.Wait()
		t.Logf("%d answers", asked.Load())
	})
}

func digestOf(url string) (release.Digest, error) {
	response, err := http.Get(url)
	if err != nil {
		return release.Digest{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return release.Digest{}, errors.New(response.Status)
	}
	sum := sha256.New()
	_, err = io.Copy(sum, response.Body)
	return release.Digest(sum.Sum(nil)), err
}
