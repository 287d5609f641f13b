package push

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/internal/show/describe"
	"stele/internal/show/site"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// newSite is a publisher with pages.
func newSite(t testing.TB) *history {
	h := newHistory(t)
	h.render = []render.Renderer{site.Options{}.Write, describe.Options{}.Write}
	return h
}

// shared are releases, which take long to make: tests that ask for the same get the same zip.
var shared struct {
	sync.Mutex
	dir   string
	paths map[[sha256.Size]byte]string // by what they are made of
}

func TestMain(m *testing.M) {
	var err error
	if shared.dir, err = os.MkdirTemp("", "stele-test-"); err != nil {
		panic(err)
	}
	shared.paths = map[[sha256.Size]byte]string{}
	code := buckettest.Run(m)
	os.RemoveAll(shared.dir)
	os.Exit(code)
}

// threeReleases are the paths of three releases, one built on the other.
func threeReleases(t testing.TB) (one, two, three string) {
	t.Helper()
	h := newHistory(t)
	return h.next(), h.next(), h.next()
}

// siteOptions are those of a push with public addresses.
var siteOptions = Options{Keep: 3, Site: true}

// filesAtAddresses are the files of a release with public addresses, and those by digest, by
// their keys. It knows only names: a variant is what has the name of another and a suffix.
func filesAtAddresses(t testing.TB, path string) (public, byHash map[string][]byte) {
	t.Helper()
	r, closeRelease, err := store.Open(path)
	must.Do(t, err)
	defer closeRelease()
	all := map[string][]byte{}
	for name, err := range r.Names() {
		data, err2 := fs.ReadFile(r.Files, name)
		must.Do(t, errors.Join(err, err2))
		all[name] = data
	}
	public, byHash = map[string][]byte{}, map[string][]byte{}
	for name, data := range all {
		base := strings.TrimSuffix(name, filepath.Ext(name))
		suffix := filepath.Ext(name)
		if _, variant := all[base]; !variant || suffix != ".br" && suffix != ".zst" && suffix != ".gz" {
			public[name] = data
		}
		listed := r.Manifest.File(name) != nil || r.Manifest.File(base) != nil && public[name] == nil
		if name == layout.ManifestPath || listed && all[name+".gz"] == nil && !layout.IsDownload(name) {
			byHash[layout.ByHashPath(fmt.Sprintf("%x", sha256.Sum256(data)))] = data
		}
	}
	return public, byHash
}

// expectObjects makes sure that a bucket has exactly what it should have of releases: public files
// of one, files by digest and packs of all, and the pointer.
func expectObjects(t testing.TB, b *bucket.Bucket, shown string, kept ...string) {
	t.Helper()
	public, want := filesAtAddresses(t, shown)
	maps.Copy(want, public)
	want[bucket.PointerPath] = nil
	s := must.Get(b.Pointer(t.Context()))(t)
	for _, path := range append(kept, shown) {
		_, byHash := filesAtAddresses(t, path)
		maps.Copy(want, byHash)
		data := must.Get(os.ReadFile(path))(t)
		if pack := s.Find(idOf(t, path)); pack == nil {
			t.Errorf("%s is not named", path)
		} else if pack.Path != "" {
			want[pack.Path] = data
		}
	}
	for _, path := range s.Paths() {
		if want[path] == nil {
			want[path] = nil
		}
	}
	got := keys(t, b)
	for key := range want {
		if !slices.Contains(got, key) {
			t.Errorf("%s is missing", key)
		}
	}
	for _, key := range got {
		data, ok := want[key]
		if !ok {
			t.Errorf("there is %s", key)
			continue
		}
		is, _, err := b.Read(t.Context(), key, 1<<30)
		if err != nil || data != nil && !bytes.Equal(is, data) {
			t.Errorf("%s is not that of the release: %v", key, err)
		}
	}
}

