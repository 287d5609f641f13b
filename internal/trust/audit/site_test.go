package audit_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/internal/trust/audit"
	"stele/internal/trust/signing"
	"stele/record"
)

// public is a signed release of the starter's records, with deltas, in a folder.
var public = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stele-audit-")
	if err != nil {
		return "", err
	}
	records, err := specimen.Starter()
	if err != nil {
		return "", err
	}
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	if _, err := specimen.BuildTo(before, records, compiler.Options{Date: "2026-02-01"}); err != nil {
		return "", err
	}
	previous, closePrevious, err := store.Open(before)
	if err != nil {
		return "", err
	}
	defer closePrevious()
	signal := records["records/signals/sig-example-rise.yaml"]
	signal.Data = []byte(strings.NewReplacer("version: 1", "version: 2", "rose in 2025", "rose in the year 2025",
		"updated_date: 2026-01-10", "updated_date: 2026-02-02").Replace(string(signal.Data)))
	opt := compiler.Options{Date: "2026-02-02", Previous: previous}
	if _, err := specimen.BuildTo(after, records, opt); err != nil {
		return "", err
	}
	return after, sign(after)
})

func sign(dir string) error {
	private, _, err := signing.NewKey("data.example.org")
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(dir, layout.ManifestPath))
	if err != nil {
		return err
	}
	signature, err := signing.Sign(context.Background(), signing.NoFiles, manifest,
		signing.SignOptions{Keys: []string{private}, SaveState: func([]byte) error { return nil }})
	if err != nil {
		return err
	}
	for _, f := range signature.Files {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// publicDir is that folder.
func publicDir(t testing.TB) string {
	t.Helper()
	dir := must.Get(public())(t)
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := public(); err == nil {
		os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// own is the release as our server serves it.
func own(t testing.TB) http.Handler {
	t.Helper()
	r, closeRelease, err := store.Open(publicDir(t))
	must.Do(t, err)
	opt := serve.Options{}
	l := must.Get(library.Open(r, time.Date(2026, 2, 2, 12, 0, 0, 0, time.UTC), opt.Library(), closeRelease))(t)
	return serve.New(l, opt)
}

// site is a service of somebody else with the same records: it has the sixteen routes and nothing
// more, and does what HTTP recommends.
type site map[string][]byte

func newSite(t testing.TB) site {
	t.Helper()
	s, dir := site{}, publicDir(t)
	for _, k := range record.Kinds {
		paths := []string{k.Collection.Path}
		if k.HasSingle() {
			singles, err := filepath.Glob(filepath.Join(dir, filepath.Dir(k.Single.Path), "*.json"))
			if err != nil || len(singles) == 0 {
				t.Fatalf("%d files of single records, %v", len(singles), err)
			}
			for _, single := range singles {
				paths = append(paths, filepath.ToSlash(strings.TrimPrefix(single, dir)))
			}
		}
		for _, path := range paths {
			data := must.Get(os.ReadFile(filepath.Join(dir, path)))(t)
			s[path] = data
		}
	}
	return s
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	data, ok := s[r.URL.Path]
	switch {
	case r.Method == http.MethodOptions:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case !ok:
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf("%x", sha256.Sum256(data))
	if r.Header.Get("Range") == "" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		data, tag = zipped(tag, data), tag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", "application/json")
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

var zips sync.Map // by digest: a compressor is slow to make

func zipped(digest string, data []byte) []byte {
	if done, ok := zips.Load(digest); ok {
		return done.([]byte)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data) // memory takes it
	w.Close()
	zips.Store(digest, b.Bytes())
	return b.Bytes()
}

// edit changes a collection or a single record as a value.
func (s site) edit(path string, change func(map[string]any)) {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(s[path]))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	change(v)
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s[path] = data
}

// replace changes a text in a file.
func (s site) replace(path, old, now string) {
	if !bytes.Contains(s[path], []byte(old)) {
		panic(path + " has no " + old)
	}
	s[path] = bytes.ReplaceAll(s[path], []byte(old), []byte(now))
}

// single is the path of a single signal, evidence record or claim.
func (s site) single(folder string) string {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(path, "/api/v1/"+folder+"/") {
			return path
		}
	}
	panic("no " + folder)
}

// audited audits a handler, and returns what was found: check, verdict and message of each finding.
func audited(t testing.TB, h http.Handler, opt audit.Options) (*audit.Report, []string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	return auditedAt(t, server.URL, opt)
}

func auditedAt(t testing.TB, address string, opt audit.Options) (*audit.Report, []string) {
	t.Helper()
	if opt.Pause == 0 {
		opt.Pause = time.Millisecond
	}
	r := must.Get(audit.Run(t.Context(), address, opt))(t)
	return r, findings(r)
}

func findings(r *audit.Report) (list []string) {
	for _, result := range r.Results {
		for _, f := range result.Findings {
			list = append(list, result.ID+" "+string(f.Verdict)+": "+f.Message)
		}
	}
	return list
}
