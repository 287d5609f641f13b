package mirror

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// origin is a service whose folder is published again and again.
type origin struct {
	t      *testing.T
	dir    string
	folder fstest.MapFS
	day    int
	server *httptest.Server

	mu       sync.Mutex
	requests []string
	special  func(w http.ResponseWriter, r *http.Request) bool // answers some requests itself; may be nil
}

const signalFile = "records/signals/sig-example-rise.yaml"

func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{t: t, dir: filepath.Join(t.TempDir(), "public"), folder: must.Get(specimen.Starter())(t)}
	o.folder["records/signals/many.ndjson"] = &fstest.MapFile{Data: manySignals()}
	o.publish()
	host := http.FileServer(http.Dir(o.dir))
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.requests = append(o.requests, r.URL.Path)
		special := o.special
		o.mu.Unlock()
		if special == nil || !special(w, r) {
			host.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(o.server.Close)
	return o
}

// manySignals are so many that a change of one is small beside them.
func manySignals() []byte {
	var b bytes.Buffer
	for i := range 120 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		fmt.Fprintf(&b, `{"id":"sig-many-%03d","version":1,"title":"Signal %d","summary":"%x","signal_type":"trend","observation":"%x","detected_date":"2026-01-01","evidence_ids":["evd-example-cohort"],`+
			`"source_links":[{"url":"https://example.org/","role":"primary"}],"claim_boundary":{"statement":"Nothing beyond."},"verification_date":"2026-01-01","published_date":"2026-01-01","updated_date":"2026-01-01","source_updates":[],"corrections":[]}`+"\n", i, i, sum, sum)
	}
	return b.Bytes()
}

// page gives the release pages, a few of which change with every release.
func page(v render.Records, out render.Output) error {
	if err := out.Put("index.html", []byte("<!doctype html><title>"+v.Release().Release+"</title>")); err != nil {
		return err
	}
	return out.Each(8, func(i int) string { return fmt.Sprintf("signals/page-%02d/index.html", i) }, func(i int, b []byte) ([]byte, error) {
		if i < 3 {
			b = append(b, v.Release().Release...)
		}
		return append(b, strings.Repeat(fmt.Sprintf("<p>Page %d</p>\n", i), 400)...), nil
	})
}

// keptPart is the part of an indicator that does not change.
var keptPart = layout.PartPath("mcv1", 0)

// download gives it a download in a form that follows from the records, one that does not, and the
// part of an indicator.
func download(v render.Records, out render.Output) error {
	var b bytes.Buffer
	for line, err := range v.Collection(record.KindNamed(record.KindSignal)) {
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return errors.Join(out.Put("bulk/signals.ndjson", b.Bytes()), out.Put("bulk/signals.parquet", []byte("PAR1"+v.Release().Release)),
		out.Put(keptPart, []byte("PAR1")))
}

// published are releases that tests made, by what went into them: the first ones are the same in
// most tests.
var published = map[[sha256.Size]byte]string{}

// publish publishes the folder as it is.
func (o *origin) publish() {
	o.t.Helper()
	o.day++
	made := sha256.New()
	fmt.Fprintln(made, o.date())
	if before, err := os.ReadFile(filepath.Join(o.dir, layout.ManifestPath)); err == nil {
		made.Write(before)
	}
	for _, path := range slices.Sorted(maps.Keys(o.folder)) {
		fmt.Fprintf(made, "%s %d\n%s", path, len(o.folder[path].Data), o.folder[path].Data)
	}
	key := [sha256.Size]byte(made.Sum(nil))
	if published[key] == "" {
		o.build()
		published[key] = filepath.Join(releases, fmt.Sprint(len(published)))
		must.Do(o.t, os.CopyFS(published[key], os.DirFS(o.dir)))
		return
	}
	must.Do(o.t, errors.Join(os.RemoveAll(o.dir), os.CopyFS(o.dir, os.DirFS(published[key]))))
}

// build makes a release of the folder.
func (o *origin) build() {
	o.t.Helper()
	opt := compiler.Options{Date: o.date(), ByHash: true, Render: []render.Renderer{page, download}}
	before, closeBefore, err := store.OpenTarget(o.dir)
	must.Do(o.t, err)
	defer closeBefore()
	if before != nil {
		opt.Previous, opt.PreviousDir = before, o.dir
	}
	must.Get(specimen.BuildTo(o.dir, o.folder, opt))(o.t)
}

func (o *origin) date() record.Date { return record.Date(fmt.Sprintf("2026-03-%02d", o.day)) }

// revise changes a signal, adds another, and publishes.
func (o *origin) revise() {
	o.t.Helper()
	next := record.Date(fmt.Sprintf("2026-03-%02d", o.day+1))
	text := string(o.folder[signalFile].Data)
	text = strings.Replace(text, fmt.Sprintf("\nversion: %d\n", o.day), fmt.Sprintf("\nversion: %d\n", o.day+1), 1)
	at := strings.Index(text, "\nupdated_date: ") + len("\nupdated_date: ")
	text = text[:at] + string(next) + text[at+len(next):]
	o.folder[signalFile] = &fstest.MapFile{Data: []byte(text)}
	lines := bytes.Clone(o.folder["records/signals/many.ndjson"].Data)
	first, _, _ := bytes.Cut(lines, []byte("\n"))
	added := bytes.ReplaceAll(first, []byte("sig-many-000"), fmt.Appendf(nil, "sig-new-%03d", o.day))
	added = bytes.ReplaceAll(added, []byte(`_date":"2026-01-01"`), []byte(`_date":"`+string(next)+`"`))
	o.folder["records/signals/many.ndjson"] = &fstest.MapFile{Data: append(append(lines, added...), '\n')}
	o.publish()
}

func (o *origin) manifest() *release.Manifest {
	o.t.Helper()
	r, closeRelease, err := store.Open(o.dir)
	must.Do(o.t, err)
	defer closeRelease()
	return r.Manifest
}

// asked returns what was asked for since the last time.
func (o *origin) asked() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.requests
	o.requests = nil
	return list
}

