package fetch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/release"
)

func source(t *testing.T, h http.HandlerFunc) *Source {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s := must.Get(Open(t.Context(), server.URL, quick))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func emptyFile(t *testing.T) *os.File {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "scratch")))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestManifestAgain: who asks again gets nothing if nothing changed, by the entity tag or by the
// time; but not by a time that was not over when the file was sent.
func TestManifestAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		header func(h http.Header, r *http.Request) (same bool)
		want   bool // whether it is read again
	}{
		{"tag", func(h http.Header, r *http.Request) bool {
			h.Set("ETag", `"a"`)
			return r.Header.Get("If-None-Match") == `"a"`
		}, false},
		{"time", func(h http.Header, r *http.Request) bool {
			then := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
			h.Set("Last-Modified", then)
			return r.Header.Get("If-Modified-Since") != ""
		}, false},
		{"a moment ago", func(h http.Header, r *http.Request) bool {
			h.Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			return r.Header.Get("If-Modified-Since") != ""
		}, true},
		{"nothing", func(h http.Header, r *http.Request) bool {
			return r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != ""
		}, true},
	} {
		s := source(t, func(w http.ResponseWriter, r *http.Request) {
			if c.header(w.Header(), r) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Write(manifest(t, "text"))
		})
		one, err := s.Manifest(t.Context(), nil)
		must.Do(t, err)
		two, err := s.Manifest(t.Context(), one)
		if err != nil || (two != nil) != c.want {
			t.Errorf("%s: %v, %v", c.name, two, err)
		}
	}
}

