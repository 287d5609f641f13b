package store

import (
	"compress/gzip"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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

func TestOpenURL(t *testing.T) {
	base := serve(t, nil)
	for _, where := range []string{base, base + "/"} {
		r, err := OpenURL(where)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := fs.ReadFile(r.Files, "api/small.json"); err != nil || string(data) != "text" || r.Title != "text" {
			t.Errorf("%s: %q, %q, %v", where, r.Title, data, err)
		}
		if _, err := fs.ReadFile(r.Files, "api/none.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error is %v", where, err)
		}
		if _, err := r.Files.Open("../manifest.json"); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: the error is %v", where, err)
		}
	}
}

// TestOpenURLFails: the error names the address and what the service said.
func TestOpenURLFails(t *testing.T) {
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
		if _, err := OpenURL(base); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), base) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := OpenURL("http://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody there: %v", err)
	}
	if _, err := OpenURL("http://[::1"); err == nil {
		t.Error("what is no address is opened")
	}
}

// TestOpenURLEncoded: a service may compress what it sends.
func TestOpenURLEncoded(t *testing.T) {
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
	if r, err := OpenURL(base); err != nil || r.Title != "compressed" {
		t.Errorf("%v, %v", r, err)
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