func (o *origin) answer(special func(w http.ResponseWriter, r *http.Request) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.special = special
}

func (o *origin) mirror(target string, parts ...string) *Mirror {
	return New(o.server.URL, target, fetch.Limits{Pause: time.Millisecond}, Options{Parts: parts})
}

func update(t *testing.T, m *Mirror) *Result {
	t.Helper()
	r := must.Get(m.Update(t.Context()))(t)
	return r
}

// check makes sure that a copy is whole and of a release.
func check(t *testing.T, target, want string) {
	t.Helper()
	r, closeRelease, err := store.Open(target)
	must.Do(t, err)
	defer closeRelease()
	report, err := r.Verify(t.Context(), nil)
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%v, %v", report.Faults, err)
	}
	if r.Manifest.Release != want {
		t.Fatalf("the copy is release %s, want %s", r.Manifest.Release, want)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(target), ".*stele-new*"))
	if err != nil || len(left) > 0 {
		t.Fatalf("%v is left, %v", left, err)
	}
}

// tree reads a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(filepath.Join(dir, path))
			files[path] = string(data)
		}
		return err
	}))
	return files
}

// TestFollow: a copy of everything is the origin, file by file, through five releases; a copy of
// the records is whole in itself, in a folder and in a zip. Records come by deltas alone.
func TestFollow(t *testing.T) {
	o := newOrigin(t)
	dir := t.TempDir()
	all := o.mirror(filepath.Join(dir, "all"), layout.Parts...)
	records, zip := o.mirror(filepath.Join(dir, "records")), o.mirror(filepath.Join(dir, "records.zip"))
	for n := range 5 {
		if n > 0 {
			o.revise()
		}
		want := o.manifest().Release
		o.asked()
		update(t, all)
		if asked := o.asked(); n > 0 {
			o.expectNotAsked(asked, keptPart)
			if parts := "bulk/signals.parquet"; !slices.Contains(asked, "/"+layout.ByHashPath(o.manifest().File(parts).SHA256.String())) {
				t.Errorf("%s was not fetched: %v", parts, asked)
			}
		}
		if got, want := tree(t, all.target), tree(t, o.dir); !maps.Equal(got, want) {
			for path := range want {
				if got[path] != want[path] {
					t.Errorf("%s differs", path)
				}
			}
			t.Fatalf("%d files, want %d", len(got), len(want))
		}
		check(t, all.target, want)
		for _, m := range []*Mirror{records, zip} {
			o.asked()
			r := update(t, m)
			check(t, m.target, want)
			asked := o.asked()
			o.expectNotAsked(asked, layout.PagesPath)
			if n == 0 {
				continue
			}
			for _, f := range o.manifest().Files {
				byHash := "/" + layout.ByHashPath(f.SHA256.String())
				whole := f.Path == "api/v1/signals.json" || strings.HasPrefix(f.Path, "index/signals") || strings.HasPrefix(f.Path, "bulk/")
				if whole && (slices.Contains(asked, "/"+f.Path) || slices.Contains(asked, byHash)) {
					t.Errorf("%s was fetched whole", f.Path)
				}
			}
			o.expectNoHistories(asked)
			o.expectNotAsked(asked, layout.HistoriesPath)
			if r.Unchanged || r.Received == 0 || r.Received > r.Whole {
				t.Errorf("%+v", r)
			}
			if r := update(t, m); !r.Unchanged {
				t.Error("nothing changed, and the copy was made again")
			}
		}
	}
	if _, err := os.Stat(filepath.Join(records.target, "index.html")); err == nil {
		t.Error("a copy of the records has pages")
	}
}

