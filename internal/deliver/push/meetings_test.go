package push

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/compile/restore"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/mirror"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestSiteOthers: objects that no push wrote stay, wherever they lie, and a dry run says what the
// push does.
func TestSiteOthers(t *testing.T) {
	one, two, three := threeReleases(t)
	others := []string{
		"log/2026-03-01-access.gz", "log/checkpoint.old", "by-hash/README", "api/v1/note.txt", ".stele/note", "google1234.html",
		".well-known/security.txt",
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

// TestLongManyInterruptions: however many pushes are interrupted, one after the other, the pointer
// can be read, and the next push brings all in order.
func TestLongManyInterruptions(t *testing.T) {
	long.Only(t)
	const count = maxEarlier + 4
	whole := newHistory(t).next()
	dated := regexp.MustCompile(`(?m)^(published|updated)_date: .*$`)
	buckettest.Each(t, func(t *testing.T, address string) {
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
			if err == nil || !strings.Contains(err.Error(), "again") {
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
		public, _ := filesAtAddresses(t, whole)
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

// TestLongLostRenewal: who renews the mark, and cannot read it back, knows it for its own.
func TestLongLostRenewal(t *testing.T) {
	long.Only(t)
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

// TestLongRivalAtEachStep: somebody else publishes, from the beginning to the end, between any two
// requests of a push. Whoever wins, what the pointer names then is there, whole.
func TestLongRivalAtEachStep(t *testing.T) {
	long.Only(t)
	bothWays(t, testRivalAtEachStep)
}

func testRivalAtEachStep(t *testing.T) {
	h := newHistory(t)
	one := h.next()
	h.folder["redactions.yaml"] = &fstest.MapFile{Data: []byte(`redactions:
  - id: sig-example-rise
    versions: "1"
    date: 2026-03-02
    reason: A person was named.
`)}
	two, three := h.next(), h.next()
	for name, c := range map[string]struct {
		before, push, rival string
		young               time.Duration
	}{
		"a redaction":          {one, two, three, 0},
		"one before it":        {one, three, two, 0},
		"a redaction again":    {two, two, three, 0},
		"the next":             {two, three, two, 0},
		"back to what was":     {two, three, one, time.Nanosecond},
		"a redaction and back": {one, two, one, 0},
		"back, then redacted":  {two, one, two, 0},
	} {
		for _, site := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", site), func(t *testing.T) {
				stride := 1
				if site && small == 0 { // then files are sent as with a whole pack
					stride = 5
				}
				if testing.Short() { // as with the race detector
					stride = 23
				}
				opt := Options{Keep: 3, Site: site, Fork: c.push == one, Young: c.young}
				rival := Options{Keep: 3, Fork: c.rival == one, Young: c.young}
				address := buckettest.Folder(t)
				for _, path := range []string{one, c.before} {
					push(t, open(t, address, quick), path, Options{Keep: 3, Site: site})
				}
				for step, more := 1, true; more; step += stride {
					more = rivalAt(t, step, address, c.push, c.rival, opt, rival)
				}
			})
		}
	}
}

// rivalAt lets a rival publish before one of the requests of a push to a bucket like the given one,
// and reports whether there was such a request.
func rivalAt(t *testing.T, step int, like, own, others string, opt, rival Options) bool {
	t.Helper()
	address := buckettest.Folder(t)
	must.Do(t, os.CopyFS(strings.TrimPrefix(address, "file://"), os.DirFS(strings.TrimPrefix(like, "file://"))))
	plain := open(t, address, quick)
	passes := func(err error) bool {
		return err == nil || errors.As(err, new(*OtherError)) || errors.As(err, new(*BusyError)) ||
			strings.Contains(err.Error(), "again")
	}
	var n atomic.Int64
	b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
		if op == "put" && !strings.HasPrefix(key, bucket.StateFolder) {
			return nil // files are written one like the other
		}
		if n.Add(1) == int64(step) {
			if _, err := Push(t.Context(), plain, others, rival); !passes(err) {
				t.Errorf("before %d, %s %s, the rival gets %v", step, op, key, err)
			}
		}
		return nil
	}})
	if _, err := Push(t.Context(), b, own, opt); !passes(err) {
		t.Errorf("with a rival before %d: %v", step, err)
	}
	for _, pack := range pointerOf(t, address).Packs() {
		expectRelease(t, withParameter(address, "release="+pack.Release), pack.Release)
	}
	if t.Failed() {
		t.Fatalf("the rival came before request %d", step)
	}
	return n.Load() >= int64(step)
}

// TestLongAnswerLost: a push of which any one answer is lost, after the store did what was asked,
// comes to the same end as one that got them all.
func TestLongAnswerLost(t *testing.T) {
	long.Only(t)
	bothWays(t, testAnswerLost)
}

func testAnswerLost(t *testing.T) {
	one, two, _ := threeReleases(t)
	public, byHash := filesAtAddresses(t, two)
	maps.Copy(public, byHash)
	bucketName := fmt.Sprintf("lost-%d", small)
	for i, name := range slices.Sorted(maps.Keys(buckettest.All)) {
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
				if site && small == 0 {
					continue // files are sent as with a whole pack
				}
				first, step := int64(1), int64(1)
				if site { // one store loses what another one does not
					first, step = 1+9*int64(i), 27
				}
				for k := first; n.Load() >= k-step || k == first; k += step {
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
					if err != nil {
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

// TestLongReaders: before any request of a reader, somebody takes something out of the bucket, or
// publishes and removes what is old; what the request brings is lost in every other round. The
// reader gets one release, whole and without what was taken out, or hears that it should try again.
func TestLongReaders(t *testing.T) {
	long.Only(t)
	bothWays(t, testReaders)
}

// secretWord is in the version that is taken out.
const secretWord = "Unspeakable"

func testReaders(t *testing.T) {
	h := newHistory(t)
	replace := func(old, other string) {
		data := bytes.Replace(h.folder[signalFile].Data, []byte(old), []byte(other), 1)
		h.folder[signalFile] = &fstest.MapFile{Data: data}
	}
	replace("\ntitle: ", "\ntitle: "+secretWord+" ")
	one := h.next()
	replace(secretWord+" ", "")
	two, three := h.next(), h.next()
	replace("\nversion: 3\n", "\nversion: 2\n")
	h.count, h.last = 2, two
	h.folder["redactions.yaml"] = &fstest.MapFile{Data: []byte(`redactions:
  - {id: sig-example-rise, versions: "1", date: 2026-03-03, reason: A person was named.}
`)}
	redacted := h.next()
	for _, site := range []bool{false, true} {
		stride := map[bool]int{false: 1, true: 5}[site] // at public addresses each file is a request
		h.t = t
		before, like := t.TempDir(), buckettest.Folder(t)
		b := open(t, like, quick)
		push(t, b, one, Options{Keep: 3, Site: site})
		must.Get(h.mirrorRecords(b, before))(t)
		push(t, b, two, Options{Keep: 3})
		for i, read := range []func(b *bucket.Bucket, dir string) (string, error){h.checkAndRestore, h.mirrorRecords} {
			for _, rival := range []string{three, redacted} {
				t.Run(fmt.Sprint(i, site, rival == redacted), func(t *testing.T) {
					h.t = t
					for step, more := 1, true; more; step += stride {
						dir, address := t.TempDir(), buckettest.Folder(t)
						at := strings.TrimPrefix(address, "file://")
						must.Do(t, os.CopyFS(at, os.DirFS(strings.TrimPrefix(like, "file://"))))
						must.Do(t, os.CopyFS(dir, os.DirFS(before)))
						intoDir := func(b *bucket.Bucket) (string, error) { return read(b, dir) }
						more = readBeside(t, step, address, rival, intoDir)
						must.Do(t, errors.Join(os.RemoveAll(at), os.RemoveAll(dir)))
					}
				})
			}
		}
	}
}

// readBeside lets a rival push before a request of a reader, and reports whether there was such a
// request.
func readBeside(t *testing.T, step int, address, rival string, read func(*bucket.Bucket) (string, error)) bool {
	t.Helper()
	plain := open(t, address, quick)
	has := pointerOf(t, address).Current.Release
	var n atomic.Int64
	id, err := read(open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
		if n.Add(1) != int64(step) {
			return nil
		}
		if _, err := Push(t.Context(), plain, rival, Options{Keep: 1, Young: time.Nanosecond}); err != nil {
			t.Errorf("before %d, %s %s: %v", step, op, key, err)
		}
		if step%2 == 0 {
			return errors.New("the answer was lost")
		}
		return nil
	}}))
	if err != nil {
		if !strings.Contains(err.Error(), "try again") && !strings.Contains(err.Error(), "is being updated") {
			t.Errorf("with a rival before %d: %v", step, err)
		}
		id = must.Get(read(plain))(t)
	}
	if id != idOf(t, rival) && (err != nil || id != has) {
		t.Errorf("with a rival before %d: release %s", step, id)
	}
	return n.Load() >= int64(step)
}

// checkAndRestore does what both commands do with the release of a bucket.
func (h *history) checkAndRestore(b *bucket.Bucket, dir string) (id string, err error) {
	t := h.t
	r, closeRelease, err := serviceIn(t, dir, "file://"+filepath.ToSlash(dir), nil).ReadBucket(t.Context(), b.Transport(1<<30))
	if err != nil {
		return "", err
	}
	defer closeRelease()
	opt := compiler.Options{Date: "2026-03-04", Previous: r}
	if _, err := compiler.Check(t.Context(), h.folder, store.NewMemory(), opt); err != nil {
		return "", err
	}
	_, _, _, err = restore.ToFolder(t.Context(), r, "", filepath.Join(must.Get(os.MkdirTemp(dir, ""))(t), "restored"))
	return r.Manifest.Release, err
}

// mirrorRecords updates the copy of the records in dir, and makes sure that it is whole and has
// nothing that was taken out.
func (h *history) mirrorRecords(b *bucket.Bucket, dir string) (id string, err error) {
	t, at, target := h.t, b.Transport(1<<30), filepath.Join(dir, "copy")
	defer at.Close()
	limits := fetch.Limits{Pause: time.Millisecond, Transport: at}
	m, err := mirror.New("s3://b", target, limits, mirror.Options{}).Update(t.Context())
	if err != nil {
		return "", err
	}
	r, closeRelease, err := store.Open(target)
	must.Do(t, err)
	defer closeRelease()
	if found, err := r.Verify(t.Context(), nil); err != nil || len(found.Faults) > 0 {
		t.Errorf("the copy is not whole: %v, %v", found.Faults, err)
	}
	wasRedacted := must.Get(r.RedactedSince(""))(t)
	must.Do(t, filepath.WalkDir(target, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && len(wasRedacted) > 0 {
			var data []byte
			if data, err = os.ReadFile(path); bytes.Contains(data, []byte(secretWord)) {
				t.Errorf("%s has what was taken out", path)
			}
		}
		return err
	}))
	return m.Manifest.Release, nil
}
