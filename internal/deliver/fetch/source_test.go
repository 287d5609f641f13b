package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/release"
)

// quick is the limits of tests in which requests fail.
var quick = Limits{Pause: time.Millisecond}

// manifest is that of a release without kinds.
func manifest(t testing.TB, title string) []byte {
	t.Helper()
	data, err := (&release.Manifest{Format: layout.Format, Release: "0123456789ab", Date: "2026-01-01", Title: title}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// commit writes a small release.
func commit(t testing.TB, target, title string) {
	t.Helper()
	w, err := store.NewWriter(target)
	if err != nil {
		t.Fatal(err)
	}
	err1, err2 := w.Put("api/small.json", []byte(title)), w.Put(layout.ManifestPath, manifest(t, title))
	if err := errors.Join(err1, err2, w.Commit()); err != nil {
		t.Fatal(err)
	}
}

// serve serves a small release, except for what the handler takes over.
func serve(t *testing.T, special http.HandlerFunc) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if special != nil && strings.HasSuffix(r.URL.Path, "/manifest.json") {
			special(w, r)
			return
		}
		http.StripPrefix("/below", files).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/below"
}

func TestOpenRelease(t *testing.T) {
	base := serve(t, nil)
	for _, where := range []string{base, base + "/"} {
		r, _, err := OpenRelease(t.Context(), where, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := fs.ReadFile(r.Files, "api/small.json"); err != nil || string(data) != "text" || r.Manifest.Title != "text" {
			t.Errorf("%s: %q, %q, %v", where, r.Manifest.Title, data, err)
		}
		if _, err := fs.ReadFile(r.Files, "api/none.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error is %v", where, err)
		}
		if _, err := r.Files.Open("../manifest.json"); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: the error is %v", where, err)
		}
	}
}

// TestOpenReleaseFails: the error names the address and what the service said.
func TestOpenReleaseFails(t *testing.T) {
	for _, c := range []struct {
		name, want string
		special    http.HandlerFunc
	}{
		{"404", "there is no release here: manifest.json is missing", http.NotFound},
		{"500", "the service answered 500 Internal Server Error", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }},
		{"204", "the service answered 204 No Content", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		{"a page", "manifest.json: invalid character '<'", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<!doctype html>")) }},
		{"cut off", "unexpected EOF", func(w http.ResponseWriter, r *http.Request) {
			data := manifest(t, "text")
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			w.Write(data[:len(data)/2])
		}},
		{"round and round", "stopped after 10 redirects", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }},
	} {
		base := serve(t, c.special)
		if _, _, err := OpenRelease(t.Context(), base, quick); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), base) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, _, err := OpenRelease(t.Context(), "http://127.0.0.1:1", quick); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody there: %v", err)
	}
	if _, _, err := OpenRelease(t.Context(), "http://[::1", Limits{}); err == nil {
		t.Error("what is no address is opened")
	}
}

// TestOpenReleaseEncoded: a service may compress what it sends.
func TestOpenReleaseEncoded(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			http.Error(w, "compressed only", http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(manifest(t, "compressed"))
		z.Close()
	})
	if r, _, err := OpenRelease(t.Context(), base, Limits{}); err != nil || r.Manifest.Title != "compressed" {
		t.Errorf("%v, %v", r, err)
	}
}

// TestHostileService: whatever a service sends, reading from it ends soon and takes little.
func TestHostileService(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	endless := func(w io.Writer) {
		piece := bytes.Repeat([]byte(" "), 64<<10)
		for range 1 << 20 {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name, want string
		limits     Limits
		special    http.HandlerFunc
	}{
		{"false length", "unexpected EOF", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(math.MaxInt64-1))
			w.Write([]byte("{"))
		}},
		{"endless", "manifest.json is larger than", Limits{}, func(w http.ResponseWriter, r *http.Request) { endless(w) }},
		{"bomb", "manifest.json is larger than", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(gzip.NewWriter(w))
		}},
		{"more than allowed", "the service sends more than is read from one", Limits{Bytes: 1 << 20}, func(w http.ResponseWriter, r *http.Request) { endless(w) }},
		{"silence", "the service stopped sending", Limits{patience: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"drips", "sends too slowly", Limits{patience: 200 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) { drip(w, r) }},
		{"drips for long", "took longer than", Limits{Time: 200 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) { drip(w, r) }},
		{
			"no head", "took longer than",
			Limits{Time: 100 * time.Millisecond},
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		{
			"no head in time", "the service stopped sending",
			Limits{patience: 50 * time.Millisecond},
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		{"slow redirects", "the service stopped sending", Limits{patience: 100 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Millisecond) // each is soon there
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}},
		{"another host", "leads to another host", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		}},
		{"another host that is allowed", "manifest.json is missing", Limits{Redirects: true}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		}},
	} {
		c.limits.Pause = time.Millisecond
		_, _, err := OpenRelease(t.Context(), serve(t, c.special), c.limits)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestEachFileDrips: a service that sends every file just in time is given up on, too.
func TestEachFileDrips(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	synctest.Test(t, func(t *testing.T) {
		files := http.NewFileTransport(http.Dir(dir))
		limits := Limits{Transport: transport(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(6 * time.Second):
				return files.RoundTrip(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})}
		r, closeRelease, err := OpenRelease(t.Context(), "", limits)
		if err != nil {
			t.Fatal(err)
		}
		defer closeRelease()
		for range 1000 {
			if _, err = fs.ReadFile(r.Files, "api/small.json"); err != nil {
				break
			}
		}
		if !errors.Is(err, errStalled) {
			t.Errorf("the error is %v", err)
		}
	})
}

// transport answers requests in the place of a service.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// drip sends a byte now and then.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		w.Write([]byte(" "))
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
	}
}

func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		from, to string
		followed bool
	}{
		{"https://a.example/x", "https://a.example/y", true},
		{"http://a.example", "https://a.example/", true},
		{"https://a.example", "http://a.example/", false},
		{"http://a.example", "https://a.example:8443/", false},
		{"https://a.example", "https://b.example/", false},
		{"http://a.example", "http://127.0.0.1/", false},
		{"http://127.0.0.1:80", "http://127.0.0.1:81/", false},
	} {
		from, err1 := url.Parse(c.from)
		to, err2 := url.Parse(c.to)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if err := (Limits{}).follow(from, to, 1); (err == nil) != c.followed {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
}

func TestIsURL(t *testing.T) {
	for where, want := range map[string]bool{
		"https://data.example.org": true, "http://localhost:8080/": true, "public": false, "./https:/x": false, "release.zip": false, "ftp://example.org": false, "C:\\public": false,
	} {
		if IsURL(where) != want {
			t.Errorf("%s: %v", where, !want)
		}
	}
}
