package client_test

import (
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/client"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/record"
)

// sign signs a release with the log that lies beside it.
func sign(t *testing.T, target, key string) {
	t.Helper()
	files := signing.FS(os.DirFS(target))
	manifest, err := os.ReadFile(filepath.Join(target, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := signing.Sign(t.Context(), files, manifest, signing.SignOptions{Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	amend(t, target, s.Remove, s.Files)
}

// amend writes files beside a release.
func amend(t *testing.T, target string, remove []string, files []signing.File) {
	t.Helper()
	err := store.Amend(target, func(fs.FS) ([]string, iter.Seq2[string, []byte], error) {
		return remove, func(yield func(string, []byte) bool) {
			for _, file := range files {
				if !yield(file.Path, file.Data) {
					return
				}
			}
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// carry takes the log over from the release before.
func carry(t *testing.T, from, to string) {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join(to, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := signing.Carry(t.Context(), signing.FS(os.DirFS(from)), manifest)
	if err != nil {
		t.Fatal(err)
	}
	amend(t, to, nil, files)
}

// TestSigned: with a key, a client opens and follows what is signed, and nothing that goes back.
func TestSigned(t *testing.T) {
	private, public, err := signing.NewKey("data.example.org")
	if err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	build(t, first, folder(t), record.Date("2026-03-01"))
	sign(t, first, private)
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	build(t, second, revised(t), record.Date("2026-03-02"))
	carry(t, first, second)
	sign(t, second, private)

	var served atomic.Value // a folder
	served.Store(first)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServer(http.Dir(served.Load().(string))).ServeHTTP(w, r)
	}))
	defer server.Close()
	opt := client.Options{Key: public, Seen: t.TempDir()}
	c, err := client.Open(t.Context(), server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	served.Store(second)
	if updated, err := c.Update(t.Context()); err != nil || !updated {
		t.Fatalf("the next release is not taken: %v, %v", updated, err)
	}
	served.Store(first)
	if _, err := c.Update(t.Context()); err == nil || !strings.Contains(err.Error(), "went back") {
		t.Errorf("a log that goes back: %v", err)
	}
	for _, where := range []string{first, server.URL} {
		if _, err := client.Open(t.Context(), where, opt); err == nil || !strings.Contains(err.Error(), "went back") {
			t.Errorf("%s, whose log went back: %v", where, err)
		}
	}
	if _, err := client.Open(t.Context(), second, opt); err != nil {
		t.Error(err)
	}
}