// expectNotAsked makes sure that a file of the manifest was not asked for, by no name and in no
// form.
func (o *origin) expectNotAsked(asked []string, path string) {
	o.t.Helper()
	f := o.manifest().File(path)
	if f == nil {
		o.t.Fatalf("%s is not listed", path)
	}
	names := []string{"/" + path, "/" + layout.ByHashPath(f.SHA256.String())}
	for _, v := range f.Variants {
		names = append(names, "/"+v.Path, "/"+layout.ByHashPath(v.SHA256.String()))
	}
	for _, name := range names {
		if slices.Contains(asked, name) {
			o.t.Errorf("%s was fetched, as %s", path, name)
		}
	}
}

// expectNoHistories makes sure that histories of single records were not asked for: they follow
// from those of their kinds.
func (o *origin) expectNoHistories(asked []string) {
	o.t.Helper()
	histories := tree(o.t, filepath.Join(o.dir, "history"))
	if len(histories) == 0 {
		o.t.Error("there are no histories")
	}
	for path, data := range histories {
		if strings.HasSuffix(path, layout.HistoryPack) {
			continue
		}
		byHash := layout.ByHashPath(release.Digest(sha256.Sum256([]byte(data))).String())
		if slices.Contains(asked, "/history/"+path) || slices.Contains(asked, "/"+byHash) {
			o.t.Errorf("history/%s was fetched", path)
		}
	}
}

// TestBehind: a copy that is six releases behind, and one that is too far behind for deltas.
func TestBehind(t *testing.T) {
	o := newOrigin(t)
	m := o.mirror(filepath.Join(t.TempDir(), "copy"))
	update(t, m)
	for range 6 {
		o.revise()
	}
	o.asked()
	update(t, m)
	check(t, m.target, o.manifest().Release)
	collection := "/" + layout.ByHashPath(o.manifest().File("api/v1/signals.json").SHA256.String())
	asked := o.asked()
	o.expectNoHistories(asked)
	if slices.Contains(asked, collection) {
		t.Error("the collection was fetched whole")
	}
	for range 6 { // of change events more than a quarter is new
		o.revise()
	}
	update(t, m)
	check(t, m.target, o.manifest().Release)
}

// TestDamagedCopy: what is wrong in the copy does not get into the next one, whichever file it is.
func TestDamagedCopy(t *testing.T) {
	o := newOrigin(t)
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	update(t, o.mirror(base))
	o.revise()
	update(t, o.mirror(base)) // now it has histories
	o.revise()
	want := o.manifest().Release
	for _, path := range []string{
		"api/v1/signals.json", "index/signals.json", "api/v1/graph-nodes.json", "api/v1/graph-edges.json",
		"api/v1/changes.json", "index/changes.json", "index/histories.json", "index/releases.json",
		"history/signals/sig-example-rise.ndjson", "api/v1/signals/sig-example-rise.json",
		"api/v1/signals/sig-many-007.json",
	} {
		target := filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		must.Do(t, os.CopyFS(target, os.DirFS(base)))
		at := filepath.Join(target, filepath.FromSlash(path))
		data := must.Get(os.ReadFile(at))(t)
		data[len(data)/2] ^= 1
		must.Do(t, os.WriteFile(at, data, 0o644))
		later := time.Now().Add(time.Hour) // the copy was made a moment ago
		must.Do(t, os.Chtimes(at, later, later))
		update(t, o.mirror(target))
		check(t, target, want)
	}
}