// TestFetch: a file comes by its digest in the smallest form, or at its path, in whatever encoding.
func TestFetch(t *testing.T) {
	data := []byte(strings.Repeat("A long story. ", 5000))
	f := &release.File{Path: "api/x.json", Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	encoded := map[string][]byte{}
	for _, e := range compress.Encodings {
		var b bytes.Buffer
		must.Do(t, e.Encode(&b, bytes.NewReader(data), f.Size))
		encoded[e.Name] = b.Bytes()
		f.Variants = append(f.Variants, release.Variant{
			Encoding: e.Name, Path: f.Path + e.Suffix, Size: int64(b.Len()), SHA256: sha256.Sum256(b.Bytes()),
		})
	}
	var asked []string
	byHash, as := true, ""
	s := source(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		for _, v := range f.Variants {
			if byHash && r.URL.Path == "/"+layout.ByHashPath(v.SHA256.String()) || r.URL.Path == "/"+v.Path {
				w.Write(encoded[v.Encoding])
				return
			}
		}
		switch {
		case r.URL.Path != "/"+f.Path:
			http.NotFound(w, r)
		case as == "":
			w.Write(data)
		default:
			w.Header().Set("Content-Encoding", as)
			w.Write(encoded[as])
		}
	})
	fetch := func() {
		t.Helper()
		to := emptyFile(t)
		must.Do(t, s.Fetch(t.Context(), f, to))
		if got, err := os.ReadFile(to.Name()); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	before := s.Received()
	fetch()
	if got := s.Received() - before; len(asked) != 1 || got > int64(len(data)/20) {
		t.Errorf("%d bytes for %q", got, asked)
	}
	byHash = false
	for _, as = range []string{"", "br", "zstd", "gzip"} {
		fetch()
	}
	to := emptyFile(t)
	if err := s.FetchVariant(t.Context(), &f.Variants[0], to); err != nil {
		t.Error(err)
	}
	data = append(data, '!')
	var changed *ChangedError
	if as = ""; !errors.As(s.Fetch(t.Context(), f, emptyFile(t)), &changed) {
		t.Error("another file is taken")
	}
	none := &release.File{Path: "api/none.json", Size: 1}
	if err := s.Fetch(t.Context(), none, emptyFile(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	huge := &release.File{Path: f.Path, Size: 1 << 40}
	if err := s.Fetch(t.Context(), huge, emptyFile(t)); !errors.Is(err, errTooMuch) {
		t.Errorf("the error is %v", err)
	}
}

// TestFetchRest: of a file that has grown only what is new is asked for, by its digest or at its
// path, also where the connection is lost; and all of it where the service sends something else.
func TestFetchRest(t *testing.T) {
	data := []byte(strings.Repeat("A long story. ", 5000))
	f := &release.File{Path: "history/x.ndjson.zst", Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	byHash := "/" + layout.ByHashPath(f.SHA256.String())
	for _, c := range []struct {
		name   string
		has    string
		answer func(w http.ResponseWriter, r *http.Request)
		most   int64
	}{
		{"by digest", string(data[:60000]), func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != byHash {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, 10000},
		{"at its path", string(data[:60000]), func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == byHash {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, 10100},
		{"whole", string(data[:60000]), func(w http.ResponseWriter, _ *http.Request) { w.Write(data) }, 70000},
		{"another beginning", strings.Repeat("?", 60000), func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, 80000},
		{"broken off", string(data[:60000]), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"a"`)
			if r.Header.Get("Range") == "bytes=60000-" {
				w.Header().Set("Content-Range", "bytes 60000-69999/70000")
				w.WriteHeader(http.StatusPartialContent)
				w.Write(data[60000:65000])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, 10000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := source(t, c.answer)
			to := emptyFile(t)
			must.Get(to.WriteString(c.has))(t)
			must.Do(t, s.FetchRest(t.Context(), f, to))
			if got, err := os.ReadFile(to.Name()); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if got := s.Received(); got > c.most {
				t.Errorf("%d bytes were received", got)
			}
		})
	}
}

// TestResume: where a connection breaks off, the rest is asked for, if the file is still the same.
func TestResume(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	for _, c := range []struct {
		name  string
		tag   func(n int) string
		works bool
	}{
		{"the same", func(int) string { return `"a"` }, true},
		{"another", func(n int) string { return fmt.Sprintf(`"%d"`, n) }, false},
		{"weak", func(int) string { return `W/"a"` }, false},
		{"none", func(int) string { return "" }, false},
	} {
		n := 0
		s := source(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			if tag := c.tag(n); tag != "" {
				w.Header().Set("ETag", tag)
			}
			if n == 1 {
				w.Header().Set("Content-Length", fmt.Sprint(len(data)))
				w.Write(data[:len(data)/3])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		})
		got, err := fs.ReadFile(s, "api/x.json")
		if (err == nil) != c.works || c.works && !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
}

// TestAgain: what fails for a reason that may pass is asked for again, some times.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		status, failing int
		works           bool
	}{
		{503, 2, true},
		{500, 3, true},
		{429, 1, true},
		{502, 4, false},
		{501, 1, false},
		{404, 1, false},
		{403, 1, false},
	} {
		n := 0
		s := source(t, func(w http.ResponseWriter, r *http.Request) {
			if n++; n <= c.failing {
				w.WriteHeader(c.status)
				return
			}
			w.Write([]byte("text"))
		})
		if data, err := fs.ReadFile(s, "api/x.json"); (err == nil && string(data) == "text") != c.works {
			t.Errorf("%d, %d times: %q, %v", c.status, c.failing, data, err)
		}
	}
}

// TestBreaksOff: a file whose connection is lost is taken only if it comes whole and of one
// version. The message names it otherwise.
func TestBreaksOff(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	other := bytes.Repeat([]byte("fedcba9876543210"), 64<<10)
	f := &release.File{Path: "api/x.json", Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	ends := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data[:len(data)/3])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	for _, c := range []struct {
		name, want string
		rest       func(w http.ResponseWriter, r *http.Request)
	}{
		{"the same version", "", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"a"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}},
		{"another version", "api/x.json does not match the manifest", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"b"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
		}},
		{"another version with the same tag", "api/x.json does not match the manifest", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"a"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
		}},
		{"another version for a while", "", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.Header().Set("ETag", `"b"`)
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
				return
			}
			w.Write(data)
		}},
		{"nothing more", "api/x.json: unexpected EOF", func(w http.ResponseWriter, r *http.Request) { ends(w) }},
	} {
		n := 0
		s := source(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/by-hash/"):
				fmt.Fprint(w, "<!doctype html><title>Nothing here</title>")
			case n > 0:
				c.rest(w, r)
			default:
				n++
				w.Header().Set("ETag", `"a"`)
				ends(w)
			}
		})
		to := emptyFile(t)
		err := s.Fetch(t.Context(), f, to)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if got, errRead := os.ReadFile(to.Name()); err != nil || errRead != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v, %v", c.name, len(got), err, errRead)
		}
	}
}