// TestSite: the public addresses have exactly the files of the release; what did not change is not
// sent again, and what is gone goes.
func TestSite(t *testing.T) {
	one, two, three := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		dry := push(t, b, one, Options{Keep: 3, Site: true, DryRun: true})
		if all := keys(t, b); len(all) > 0 {
			t.Errorf("a dry run left %q", all)
		}
		r := push(t, b, one, siteOptions)
		if r.Site.Written != dry.Site.Written || r.Site.Removed != 0 {
			t.Errorf("%+v, and the dry run said %+v", r.Site, dry.Site)
		}
		expectObjects(t, b, one)
		for _, next := range [][]string{{two, one}, {three, two, one}} {
			var mu sync.Mutex
			sent := map[string]int{}
			b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
				if op == "put" && !strings.HasPrefix(key, bucket.StateFolder) {
					mu.Lock()
					defer mu.Unlock()
					sent[key]++
				}
				return nil
			}})
			r := push(t, b, next[0], Options{Keep: 3}) // once a site, always a site
			expectObjects(t, b, next[0], next[1:]...)
			want := changedKeys(t, next[1], next[0])
			if got := slices.Sorted(maps.Keys(sent)); !slices.Equal(got, want) || r.Site.Written != int64(len(want)) {
				t.Errorf("%d were sent:\n%q, and these differ:\n%q", r.Site.Written, got, want)
			}
		}
		if r := push(t, b, three, siteOptions); !r.Unchanged {
			t.Errorf("the same again: %+v", r)
		}
		// with other header lines all public files are sent
		public, _ := filesAtAddresses(t, three)
		if r := push(t, b, three, Options{Keep: 3, MaxAge: -1}); r.Site.Written != int64(len(public))+1 {
			t.Errorf("%d of %d files are sent in another way", r.Site.Written, len(public))
		}
		if r := push(t, b, three, Options{Keep: 3}); !r.Unchanged {
			t.Errorf("how files are sent is not remembered: %+v", r.Site)
		}
		expectObjects(t, b, three, two, one)
	})
}

// changedKeys are the keys that the second release has with other content than the first.
func changedKeys(t testing.TB, first, second string) (list []string) {
	t.Helper()
	had, hadByHash := filesAtAddresses(t, first)
	has, hasByHash := filesAtAddresses(t, second)
	maps.Copy(had, hadByHash)
	maps.Copy(has, hasByHash)
	for key, data := range has {
		if old, ok := had[key]; !ok || !bytes.Equal(old, data) {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

// TestSiteGone: what a release has no more goes from its public address.
func TestSiteGone(t *testing.T) {
	if testing.Short() {
		t.Skip("makes one release with pages after the other")
	}
	h := newSite(t)
	gone := "records/signals/sig-gone.yaml"
	text := string(h.folder[signalFile].Data)
	h.folder[gone] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "sig-example-rise", "sig-gone"))}
	one := h.next()
	delete(h.folder, gone)
	h.last = ""
	two := h.build("", ".zip") // which is another history, in which it never was
	b := open(t, buckettest.Folder(t), quick)
	push(t, b, one, siteOptions)
	r := push(t, b, two, Options{Keep: 1, Site: true, Fork: true, Young: time.Nanosecond})
	if r.Site.Removed == 0 {
		t.Error("nothing was removed")
	}
	expectObjects(t, b, two)
}

func put(t testing.TB, b *bucket.Bucket, key, text string) {
	t.Helper()
	must.Do(t, b.Put(t.Context(), key, strings.NewReader(text), int64(len(text)), bucket.Head{Type: "text/plain"}))
}

// errDead is what a process gets that is no more.
var errDead = errors.New("the process is gone")

// TestLongCuts: a push that dies at any of its requests leaves the pointer right and each public
// file old or new, and the next push brings all of it in order.
func TestLongCuts(t *testing.T) {
	long.Only(t)
	t.Run("site", func(t *testing.T) { testCuts(t, siteOptions) })
	bothWays(t, func(t *testing.T) { testCuts(t, Options{Keep: 3}) })
}

func testCuts(t *testing.T, opt Options) {
	one, two, _ := threeReleases(t)
	old, oldByHash := filesAtAddresses(t, one)
	now, nowByHash := filesAtAddresses(t, two)
	maps.Copy(old, oldByHash)
	maps.Copy(now, nowByHash)
	buckettest.Each(t, func(t *testing.T, address string) {
		step, least, folder := 1, 8, strings.HasPrefix(address, "file:")
		if opt.Site {
			least = 20
		}
		switch {
		case testing.Short():
			step = 31
		case !folder && opt.Site:
			step = 29
		}
		for cut := 1; ; cut += step {
			at := buckettest.Folder(t)
			if !folder { // a prefix of its own
				name, parameters, _ := strings.Cut(address, "?")
				at = fmt.Sprintf("%s/cut-%d?%s", name, cut, parameters)
			}
			push(t, open(t, at, quick), one, opt)
			if !dieAt(t, at, cut, two, opt) {
				if cut < least {
					t.Errorf("a push has only %d requests", cut)
				}
				return
			}
			b := open(t, at, quick)
			s, err := b.Pointer(t.Context())
			if err != nil || s.Current.Release != idOf(t, one) && s.Current.Release != idOf(t, two) {
				t.Fatalf("cut at %d: %+v, %v", cut, s.Pointer, err)
			}
			expectRelease(t, at, s.Current.Release)
			if opt.Site {
				expectOldOrNew(t, b, old, now)
			}
			if opt.Site && s.Site.Writing != "" {
				var busy *BusyError
				if _, err := Push(t.Context(), b, two, opt); !errors.As(err, &busy) {
					t.Errorf("cut at %d: who comes right after it gets %v", cut, err)
				}
			}
			takeOver(t, b, two)
			if expectRelease(t, at, idOf(t, two)); opt.Site {
				expectObjects(t, b, two, one)
			}
			os.RemoveAll(strings.TrimPrefix(at, "file://")) // a folder
		}
	})
}