// TestDamagedZip: the same in a zip, where files that did not change are held to its checksums.
func TestDamagedZip(t *testing.T) {
	o := newOrigin(t)
	o.revise()
	dir := t.TempDir()
	base := filepath.Join(dir, "base.zip")
	update(t, o.mirror(base))
	whole := must.Get(os.ReadFile(base))(t)
	files := tree(t, o.dir)
	o.revise()
	for _, path := range []string{
		"api/v1/evidence.json", "index/evidence.json", "api/v1/signals.json", layout.HistoriesPath,
		"history/signals/sig-example-rise.ndjson",
	} {
		data := bytes.Clone(whole)
		at := bytes.Index(data, []byte(files[path])) // it is stored as it is
		if at < 0 {
			t.Fatalf("%s is not in the zip", path)
		}
		data[at+len(files[path])/2] ^= 1
		target := filepath.Join(dir, strings.ReplaceAll(path, "/", "-")+".zip")
		must.Do(t, os.WriteFile(target, data, 0o644))
		update(t, o.mirror(target))
		check(t, target, o.manifest().Release)
	}
}

// TestPlainHost: a host that has no files by digest, and one that is a bare file server.
func TestPlainHost(t *testing.T) {
	o := newOrigin(t)
	o.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/by-hash/") {
			http.NotFound(w, r)
			return true
		}
		return false
	})
	m := o.mirror(filepath.Join(t.TempDir(), "copy"), layout.Parts...)
	for range 2 {
		update(t, m)
		check(t, m.target, o.manifest().Release)
		o.revise()
	}
}

// TestOtherProgram: variants that another version of the program made are fetched, because they
// cannot be made here.
func TestOtherProgram(t *testing.T) {
	o := newOrigin(t)
	m := o.manifest()
	f := m.File("api/v1/signals.json")
	data := must.Get(os.ReadFile(filepath.Join(o.dir, f.Path)))(t)
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, 1)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(f.Variants, func(v release.Variant) bool { return v.Encoding == "gzip" })
	f.Variants[i].Size, f.Variants[i].SHA256 = int64(b.Len()), sha256.Sum256(b.Bytes())
	encoded := must.Get(m.Encode())(t)
	for path, data := range map[string][]byte{
		f.Variants[i].Path: b.Bytes(), layout.ByHashPath(f.Variants[i].SHA256.String()): b.Bytes(),
		layout.ManifestPath: encoded,
	} {
		at := filepath.Join(o.dir, path)
		os.Remove(at) // it may be linked
		must.Do(t, os.WriteFile(at, data, 0o644))
	}
	all := o.mirror(filepath.Join(t.TempDir(), "copy"), layout.Parts...)
	update(t, all)
	check(t, all.target, m.Release)
	if got := tree(t, all.target)[f.Variants[i].Path]; got != b.String() {
		t.Error("the variant is another")
	}
}

