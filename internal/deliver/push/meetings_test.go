package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/testkit/buckettest"
)

// TestSiteOthers: objects that no push wrote stay, wherever they lie, and a dry run says what the
// push does.
func TestSiteOthers(t *testing.T) {
	one, two, three := threeReleases(t)
	others := []string{
		"log/2026-03-01-access.gz", "log/checkpoint.old", "by-hash/README", "api/v1/note.txt", ".stele/note", "google1234.html",
	}
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		for _, key := range others {
			put(t, b, key, "of somebody else")
		}
		for _, opt := range []Options{{Keep: 3, Site: true}, {Keep: 1}, {Keep: 1, Repair: true}} {
			for _, path := range []string{one, two, three} {
				opt.Fork, opt.DryRun, opt.Young = true, true, time.Nanosecond
				dry := push(t, b, path, opt)
				opt.DryRun = false
				r := push(t, b, path, opt)
				if d := dry.Site; d != nil && (d.Written < r.Site.Written || d.Removed != r.Site.Removed) {
					t.Errorf("%+v, and the dry run said %+v", r.Site, d)
				}
			}
		}
		for _, key := range others {
			if data, _, err := b.Read(t.Context(), key, 100); err != nil || string(data) != "of somebody else" {
				t.Errorf("%s: %q, %v", key, data, err)
			}
		}
	})
}

// TestManyInterruptions: however many pushes are interrupted, one after the other, the pointer can
// be read, and the next push brings all in order.
func TestManyInterruptions(t *testing.T) {
	count := 36
	if testing.Short() {
		count = 12
	}
	whole := newHistory(t).next()
	dated := regexp.MustCompile(`(?m)^(published|updated)_date: .*$`)
	buckettest.Each(t, func(t *testing.T, address string) {
		if !strings.HasPrefix(address, "file:") {
			count = 12
		}
		push(t, open(t, address, quick), whole, siteOptions)
		for i := range count {
			h := newHistory(t)
			h.count = 1
			// each has a record that no other one has
			text := strings.ReplaceAll(string(h.folder[signalFile].Data), "sig-example-rise", fmt.Sprint("sig-of-", i))
			text = dated.ReplaceAllString(text, "${1}_date: 2026-03-02")
			h.folder["records/signals/sig-of-one.yaml"] = &fstest.MapFile{Data: []byte(text)}
			next := h.build(whole, ".zip")
			b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
				if op == "put" && key == layout.ManifestPath {
					return fs.ErrPermission
				}
				return nil
			}})
			_, err := Push(t.Context(), b, next, Options{Keep: 1, Fork: true})
			if err == nil || !strings.Contains(err.Error(), "run it again") {
				t.Fatalf("push %d: %v", i, err)
			}
			s, err := b.Pointer(t.Context())
			if err != nil {
				t.Fatalf("push %d leaves a pointer that cannot be read: %v", i, err)
			}
			if n := len(s.Site.Manifests); n > maxEarlier+2 {
				t.Errorf("push %d leaves a pointer that names %d manifests", i, n)
			}
		}
		b := open(t, address, quick)
		push(t, b, whole, Options{Keep: 1, Fork: true})
		public, _ := publicFiles(t, whole)
		for _, key := range keys(t, b) {
			hidden := strings.HasPrefix(key, bucket.StateFolder) || strings.HasPrefix(key, layout.ByHashFolder)
			if _, ok := public[key]; !ok && !hidden {
				t.Errorf("%s is left", key)
			}
		}
		expectRelease(t, address, idOf(t, whole))
	})
}

// TestKeepTooMany: a pointer that nobody could read is not written.
func TestKeepTooMany(t *testing.T) {
	one, _, _ := threeReleases(t)
	b := open(t, buckettest.Folder(t), quick)
	if _, err := Push(t.Context(), b, one, Options{Keep: bucket.MaxKept + 2}); err == nil {
		t.Error("more are kept than the pointer can name")
	}
	push(t, b, one, Options{Keep: bucket.MaxKept + 1})
	if all := keys(t, b); len(all) != 2 {
		t.Errorf("there are %q", all)
	}
}

// TestLostRenewal: who renews the mark, and cannot read it back, knows it for its own.
func TestLostRenewal(t *testing.T) {
	one, two, _ := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		push(t, open(t, address, quick), one, siteOptions)
		const lease = 2 * time.Second
		var swaps, unread atomic.Int64
		enough := make(chan struct{})
		b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
			switch {
			case op == "put" && key == bucket.PointerPath:
				if swaps.Add(1) == 2 { // the first renewal
					unread.Store(10)
				}
				if swaps.Load() == 4 {
					close(enough)
				}
			case op == "get" && key == bucket.PointerPath && unread.Load() > 0:
				if unread.Add(-1) < 6 {
					unread.Store(0) // all tries of one read were lost
				}
				return errors.New("the answer was lost")
			case op == "put" && key == layout.ManifestPath:
				select { // a push that gives up renewing fails, and does not hang
				case <-enough:
				case <-time.After(time.Minute):
				}
			}
			return nil
		}})
		r, err := Push(t.Context(), b, two, Options{Keep: 3, Site: true, Lease: lease})
		if err != nil || r.Site.Written == 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		s, err := b.Pointer(t.Context())
		if err != nil || s.Site.Writing != "" || s.Current.Release != idOf(t, two) {
			t.Errorf("%+v, %v", s.Pointer, err)
		}
		expectObjects(t, b, two, one)
	})
}