// takeOver pushes a release as soon as the store's clock lets it take over from one who died.
func takeOver(t testing.TB, b *bucket.Bucket, path string) {
	t.Helper()
	for {
		_, err := Push(t.Context(), b, path, Options{Keep: 3, Lease: time.Nanosecond, Young: time.Nanosecond})
		var busy *BusyError
		if err == nil {
			return
		}
		if !errors.As(err, &busy) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// dieAt pushes a release and dies at a request. It reports whether there were so many.
func dieAt(t testing.TB, address string, cut int, path string, opt Options) bool {
	t.Helper()
	var n atomic.Int64
	b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(_, _ string) error {
		if n.Add(1) >= int64(cut) {
			return fmt.Errorf("%w: %w", errDead, fs.ErrPermission) // which is not tried again
		}
		return nil
	}})
	r, err := Push(t.Context(), b, path, opt)
	died := n.Load() >= int64(cut)
	if died != (err != nil || r.Late != nil) { // what is late in cleaning up is published
		t.Fatalf("cut at %d: %v", cut, err)
	}
	return died
}

// expectOldOrNew makes sure that a bucket has, at every public address of two releases, what one of
// them has there.
func expectOldOrNew(t testing.TB, b *bucket.Bucket, old, now map[string][]byte) {
	t.Helper()
	both := maps.Clone(old)
	maps.Copy(both, now)
	for key := range both {
		is, _, err := b.Read(t.Context(), key, 1<<30)
		before, had := old[key]
		after, has := now[key]
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if had && has {
				t.Errorf("%s is gone", key)
			}
		case err != nil:
			t.Fatal(err)
		case (!had || !bytes.Equal(is, before)) && (!has || !bytes.Equal(is, after)):
			t.Errorf("%s is of neither release", key)
		}
	}
}

// TestSiteSkips: after pushes of several releases that died half-way, the next one brings all in
// order, and sends no more than what differs from the last whole one.
func TestSiteSkips(t *testing.T) {
	one, two, three := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		push(t, open(t, address, quick), one, siteOptions)
		for i, path := range []string{two, three} {
			var n atomic.Int64
			b := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
				if op == "put" && !strings.HasPrefix(key, bucket.StateFolder) && n.Add(1) > 15 {
					return fs.ErrPermission
				}
				return nil
			}})
			if _, err := Push(t.Context(), b, path, siteOptions); err == nil || !strings.Contains(err.Error(), "run this again") {
				t.Fatalf("push %d: %v", i, err)
			}
			// it said that it stopped, so that nobody has to wait
			if s, err := b.Pointer(t.Context()); err != nil || !s.Site.Stopped || len(s.Site.Manifests) != 2 {
				t.Fatalf("push %d leaves %+v, %v", i, s.Pointer, err)
			}
		}
		b := open(t, address, quick)
		// the store may count seconds, and the pointer must be younger than the packs
		time.Sleep(1100 * time.Millisecond)
		r := push(t, b, three, Options{Keep: 1})
		push(t, b, three, Options{Keep: 1, Young: time.Nanosecond})
		expectObjects(t, b, three)
		differ := int64(len(changedKeys(t, one, three)))
		if !r.Site.Repaired || !strings.HasPrefix(address, "file:") && r.Site.Written > differ {
			t.Errorf("%d files were sent, and only %d differ from those that were there before", r.Site.Written, differ)
		}
	})
}