// TestBadService: whatever a service sends, the copy is the old release or the new one, whole, and
// the error says what happened.
func TestBadService(t *testing.T) {
	o := newOrigin(t)
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	update(t, o.mirror(base))
	old := o.manifest()
	oldFiles := tree(t, o.dir)
	o.revise()
	now := o.manifest()
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	isDelta := func(path string) bool {
		for _, k := range now.Kinds {
			for _, d := range k.Deltas {
				f := now.File(d.Path)
				if path == "/"+d.Path || path == "/"+layout.ByHashPath(f.SHA256.String()) {
					return true
				}
				for _, v := range f.Variants {
					if path == "/"+layout.ByHashPath(v.SHA256.String()) {
						return true
					}
				}
			}
		}
		return false
	}
	// body sends a delta with other bytes
	body := func(change func([]byte) []byte) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			data, err := os.ReadFile(filepath.Join(o.dir, r.URL.Path))
			if !isDelta(r.URL.Path) || err != nil {
				return false
			}
			w.Write(change(data))
			return true
		}
	}
	count := 0
	for _, c := range []struct {
		name, want string // no error if that is ""
		special    func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"flipped", "does not match the manifest", body(func(b []byte) []byte { b[len(b)/2] ^= 1; return b })},
		{"flipped at the start", "does not match the manifest", body(func(b []byte) []byte { b[0] ^= 1; return b })},
		{"flipped at the end", "does not match the manifest", body(func(b []byte) []byte { b[len(b)-1] ^= 1; return b })},
		{"cut", "does not match the manifest", body(func(b []byte) []byte { return b[:len(b)/2] })},
		{"empty", "does not match the manifest", body(func(b []byte) []byte { return nil })},
		{"longer", "does not match the manifest", body(func(b []byte) []byte { return append(b, ' ') })},
		{"missing", "file does not exist", func(w http.ResponseWriter, r *http.Request) bool {
			if isDelta(r.URL.Path) {
				http.NotFound(w, r)
				return true
			}
			return false
		}},
		{"wrong length", "unexpected EOF", func(w http.ResponseWriter, r *http.Request) bool {
			if isDelta(r.URL.Path) {
				w.Header().Set("Content-Length", "1000000")
				w.Write([]byte("{"))
				return true
			}
			return false
		}},
		{"endless", "does not match the manifest", func(w http.ResponseWriter, r *http.Request) bool {
			if !isDelta(r.URL.Path) {
				return false
			}
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return true
				}
			}
		}},
		{"elsewhere", "redirects to another host", func(w http.ResponseWriter, r *http.Request) bool {
			if isDelta(r.URL.Path) {
				http.Redirect(w, r, elsewhere.URL, http.StatusFound)
				return true
			}
			return false
		}},
		{"no manifest", "no release found: manifest.json is missing", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/manifest.json" {
				http.NotFound(w, r)
				return true
			}
			return false
		}},
		{"a page for a manifest", "no release found: manifest.json is missing", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/manifest.json" {
				w.Write([]byte("<!doctype html>"))
				return true
			}
			return false
		}},
		{"files of before", "even after reading the manifest again", func(w http.ResponseWriter, r *http.Request) bool {
			// the manifest is there and the rest is not yet, on a host without files by digest
			switch {
			case strings.HasPrefix(r.URL.Path, "/by-hash/") || isDelta(r.URL.Path):
				http.NotFound(w, r)
			case oldFiles[r.URL.Path[1:]] != "" && r.URL.Path != "/manifest.json":
				w.Write([]byte(oldFiles[r.URL.Path[1:]]))
			default:
				return false
			}
			return true
		}},
		{"in mid-update", "", func(w http.ResponseWriter, r *http.Request) bool {
			// as above, until it has been asked for a while
			if count++; count < 12 && (strings.HasPrefix(r.URL.Path, "/by-hash/") || isDelta(r.URL.Path)) {
				http.NotFound(w, r)
				return true
			}
			return false
		}},
		{"failing now and then", "", func(w http.ResponseWriter, r *http.Request) bool {
			if count++; count%3 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			return false
		}},
	} {
		target := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-"))
		must.Do(t, os.CopyFS(target, os.DirFS(base)))
		o.mu.Lock()
		count = 0
		o.mu.Unlock()
		locked := func(w http.ResponseWriter, r *http.Request) bool {
			if c.want == "" { // these count
				o.mu.Lock()
				defer o.mu.Unlock()
			}
			return c.special(w, r)
		}
		o.answer(locked)
		_, err := o.mirror(target).Update(t.Context())
		o.answer(nil)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			check(t, target, now.Release)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		check(t, target, old.Release)
	}
}

// TestOlder: a service that goes back does not take the copy with it, unless that is meant.
func TestOlder(t *testing.T) {
	o := newOrigin(t)
	before := tree(t, o.dir)
	first := o.manifest().Release
	o.revise()
	target := filepath.Join(t.TempDir(), "copy")
	update(t, o.mirror(target))
	o.answer(func(w http.ResponseWriter, r *http.Request) bool {
		data, ok := before[r.URL.Path[1:]]
		if !ok {
			http.NotFound(w, r)
		}
		w.Write([]byte(data))
		return true
	})
	_, err := o.mirror(target).Update(t.Context())
	if older := new(OlderError); !errors.As(err, &older) || older.Shows != first {
		t.Errorf("the error is %v", err)
	}
	check(t, target, o.manifest().Release)
	m := o.mirror(target)
	m.opt.AllowOlder = true
	update(t, m)
	check(t, target, first)
}

// TestOtherService: a copy stays one of the same service.
func TestOtherService(t *testing.T) {
	o := newOrigin(t)
	target := filepath.Join(t.TempDir(), "copy")
	update(t, o.mirror(target))
	want := o.manifest().Release
	o.folder["stele.yaml"] = &fstest.MapFile{Data: bytes.Replace(o.folder["stele.yaml"].Data, []byte("base_url: https://"), []byte("base_url: https://other."), 1)}
	must.Do(t, os.RemoveAll(o.dir))
	o.publish()
	if _, err := o.mirror(target).Update(t.Context()); err == nil || !strings.Contains(err.Error(), "is a copy of") {
		t.Errorf("the error is %v", err)
	}
	check(t, target, want)
}