// TestCollectBesides: a pack that an earlier push is about to collect is not the one that the next
// push names, and files by digest are not collected while another may write them.
func TestCollectBesides(t *testing.T) {
	one, two, three := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		push(t, b, one, Options{Keep: 1})
		first := packOf(t, address).Path
		awaitClock(t, b)
		push(t, b, two, Options{Keep: 1})
		awaitClock(t, b)
		waits, goOn := make(chan struct{}), make(chan struct{})
		var once sync.Once
		slow := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
			if op == "delete" && key == first {
				once.Do(func() { close(waits) })
				<-goOn
			}
			return nil
		}})
		ended := make(chan error, 1)
		go func() {
			_, err := Push(context.Background(), slow, three, Options{Keep: 1, Young: time.Nanosecond})
			ended <- err
		}()
		<-waits
		push(t, b, one, Options{Keep: 1, Fork: true, Young: time.Nanosecond})
		close(goOn)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		expectRelease(t, address, idOf(t, one))
	})
}

// awaitClock waits until the store's clock, which may count seconds, has gone on.
func awaitClock(t testing.TB, b *bucket.Bucket) {
	t.Helper()
	before, err := b.Probe(t.Context())
	for now := before; err == nil && !now.After(before); now, err = b.Probe(t.Context()) {
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnswerLost: a push of which any one answer is lost, after the store did what was asked, comes
// to the same end as one that got them all.
func TestAnswerLost(t *testing.T) { bothWays(t, testAnswerLost) }

func testAnswerLost(t *testing.T) {
	one, two, _ := threeReleases(t)
	public, byHash := publicFiles(t, two)
	maps.Copy(public, byHash)
	bucketName := fmt.Sprintf("lost-%d", small)
	for name := range buckettest.All {
		t.Run(name, func(t *testing.T) {
			s := buckettest.Shared(t, name)
			s.Address(t, bucketName)
			var n, cut atomic.Int64
			proxy := httptest.NewServer(buckettest.Proxy(s.Host, nil, func(*http.Request) int {
				if n.Add(1) == cut.Load() {
					return 2
				}
				return 0
			}))
			defer proxy.Close()
			through := strings.TrimPrefix(proxy.URL, "http://")
			for _, site := range []bool{false, true} {
				step := int64(1)
				if site && os.Getenv("STELE_LONG") == "" {
					step = 9
				}
				for k := int64(1); n.Load() >= k-step || k == 1; k += step {
					at := fmt.Sprintf("%s/%v-%d", bucketName, site, k)
					in := func(address string) string { return strings.Replace(address, "//"+bucketName, "//"+at, 1) }
					push(t, open(t, in(s.Named(bucketName)), quick), one, Options{Keep: 3, Site: site})
					n.Store(0)
					cut.Store(k)
					if name == "fake-gcs-server" {
						t.Setenv("STORAGE_EMULATOR_HOST", through)
					}
					lossy := open(t, in(s.Through(bucketName, through)), quick)
					_, err := Push(t.Context(), lossy, two, Options{Keep: 3})
					if name == "fake-gcs-server" {
						t.Setenv("STORAGE_EMULATOR_HOST", s.Host)
					}
					if err != nil && !errors.As(err, new(*CollectError)) {
						t.Fatalf("answer %d of %d was lost: %v", k, n.Load(), err)
					}
					b := open(t, in(s.Named(bucketName)), quick)
					expectRelease(t, in(s.Named(bucketName)), idOf(t, two))
					if site {
						expectOldOrNew(t, b, public, public)
					}
					if r := push(t, b, two, Options{Keep: 3}); !r.Unchanged {
						t.Errorf("answer %d was lost: the next push has something to do: %+v", k, r)
					}
				}
				if n.Load() < 8 {
					t.Errorf("a push has only %d requests", n.Load())
				}
				n.Store(0)
			}
		})
	}
}

// TestCounts: the requests that are counted are those that a store gets.
func TestCounts(t *testing.T) {
	one, two, _ := threeReleases(t)
	s := buckettest.S3(t)
	s.Address(t, "records")
	var writes, reads, deletes atomic.Int64
	proxy := httptest.NewServer(buckettest.Proxy(s.Host, nil, func(r *http.Request) int {
		switch {
		case r.Method == http.MethodDelete:
			deletes.Add(1)
		case r.Method == http.MethodPut || r.Method == http.MethodPost || r.URL.Query().Has("list-type"):
			writes.Add(1)
		default:
			reads.Add(1)
		}
		return 0
	}))
	defer proxy.Close()
	b := open(t, s.Through("records", strings.TrimPrefix(proxy.URL, "http://")), quick)
	for _, path := range []string{one, two} {
		push(t, b, path, siteOptions)
		c := b.Counts()
		counted := [3]int64{c.Writes.Load(), c.Reads.Load(), c.Deletes.Load()}
		if got := [3]int64{writes.Load(), reads.Load(), deletes.Load()}; got != counted {
			t.Errorf("%d that write, read and delete, and %d were counted", got, counted)
		}
	}
}