// TestSiteRepair: what somebody spoilt is found and put in order when that is asked for.
func TestSiteRepair(t *testing.T) {
	one, two, _ := threeReleases(t)
	buckettest.Each(t, func(t *testing.T, address string) {
		b := open(t, address, quick)
		push(t, b, one, siteOptions)
		push(t, b, two, siteOptions)
		put(t, b, "api/v1/signals.json", "{}")
		put(t, b, "data/v2/source-objects.json", "spoilt")
		_, byHash := filesAtAddresses(t, two)
		for _, key := range slices.Sorted(maps.Keys(byHash))[:1] { // of the size that it should have
			put(t, b, key, strings.Repeat("x", len(byHash[key])))
		}
		must.Do(t, b.Remove(t.Context(), "api/v1/evidence.json"))
		if r := push(t, b, two, siteOptions); !r.Unchanged {
			t.Errorf("%+v", r)
		}
		r := push(t, b, two, Options{Keep: 3, Repair: true})
		expectObjects(t, b, two, one)
		if !strings.HasPrefix(address, "file:") && r.Site.Written > 10 { // a folder says no digests
			t.Errorf("%d files were sent", r.Site.Written)
		}
	})
}

// TestCollect: twenty pushes with three kept leave exactly the files of the last one, and packs and
// files by digest of three; nothing young is removed.
func TestCollect(t *testing.T) { bothWays(t, testCollect) }

func testCollect(t *testing.T) {
	h := newHistory(t)
	count := 20
	if testing.Short() {
		count = 5
	}
	addresses := map[bool]string{false: buckettest.Folder(t), true: buckettest.Folder(t)}
	var paths []string
	for i := range count + 1 {
		opt := Options{Keep: 3, Young: time.Nanosecond}
		if i < count {
			paths = append(paths, h.next())
		}
		if i%3 == 1 && i < count {
			opt.Young = 0 // a day
		}
		for site, address := range addresses {
			opt.Site = site
			if r := push(t, open(t, address, quick), h.last, opt); opt.Young == 0 && len(r.Collected) > 0 {
				t.Errorf("%q were removed, and are young", r.Collected)
			}
		}
	}
	expectObjects(t, open(t, addresses[true], quick), paths[count-1], paths[count-3:count-1]...)
	p := pointerOf(t, addresses[false])
	want := append(p.Paths(), bucket.PointerPath)
	slices.Sort(want)
	if got := keys(t, open(t, addresses[false], quick)); !slices.Equal(got, want) || len(p.Kept) != 2 {
		t.Errorf("the bucket has\n%q, not\n%q", got, want)
	}
}

// TestSiteTurns: who comes while another brings files is refused; when that one falls silent, the
// next takes over, and the first learns it and writes no more.
func TestSiteTurns(t *testing.T) {
	one, two, three := threeReleases(t)
	address := buckettest.Folder(t)
	push(t, open(t, address, quick), one, siteOptions)
	const lease = 400 * time.Millisecond
	waits, goOn := make(chan struct{}), make(chan struct{})
	var silent atomic.Bool
	var once sync.Once
	slow := open(t, address, bucket.Options{Pause: time.Millisecond, Before: func(op, key string) error {
		if op == "put" && strings.HasPrefix(key, "api/") {
			once.Do(func() { close(waits) })
			<-goOn
		}
		if op == "put" && key == bucket.PointerPath && silent.Load() {
			return fs.ErrPermission
		}
		return nil
	}})
	ended := make(chan error, 1)
	go func() {
		_, err := Push(t.Context(), slow, two, Options{Keep: 3, Site: true, Lease: lease})
		ended <- err
	}()
	<-waits
	b := open(t, address, quick)
	before, err := b.Pointer(t.Context())
	must.Do(t, err)
	for { // it renews its mark
		now := must.Get(b.Pointer(t.Context()))(t)
		if now.Serial > before.Serial+3 {
			break
		}
		time.Sleep(lease / 20)
	}
	var busy *BusyError
	_, err = Push(t.Context(), b, three, Options{Keep: 3, Lease: lease})
	if !errors.As(err, &busy) || busy.Release != idOf(t, two) {
		t.Errorf("who comes meanwhile gets %v", err)
	}
	silent.Store(true)
	for {
		_, err := Push(t.Context(), b, three, Options{Keep: 3, Lease: lease})
		if err == nil {
			break
		}
		if !errors.As(err, &busy) {
			t.Fatal(err)
		}
		time.Sleep(lease / 20)
	}
	close(goOn)
	if err := <-ended; err == nil {
		t.Error("the first does not learn that another took over")
	}
	s, err := b.Pointer(t.Context())
	if err != nil || s.Current.Release != idOf(t, three) || s.Site.Writing != "" {
		t.Errorf("%+v, %v", s.Pointer, err)
	}
}

