package client_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"stele/client"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/trust/signing"
	"stele/record"
	"stele/release"
)

// sign signs a release with the log that lies beside it.
func sign(t *testing.T, target, key string) {
	t.Helper()
	files := signing.FS(os.DirFS(target))
	manifest := must.Get(os.ReadFile(filepath.Join(target, "manifest.json")))(t)
	s := must.Get(signing.Sign(t.Context(), files, manifest, signing.SignOptions{Keys: []string{key}}))(t)
	amend(t, target, s.Remove, s.Files)
}

// amend writes files beside a release.
func amend(t *testing.T, target string, remove []string, files []signing.File) {
	t.Helper()
	must.Do(t, store.Amend(target, func(fs.FS) ([]string, iter.Seq2[string, []byte], error) {
		return remove, func(yield func(string, []byte) bool) {
			for _, file := range files {
				if !yield(file.Path, file.Data) {
					return
				}
			}
		}, nil
	}))
}

// carry takes the log over from the release before.
func carry(t *testing.T, from, to string) {
	t.Helper()
	manifest := must.Get(os.ReadFile(filepath.Join(to, "manifest.json")))(t)
	files := must.Get(signing.CopyLog(t.Context(), signing.FS(os.DirFS(from)), manifest))(t)
	amend(t, to, nil, files)
}

// TestSigned: with a key, a client opens and follows what is signed, and nothing that goes back.
func TestSigned(t *testing.T) {
	private, public, err := signing.NewKey("data.example.org")
	must.Do(t, err)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	build(t, first, folder(t), record.Date("2026-03-01"))
	sign(t, first, private)
	must.Do(t, os.CopyFS(second, os.DirFS(first)))
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
	must.Do(t, err)
	defer c.Close()
	served.Store(second)
	if updated, err := c.Update(t.Context()); err != nil || !updated {
		t.Fatalf("the next release is not taken: %v, %v", updated, err)
	}
	served.Store(first)
	if _, err := c.Update(t.Context()); !errors.Is(err, client.ErrRolledBack) || !strings.Contains(err.Error(), "rolled back") {
		t.Errorf("a log that goes back: %v", err)
	}
	for _, where := range []string{first, server.URL} {
		if _, err := client.Open(t.Context(), where, opt); err == nil || !strings.Contains(err.Error(), "rolled back") {
			t.Errorf("%s, whose log went back: %v", where, err)
		}
	}
	if _, err := client.Open(t.Context(), second, opt); err != nil {
		t.Error(err)
	}

	// programs can tell apart why
	_, other, err := signing.NewKey("data.example.org")
	must.Do(t, err)
	unsigned := filepath.Join(t.TempDir(), "unsigned")
	build(t, unsigned, folder(t), record.Date("2026-03-01"))
	altered := filepath.Join(t.TempDir(), "altered")
	must.Do(t, os.CopyFS(altered, os.DirFS(second)))
	manifest := must.Get(os.ReadFile(filepath.Join(second, "manifest.json")))(t)
	amend(t, altered, nil, []signing.File{{Path: "manifest.json", Data: append(manifest, '\n')}})
	before, forked := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "forked")
	build(t, before, folder(t), record.Date("2026-02-01"))
	sign(t, before, private)
	must.Do(t, os.CopyFS(forked, os.DirFS(before)))
	build(t, forked, revised(t), record.Date("2026-03-02"))
	carry(t, before, forked)
	sign(t, forked, private)
	for _, c := range []struct {
		where, key string
		want       error
	}{
		{unsigned, public, client.ErrUnsigned},
		{second, other, client.ErrUntrusted},
		{altered, public, client.ErrAltered},
		{first, public, client.ErrRolledBack},
		{forked, public, client.ErrForked},
	} {
		_, err := client.Open(t.Context(), c.where, client.Options{Key: c.key, Seen: opt.Seen})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.where, err, c.want)
		}
	}
}

// TestForgedHistory: a version that no change event names is not handed out.
func TestForgedHistory(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, folder(t), "2026-03-01")
	all := folder(t)
	const signal = "records/signals/sig-example-rise.yaml"
	text := strings.NewReplacer("\nversion: 1\n", "\nversion: 2\n", "\nupdated_date: 2026-01-10", "\nupdated_date: 2026-03-02",
		"\nsummary: ", "\nsummary: Again, ").Replace(string(all[signal].Data))
	all[signal] = &fstest.MapFile{Data: []byte(text)}
	build(t, target, all, "2026-03-02")
	path := filepath.Join(target, "history", "signals", "sig-example-rise.ndjson")
	line := must.Get(os.ReadFile(path))(t)
	var v release.Version
	must.Do(t, v.Parse(bytes.TrimSuffix(line, []byte("\n"))))
	v.Record = bytes.Replace(v.Record, []byte("measles"), []byte("forged!"), 1)
	v.SHA256 = sha256.Sum256(v.Record)
	must.Do(t, os.WriteFile(path, v.Append(nil, false), 0o644))
	server := httptest.NewServer(http.FileServer(http.Dir(target)))
	defer server.Close()
	for _, where := range []string{target, server.URL} {
		c := must.Get(client.Open(t.Context(), where, client.Options{}))(t)
		defer c.Close()
		h := must.Get(c.Release(t.Context()).History("sig-example-rise"))(t)
		damaged := new(release.DamagedError)
		for v, err := range h.Earlier() {
			if err == nil {
				t.Errorf("%s: %s is handed out", where, v.Record)
			} else if !errors.As(err, &damaged) {
				t.Errorf("%s: %v", where, err)
			}
		}
		if damaged.Path == "" {
			t.Errorf("%s: nothing is wrong", where)
		}
	}
}
