package push

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/mirror"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// mirrorOf keeps a copy of all that a bucket has.
func mirrorOf(t testing.TB, b *bucket.Bucket, target string) *mirror.Mirror {
	t.Helper()
	pack := b.Transport(1 << 30)
	t.Cleanup(func() {
		if err := pack.Close(); err != nil {
			t.Error(err)
		}
	})
	limits := fetch.Limits{Pause: time.Millisecond, Transport: pack}
	return mirror.New("s3://b", target, limits, mirror.Options{Parts: layout.Parts, NoByHash: true})
}

// expectCopy makes sure that a copy is a release, to the byte.
func expectCopy(t testing.TB, copied, path string) {
	t.Helper()
	want, closeWant, err := store.Open(path)
	must.Do(t, err)
	defer closeWant()
	got, closeGot, err := store.Open(copied)
	must.Do(t, err)
	defer closeGot()
	if found, err := got.Verify(t.Context(), nil); err != nil || len(found.Faults) > 0 {
		t.Errorf("the copy is not whole: %v, %v", found.Faults, err)
	}
	for name, err := range want.Names() {
		must.Do(t, err)
		x, err1 := fs.ReadFile(want.Files, name)
		y, err2 := fs.ReadFile(got.Files, name)
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs in the copy: %v", name, err)
		}
	}
}

// TestMirror: a copy of what a bucket has is the release, with files at public addresses and
// without, and goes on to the next one. Requests that fail are repeated.
func TestMirror(t *testing.T) { bothWays(t, testMirror) }

func testMirror(t *testing.T) {
	one, two, three := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		folder, zip := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "copy.zip")
		var n atomic.Int64
		flaky := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(string, string) error {
			if n.Add(1)%3 == 0 {
				return errors.New("try again")
			}
			return nil
		}})
		intoFolder, intoZip := mirrorOf(t, flaky, folder), mirrorOf(t, b, zip)
		if _, err := intoFolder.Update(t.Context()); err == nil {
			t.Error("an empty bucket has a copy")
		}
		for i, step := range []struct {
			path string
			opt  Options
		}{{one, Options{Keep: 3}}, {two, Options{Keep: 3}}, {two, siteOptions}, {three, siteOptions}} {
			push(t, b, step.path, step.opt)
			for _, m := range []*mirror.Mirror{intoFolder, intoZip} {
				r := must.Get(m.Update(t.Context()))(t)
				if r.Unchanged != (i == 2) || r.Manifest.Release != idOf(t, step.path) {
					t.Errorf("step %d: %+v", i, r)
				}
			}
			expectCopy(t, folder, step.path)
			expectCopy(t, zip, step.path)
		}
	})
}

// TestMirrorBad: what a bucket has that is damaged, or not what the pointer says, does not become a
// copy.
func TestMirrorBad(t *testing.T) { bothWays(t, testMirrorBad) }

func testMirrorBad(t *testing.T) {
	one, two, _ := threeReleases(t)
	for _, site := range []bool{false, true} {
		address := buckettest.Folder(t)
		b := open(t, address, quick)
		push(t, b, one, Options{Keep: 3, Site: site})
		copied := filepath.Join(t.TempDir(), "copy")
		must.Get(mirrorOf(t, b, copied).Update(t.Context()))(t)
		push(t, b, two, Options{Keep: 3, Site: site})
		dir := strings.TrimPrefix(address, "file://")
		key := lastOf(t, address)
		read := int64(-1) // bytes of it that an update reads; -1 for all
		// With this object, neither the pack nor an increment is needed.
		if current := pointerOf(t, address).Current; current.Records != nil {
			key, read = current.Records.Path, current.Records.Head
		}
		if site { // the pack is not needed
			key = layout.ManifestPath
		}
		path := filepath.Join(dir, filepath.FromSlash(key))
		whole := must.Get(os.ReadFile(path))(t)
		if read < 0 {
			read = int64(len(whole))
		}
		half := append([]byte(nil), whole...)
		half[read/3] ^= 1
		for name, data := range map[string][]byte{"flipped": half, "cut": whole[:read/2], "rubbish": []byte("rubbish"), "empty": nil} {
			must.Do(t, os.WriteFile(path, data, 0o644))
			if r, err := mirrorOf(t, b, copied).Update(t.Context()); err == nil {
				t.Errorf("%s, %s: %+v", key, name, r)
			}
		}
		must.Do(t, os.WriteFile(path, whole, 0o644))
		if _, err := mirrorOf(t, b, copied).Update(t.Context()); err != nil {
			t.Error(err)
		}
		expectCopy(t, copied, two)
	}
}

// TestRecordsGone: a copy is updated from the pack if its object of records is gone.
func TestRecordsGone(t *testing.T) {
	increments(t)
	one, two, _ := threeReleases(t)
	address := buckettest.Folder(t)
	b := open(t, address, quick)
	push(t, b, one, Options{Keep: 3})
	copied := filepath.Join(t.TempDir(), "copy")
	must.Get(mirrorOf(t, b, copied).Update(t.Context()))(t)
	push(t, b, two, Options{Keep: 3})
	gone := pointerOf(t, address).Current.Records.Path
	must.Do(t, os.Remove(filepath.Join(strings.TrimPrefix(address, "file://"), filepath.FromSlash(gone))))
	must.Get(mirrorOf(t, b, copied).Update(t.Context()))(t)
	expectCopy(t, copied, two)
}

// TestMirrorWebsite: a copy can be kept of what the web site of a bucket has, also of one that says
// of plain files how they came to it.
func TestMirrorWebsite(t *testing.T) {
	one, two, _ := threeReleases(t)
	s := buckettest.S3(t)
	b := open(t, s.Address(t, "records"), quick)
	push(t, b, one, siteOptions)
	s.OpenWebsite(t, "records")
	host := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", s.Website
		r.Out.Host = "records." + buckettest.SiteDomain
	}}
	server := httptest.NewServer(host)
	defer server.Close()
	copied := filepath.Join(t.TempDir(), "copy")
	all := mirror.Options{Parts: layout.Parts, NoByHash: true}
	m := mirror.New(server.URL, copied, fetch.Limits{Pause: time.Millisecond}, all)
	for _, path := range []string{one, two} {
		push(t, b, path, siteOptions)
		must.Get(m.Update(t.Context()))(t)
		expectCopy(t, copied, path)
	}
}