// TestSiteRoutes: the web site of a bucket answers the sixteen routes and the pages as they are in
// the release, with type, caching and language, and answers conditions, ranges and scripts of other
// sites; what is not there gets the page that says so.
func TestSiteRoutes(t *testing.T) {
	path := newSite(t).next()
	public, _ := filesAtAddresses(t, path)
	s := buckettest.S3(t)
	push(t, open(t, s.Address(t, "records"), quick), path, siteOptions)
	s.OpenWebsite(t, "records")
	get := func(at string, header http.Header) (*http.Response, []byte) {
		t.Helper()
		return getFrom(t, "http://"+s.Website+at, "records."+buckettest.SiteDomain, header)
	}
	routes := 0
	expect := func(at, file string) {
		t.Helper()
		response, body := get(at, nil)
		if response.StatusCode != http.StatusOK || !bytes.Equal(body, public[file]) {
			t.Errorf("%s: %s, %d bytes", at, response.Status, len(body))
		}
		for _, line := range layout.SendingOf(file).Headers(layout.Freshness{MaxAge: 5 * time.Minute}, "en") {
			if got := response.Header.Get(line.Name); bucketSends[line.Name] && got != line.Value {
				t.Errorf("%s: %s is %q, not %q", at, line.Name, got, line.Value)
			}
		}
		// the web site of versitygw takes no conditions and ranges; its buckets do
		response, _ = getFrom(t, "http://"+s.Host+"/records/"+file, s.Host, http.Header{"If-None-Match": {response.Header.Get("ETag")}})
		if response.StatusCode != http.StatusNotModified {
			t.Errorf("%s, which did not change: %s", at, response.Status)
		}
		response, body = getFrom(t, "http://"+s.Host+"/records/"+file, s.Host, http.Header{"Range": {"bytes=5-9"}})
		if response.StatusCode != http.StatusPartialContent || !bytes.Equal(body, public[file][5:10]) {
			t.Errorf("%s, a part: %s, %q", at, response.Status, body)
		}
		response, _ = get(at, http.Header{"Origin": {"https://else.example.org"}})
		if response.Header.Get("Access-Control-Allow-Origin") == "" {
			t.Errorf("%s: scripts of others may not read it", at)
		}
	}
	for i := range record.Kinds {
		k := record.Kinds[i]
		for _, route := range k.Routes() {
			routes++
			at := strings.TrimPrefix(route.Path, "/")
			if before, _, after, ok := layout.CutSingle(at); ok {
				for file := range public {
					rest, ok := strings.CutPrefix(file, before)
					if ok && strings.HasSuffix(rest, after) && !strings.Contains(rest, "/") {
						at = file
					}
				}
			}
			expect("/"+at, at)
		}
	}
	if routes != 16 {
		t.Errorf("%d routes", routes)
	}
	for _, file := range []string{
		layout.ManifestPath, "signals/index.html", "index.html",
		layout.DevelopersPage, layout.CatalogPath, layout.OpenAPIPath,
	} {
		expect(layout.Address(file), file)
	}
	response, body := get("/signals/none/", nil)
	if response.StatusCode != http.StatusNotFound || !bytes.Equal(body, public[layout.NotFoundPage]) {
		t.Errorf("what is not there: %s, %.100s", response.Status, body)
	}
}

// bucketSends are the header lines that a bucket can send for an object.
var bucketSends = map[string]bool{"Content-Type": true, "Cache-Control": true, "Content-Language": true}

// TestSiteForeignPaths: no file of a release gets to where the pointer lies.
func TestSiteForeignPaths(t *testing.T) {
	m := &release.Manifest{Files: []release.File{{Path: bucket.PointerPath}}}
	r := &release.Release{Manifest: m, Files: fstest.MapFS{}}
	s := &siteFiles{job: &job{r: r}}
	for _, err := range s.chooseFiles(func(publicFile, verdict) bool { return true }) {
		if err == nil {
			t.Error("it would write the pointer")
		}
	}
}

// getFrom asks a host as anybody does.
func getFrom(t testing.TB, url, host string, header http.Header) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must.Do(t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	request.Host = host
	response, err := http.DefaultTransport.RoundTrip(request)
	must.Do(t, err)
	defer response.Body.Close() // it was only read
	body, err := io.ReadAll(response.Body)
	must.Do(t, err)
	return response, body
}
