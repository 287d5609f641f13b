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
	"stele/internal/testkit/must"
	"stele/internal/trust/answers"
	"stele/release"
)

// quick is the limits of tests in which requests fail.
var quick = Limits{Pause: time.Millisecond}

// manifest is that of a release without kinds.
func manifest(t testing.TB, title string) []byte {
	t.Helper()
	data, err := (&release.Manifest{Format: layout.Format, Release: "0123456789ab", Date: "2026-01-01", Title: title}).Encode()
	must.Do(t, err)
	return data
}

// commit writes a small release.
func commit(t testing.TB, target, title string) {
	t.Helper()
	w := must.Get(store.NewWriter(target))(t)
	err1, err2 := w.Put("api/small.json", []byte(title)), w.Put(layout.ManifestPath, manifest(t, title))
	must.Do(t, errors.Join(err1, err2, w.Commit()))
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

// TestOpenReleaseFails: the error names the address and what the service said.
func TestOpenReleaseFails(t *testing.T) {
	for _, c := range []struct {
		name, want string
		special    http.HandlerFunc
	}{
		{"404", "no release found: manifest.json is missing", http.NotFound},
		{"500", "service answered 500 Internal Server Error", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }},
		{"204", "service answered 204 No Content", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		{"a page", "no release found: manifest.json is missing", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<!doctype html>")) }},
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
		{"more than allowed", "more than the limit", Limits{Bytes: 1 << 20}, func(w http.ResponseWriter, r *http.Request) { endless(w) }},
		{"silence", "stalled", Limits{patience: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"drips", "sends too slowly", Limits{patience: time.Second}, func(w http.ResponseWriter, r *http.Request) { drip(w, r) }},
		{"drips for long", "took longer than", Limits{Time: 200 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) { drip(w, r) }},
		{
			"no head", "took longer than",
			Limits{Time: 100 * time.Millisecond},
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		{
			"no head in time", "stalled",
			Limits{patience: 50 * time.Millisecond},
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		{"slow redirects", "stalled", Limits{patience: 100 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Millisecond) // each is soon there
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}},
		{"another host", "redirects to another host", Limits{}, func(w http.ResponseWriter, r *http.Request) {
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

// slowly answers each request after some time.
func slowly(dir string, after func(n int) time.Duration) http.RoundTripper {
	files := http.NewFileTransport(http.Dir(dir))
	n := 0
	return transport(func(r *http.Request) (*http.Response, error) {
		n++
		select {
		case <-time.After(after(n)):
			return files.RoundTrip(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
}

// TestTime: the time that a service may take is the time that is spent waiting for it, in all.
func TestTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	const each = 7 * time.Second
	for name, c := range map[string]struct {
		aside time.Duration // that the reader takes between two files
		renew bool
		want  int // how many files are read
	}{
		"waiting":     {0, false, int(time.Hour/each) - 1}, // and the manifest
		"and working": {time.Hour, false, int(time.Hour/each) - 1},
		"renewed":     {time.Hour, true, 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			answers := slowly(dir, func(int) time.Duration { return each })
			r, closeRelease, err := OpenRelease(t.Context(), "", Limits{Transport: answers})
			must.Do(t, err)
			defer closeRelease()
			n := 0
			for ; err == nil && n < 1000; n++ {
				time.Sleep(c.aside)
				if c.renew {
					r.Files.(*cachedSource).Renew()
				}
				_, err = fs.ReadFile(r.Files, "api/small.json")
			}
			if err != nil {
				n--
			}
			if n != c.want || (err == nil) != c.renew || err != nil && !strings.Contains(err.Error(), "the service took longer than 1h0m0s in all") {
				t.Errorf("%s: %d files, %v", name, n, err)
			}
		})
	}
}

// TestStall: a service that stops sending is asked once more, and after that it is as good as any.
func TestStall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	synctest.Test(t, func(t *testing.T) {
		stalls := map[int]bool{2: true, 4: true, 5: true}
		r, closeRelease, err := OpenRelease(t.Context(), "http://service.example", Limits{Transport: slowly(dir, func(n int) time.Duration {
			if stalls[n] {
				return time.Minute
			}
			return time.Second
		})})
		must.Do(t, err)
		defer closeRelease()
		begun := time.Now()
		for i, want := range []struct {
			works bool
			took  time.Duration
		}{{true, 31500 * time.Millisecond}, {false, 60500 * time.Millisecond}, {true, time.Second}} {
			_, err := fs.ReadFile(r.Files, "api/small.json")
			took := time.Since(begun)
			if (err == nil) != want.works || err != nil && !errors.Is(err, answers.ErrStalled) || took != want.took {
				t.Errorf("%d: %v after %s", i, err, took)
			}
			if err != nil && strings.Count(err.Error(), answers.ErrStalled.Error()) != 1 {
				t.Errorf("the message is %v", err)
			}
			begun = time.Now()
		}
	})
}

// TestRetryAfter: who asks to wait for long is not waited for.
func TestRetryAfter(t *testing.T) {
	for text, c := range map[string]struct {
		took time.Duration
		want string
	}{
		"3600":                          {0, "service answered 503 Service Unavailable, and asks clients to wait 1h0m0s"},
		"Sat, 01 Jan 2000 02:00:00 GMT": {0, "asks clients to wait 2h0m0s"},
		"99999999999999999999":          {3500 * time.Millisecond, "service answered 503 Service Unavailable"},
		"2":                             {6 * time.Second, "service answered 503 Service Unavailable"},
		"-1":                            {3500 * time.Millisecond, "service answered 503 Service Unavailable"},
	} {
		synctest.Test(t, func(t *testing.T) { // it begins on 1 January 2000
			answers := transport(func(*http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				w.Header().Set("Retry-After", text)
				w.WriteHeader(http.StatusServiceUnavailable)
				return w.Result(), nil
			})
			_, _, err := OpenRelease(t.Context(), "", Limits{Transport: answers})
			took := time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
			if err == nil || !strings.Contains(err.Error(), c.want) || took != c.took {
				t.Errorf("%s: %v after %s", text, err, took)
			}
		})
	}
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
		must.Do(t, errors.Join(err1, err2))
		request := &http.Request{URL: to, Header: http.Header{}}
		if err := (Limits{}).checkRedirect(from, request, 1); (err == nil) != c.followed {
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