// TestInterrupted ends an update at every request that it makes: the copy is the old one, whole.
func TestInterrupted(t *testing.T) {
	o := newOrigin(t)
	target := filepath.Join(t.TempDir(), "copy")
	update(t, o.mirror(target))
	old := o.manifest().Release
	o.revise()
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := n
		o.answer(func(w http.ResponseWriter, r *http.Request) bool {
			o.mu.Lock()
			defer o.mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
			return false
		})
		_, err := o.mirror(target).Update(ctx)
		cancel()
		o.answer(nil)
		if err == nil {
			if n < 4 { // the manifest, the log, the step, and none after them
				t.Errorf("%d requests", n)
			}
			check(t, target, o.manifest().Release)
			return
		}
		check(t, target, old)
	}
}

// rewrite puts another file at a path of the origin, and says so in the manifest.
func (o *origin) rewrite(m *release.Manifest, path string, data []byte) {
	o.t.Helper()
	f := m.File(path)
	f.Size, f.SHA256, f.Variants = int64(len(data)), sha256.Sum256(data), nil
	encoded := must.Get(m.Encode())(o.t)
	for path, data := range map[string][]byte{
		path: data, layout.ByHashPath(f.SHA256.String()): data, layout.ManifestPath: encoded,
	} {
		at := filepath.Join(o.dir, path)
		os.Remove(at) // it may be linked
		must.Do(o.t, os.WriteFile(at, data, 0o644))
	}
}

// TestChainThatDoesNotFit: where deltas are whole and lead elsewhere, or nowhere, the collection is
// fetched.
func TestChainThatDoesNotFit(t *testing.T) {
	for name, change := range map[string]func(head *layout.DeltaHead){
		"places beyond the end": func(h *layout.DeltaHead) { h.LeftOut = []int64{1 << 40} },
		"other places":          func(h *layout.DeltaHead) { h.LeftOut[0]++ },
		"nothing left out":      func(h *layout.DeltaHead) { h.LeftOut = []int64{} },
		"another head":          func(h *layout.DeltaHead) { h.Head = strings.Replace(h.Head, "signal", "signol", 1) },
		"another collection":    func(h *layout.DeltaHead) { h.Before[0] ^= 1 },
	} {
		o := newOrigin(t)
		target := filepath.Join(t.TempDir(), "copy")
		update(t, o.mirror(target))
		o.revise()
		m := o.manifest()
		path := m.Kind(record.KindSignal).Deltas[0].Path
		data := must.Get(os.ReadFile(filepath.Join(o.dir, path)))(t)
		first, rest, _ := bytes.Cut(data, []byte("\n"))
		var head layout.DeltaHead
		must.Do(t, json.Unmarshal(append(first, "]}"...), &head))
		change(&head)
		first = must.Get(head.Encode())(t)
		o.rewrite(m, path, append(append(first, '\n'), rest...))
		o.asked()
		update(t, o.mirror(target))
		if whole := "/" + layout.ByHashPath(smallestOf(m, "api/v1/signals.json").String()); !slices.Contains(o.asked(), whole) {
			t.Errorf("%s: the collection was not fetched", name)
		}
		got, want := tree(t, target), tree(t, o.dir)
		for _, path := range []string{"api/v1/signals.json", "index/signals.json", layout.ManifestPath} {
			if got[path] != want[path] {
				t.Errorf("%s: %s is another", name, path)
			}
		}
	}
}

// smallestOf is the digest of the smallest form of a file.
func smallestOf(m *release.Manifest, path string) release.Digest {
	f := m.File(path)
	size, sum := f.Size, f.SHA256
	for _, v := range f.Variants {
		if v.Size < size {
			size, sum = v.Size, v.SHA256
		}
	}
	return sum
}

