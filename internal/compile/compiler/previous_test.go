package compiler_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/client"
	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
)

// TestPreviousAnywhere: it does not matter where the release before lies.
func TestPreviousAnywhere(t *testing.T) {
	dir, folder := t.TempDir(), starterFolder(t)
	want := makeRelease(t, folder, compiler.Options{})
	changed := revise(t, folder, "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	next := makeRelease(t, changed, compiler.Options{Previous: want.Release})
	for _, name := range []string{"folder", "release.zip"} {
		target := filepath.Join(dir, name)
		buildTo(t, target, folder, compiler.Options{Date: releaseDate})
		r, closeRelease, err := store.Open(target)
		must.Do(t, err)
		defer closeRelease()
		sameFiles(t, name, makeRelease(t, changed, compiler.Options{Previous: r}).files, next.files)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(dir, "folder"))))
	defer server.Close()
	for _, base := range []string{server.URL, server.URL + "/"} {
		c := must.Get(client.Open(t.Context(), base, client.Options{}))(t)
		defer c.Close()
		again := makeRelease(t, changed, compiler.Options{Previous: c.Release(t.Context())})
		sameFiles(t, base, again.files, next.files)
	}
}

// refused builds with a previous release that must not be used, and answers with the reason.
func refused(t *testing.T, folder fstest.MapFS, opt compiler.Options) string {
	t.Helper()
	m := newMemory()
	_, err := compiler.Build(context.Background(), folder, m, opt)
	if err == nil {
		t.Fatal("it was used")
	}
	if m.files[layout.ManifestPath] != nil {
		t.Fatal("a release was written all the same")
	}
	return err.Error()
}

func TestPreviousIsRefused(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{})
	elsewhere := edit(
		t,
		folder,
		"stele.yaml",
		"base_url: https://records.example.org",
		"base_url: https://other.example.org",
	)
	if got, want := refused(t, elsewhere,
		compiler.Options{Date: releaseDate, Previous: before.Release}), "belongs to another service: its base_url is https://records.example.org"; !strings.Contains(got, want) {
		t.Errorf("another service: %s", got)
	}
	if got, want := refused(t, folder,
		compiler.Options{Date: "2026-01-31", Previous: before.Release}), " is of 2026-02-01, after the date of this one, 2026-01-31"; !strings.Contains(got, want) {
		t.Errorf("newer: %s", got)
	}
	slash := edit(t, folder, "stele.yaml", "base_url: https://records.example.org", "base_url: https://records.example.org/")
	makeRelease(t, slash, compiler.Options{Previous: before.Release})
}

// TestDamagedPrevious damages the release before; whatever the build reads of it must be as it was
// made.
func TestDamagedPrevious(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{})
	changed := revise(t, folder, "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	for _, c := range []struct {
		path   string
		damage func([]byte) []byte
	}{
		{"index/signals.json", func(b []byte) []byte { return bytes.Replace(b, []byte("rise"), []byte("fall"), 1) }},
		{"index/signals.json", func(b []byte) []byte { return b[:len(b)/2] }},
		{"index/signals.json", func(b []byte) []byte { return nil }},
		{"index/signals.json", func(b []byte) []byte { return append(b, ' ') }},
		{"index/decision-views.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":1`), []byte(`"version":7`), 1) }},
		{"api/v2/entities.json", func(b []byte) []byte { return bytes.Replace(b, []byte("Measles"), []byte("Rubella"), 1) }},
		{"api/v2/entities.json", func(b []byte) []byte { return b[:len(b)-4] }},
		{"api/v1/changes.json", func(b []byte) []byte { return bytes.Replace(b, []byte("example-1"), []byte("example-2"), 1) }},
		{"api/v1/changes.json", func(b []byte) []byte { return bytes.Replace(b, []byte("\n{"), []byte("\n["), 1) }},
	} {
		files := maps.Clone(before.files)
		files[c.path] = c.damage(bytes.Clone(files[c.path]))
		damaged := (&memory{files: files}).open(t)
		if got := refused(t, changed, compiler.Options{Date: releaseDate, Previous: damaged}); !strings.Contains(
			got,
			"cannot read the previous release: ",
		) ||
			!strings.Contains(got, c.path) && !strings.Contains(got, "record ent-") {
			t.Errorf("%s: %s", c.path, got)
		}
		delete(files, c.path)
		if got := refused(t, changed, compiler.Options{
			Date:     releaseDate,
			Previous: (&memory{files: files}).open(t),
		}); !strings.Contains(
			got,
			c.path,
		) {
			t.Errorf("%s is missing: %s", c.path, got)
		}
	}
}

// TestPreviousFails: a service that does not give what its manifest promises is not taken for the
// release before.
func TestPreviousFails(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{NoVariants: true})
	for _, c := range []struct {
		name, want string
		answer     func(w http.ResponseWriter, data []byte)
	}{
		{"404", "file does not exist", func(w http.ResponseWriter, data []byte) { w.WriteHeader(http.StatusNotFound) }},
		{"503", "service answered 503 Service Unavailable", func(w http.ResponseWriter, data []byte) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{"cut off", "unexpected EOF", func(w http.ResponseWriter, data []byte) {
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			w.Write(data[:len(data)/2])
		}},
		{"shorter", "does not match the manifest", func(w http.ResponseWriter, data []byte) { w.Write(data[:len(data)-1]) }},
		{"another", "does not match the manifest", func(w http.ResponseWriter, data []byte) {
			w.Write(bytes.Replace(data, []byte("Reported"), []byte("Recorded"), 1))
		}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, ok := before.files[strings.TrimPrefix(r.URL.Path, "/")]
			switch {
			case !ok:
				http.NotFound(w, r)
			case r.URL.Path == "/index/signals.json":
				c.answer(w, data)
			default:
				w.Write(data)
			}
		}))
		service := must.Get(client.Open(t.Context(), server.URL, client.Options{}))(t)
		opt := compiler.Options{Date: releaseDate, Previous: service.Release(t.Context())}
		if got := refused(t, folder, opt); !strings.HasPrefix(
			got,
			"cannot read the previous release: ",
		) ||
			!strings.Contains(got, "index/signals.json") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
		if err := service.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}