// TestBadListing: the listing of histories is not asked for, and where it has to be, a release is
// not copied without it.
func TestBadListing(t *testing.T) {
	o := newOrigin(t)
	o.revise()
	update(t, o.mirror(filepath.Join(t.TempDir(), "derived")))
	o.expectNotAsked(o.asked(), layout.HistoriesPath)
	data := must.Get(os.ReadFile(filepath.Join(o.dir, layout.HistoriesPath)))(t)
	m := o.manifest() // in another form, it does not follow
	o.rewrite(m, layout.HistoriesPath, bytes.Replace(data, []byte(`{"kind":`), []byte(`{"kind": `), 1))
	names := map[string]bool{"/" + layout.HistoriesPath: true}
	f := m.File(layout.HistoriesPath)
	names["/"+layout.ByHashPath(f.SHA256.String())] = true
	for _, v := range f.Variants {
		names["/"+layout.ByHashPath(v.SHA256.String())] = true
	}
	for name, c := range map[string]struct {
		want   string
		answer func(w http.ResponseWriter, r *http.Request)
	}{
		"missing": {"file does not exist", http.NotFound},
		"other":   {"does not match the manifest", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"records":[`, "\n]}\n") }},
	} {
		o.answer(func(w http.ResponseWriter, r *http.Request) bool {
			if names[r.URL.Path] {
				c.answer(w, r)
			}
			return names[r.URL.Path]
		})
		target := filepath.Join(t.TempDir(), "copy")
		if _, err := o.mirror(target).Update(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a copy", name)
		}
	}
}

// asEarlier gives the release the form of earlier versions of the program, which listed histories
// among the pages, before them, and had no files of the histories of all signals.
func (o *origin) asEarlier() {
	o.t.Helper()
	m := o.manifest()
	var lines [][]byte
	for _, listing := range m.FileListings() {
		data := must.Get(os.ReadFile(filepath.Join(o.dir, listing)))(o.t)
		for _, line := range bytes.Split(data, []byte("\n")) {
			if bytes.HasPrefix(line, []byte(`{"path":`)) {
				lines = append(lines, bytes.TrimSuffix(line, []byte(",")))
			}
		}
	}
	for _, path := range []string{m.Histories, m.Pages} { // and what cannot be read by digest any more
		f := m.File(path)
		for _, v := range append(f.Variants, release.Variant{Path: f.Path}) {
			must.Do(o.t, os.Remove(filepath.Join(o.dir, v.Path)))
		}
	}
	m.Files = slices.DeleteFunc(m.Files, func(f release.File) bool { return f.Path == m.Histories })
	m.Histories = ""
	for i := range m.Kinds {
		k := &m.Kinds[i]
		if m.File(k.Pack) != nil {
			must.Do(o.t, os.Remove(filepath.Join(o.dir, k.Pack)))
		}
		m.Files = slices.DeleteFunc(m.Files, func(f release.File) bool { return f.Path == k.Pack })
		k.Pack = ""
	}
	head := fmt.Appendf(nil, `{"kind":"page","count":%d,"records":[`+"\n", len(lines))
	o.rewrite(m, m.Pages, append(append(head, bytes.Join(lines, []byte(",\n"))...), "\n]}\n"...))
	check(o.t, o.dir, m.Release)
}

// TestEarlierVersion: a release of an earlier version of the program can be copied, and the next
// one loses nothing of it, neither where it is built nor in the copy.
func TestEarlierVersion(t *testing.T) {
	o := newOrigin(t)
	o.revise()
	o.asEarlier()
	dir := t.TempDir()
	records, all := o.mirror(filepath.Join(dir, "records")), o.mirror(filepath.Join(dir, "all"), layout.Parts...)
	const history = "history/signals/sig-example-rise.ndjson"
	for n := range 3 {
		for _, m := range []*Mirror{records, all} {
			update(t, m)
			check(t, m.target, o.manifest().Release)
			data, err := os.ReadFile(filepath.Join(m.target, history))
			if err != nil || bytes.Count(data, []byte("\n")) != n+1 {
				t.Errorf("%v, and after %d revisions the history is %s", err, n+1, data)
			}
		}
		if _, err := os.Stat(filepath.Join(records.target, "signals/page-00/index.html")); err == nil {
			t.Error("a copy of the records has pages")
		}
		if n == 0 && o.manifest().Histories != "" {
			t.Error("it is not as in earlier versions")
		}
		o.revise()
		if o.manifest().Histories == "" {
			t.Error("histories have no listing")
		}
	}
}

// TestMain keeps the many small releases of these tests in memory where it can: what waits for a
// disk here is not what they are about.
func TestMain(m *testing.M) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	var err error
	if releases, err = os.MkdirTemp("", "stele-mirror-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(releases); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// releases is a folder for those that tests share.
var releases string
