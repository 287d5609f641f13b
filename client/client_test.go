package client_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

const entity = "records/entities/ent-example-coverage.yaml"

// build publishes a folder, on top of what is there.
func build(t testing.TB, target string, folder fs.FS, date record.Date) {
	t.Helper()
	before, closeBefore, err := store.OpenTarget(target)
	must.Do(t, err)
	defer closeBefore()
	must.Get(specimen.BuildTo(target, folder, compiler.Options{Date: date, Previous: before, ByHash: true}))(t)
}

func folder(t testing.TB) fstest.MapFS {
	t.Helper()
	return must.Get(specimen.Starter())(t)
}

// revised is the folder with another version of an entity.
func revised(t testing.TB) fstest.MapFS {
	t.Helper()
	all := folder(t)
	text := string(all[entity].Data)
	at := strings.Index(text, "\nupdated_date: ") + len("\nupdated_date: ")
	text = strings.Replace(text[:at]+"2026-03-02"+text[at+len("2026-03-02"):], "\nversion: 1", "\nversion: 2", 1)
	all[entity] = &fstest.MapFile{Data: []byte(text)}
	return all
}

// TestClient reads a release from everywhere, and follows it.
func TestClient(t *testing.T) {
	for _, way := range []string{"folder", "zip", "address"} {
		t.Run(way, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "public")
			where := target
			switch way {
			case "zip":
				target += ".zip"
				where = target
			case "address":
				server := httptest.NewServer(http.FileServer(http.Dir(target)))
				defer server.Close()
				where = server.URL
			}
			build(t, target, folder(t), "2026-03-01")
			c := must.Get(client.Open(t.Context(), where, client.Options{}))(t)
			defer c.Close()
			first := c.Manifest().Release
			count := 0
			for e, err := range client.All[record.Entity](t.Context(), c) {
				must.Do(t, err)
				if count++; e.ID == "" || e.Record.Version != 1 || e.Standing != nil {
					t.Errorf("%+v", e)
				}
			}
			if want := c.Manifest().Kind("entity").Count; count != want {
				t.Errorf("%d entities, want %d", count, want)
			}
			if s, err := client.Get[record.Signal](t.Context(), c, "sig-example-rise"); err != nil || s.ID != "sig-example-rise" {
				t.Errorf("%v, %v", s, err)
			}
			if _, err := client.Get[record.Signal](t.Context(), c, "sig-none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the error is %v", err)
			}
			if changed, err := c.Update(t.Context()); err != nil || changed {
				t.Errorf("%v, %v", changed, err)
			}
			build(t, target, revised(t), "2026-03-02")
			if changed, err := c.Update(t.Context()); err != nil || !changed || c.Manifest().Release == first {
				t.Fatalf("%v, %v", changed, err)
			}
			var changes []string
			for change, err := range client.Changes[record.Entity](t.Context(), c, first) {
				must.Do(t, err)
				if changes = append(changes, change.ID); change.Record == nil || change.Record.Version != 2 {
					t.Errorf("%+v", change)
				}
			}
			if len(changes) != 1 || changes[0] != "ent-example-coverage" {
				t.Errorf("%q", changes)
			}
			for _, err := range client.Changes[record.Entity](t.Context(), c, "000000000000") {
				if !errors.Is(err, client.ErrTooOld) {
					t.Errorf("the error is %v", err)
				}
			}
			if e, err := client.Get[record.Entity](t.Context(), c, "ent-example-coverage"); err != nil || e.Record.Version != 2 {
				t.Errorf("%v, %v", e, err)
			}
		})
	}
}

// TestGone: that files of a service are gone does not say that a record is.
func TestGone(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, folder(t), "2026-03-01")
	server := httptest.NewServer(http.FileServer(http.Dir(target)))
	defer server.Close()
	for _, where := range []string{target, server.URL} {
		c, err := client.Open(t.Context(), where, client.Options{})
		must.Do(t, err)
		defer c.Close()
		if line, is, err := c.Record(t.Context(), "signal", "sig-example-rise"); err != nil || is != nil || !strings.Contains(string(line), `"sig-example-rise"`) {
			t.Errorf("%s: %s, %v, %v", where, line, is, err)
		}
		if where == server.URL { // the last
			must.Do(t, os.RemoveAll(target))
			_, _, err = c.Record(t.Context(), "signal", "sig-example-rise")
			if damaged := new(release.DamagedError); !errors.As(err, &damaged) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
}

// TestVerifiedOnly: of a collection that is damaged, no record is handed out.
func TestVerifiedOnly(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, folder(t), "2026-03-01")
	must.Do(t, os.RemoveAll(filepath.Join(target, "by-hash")))
	path := filepath.Join(target, "api", "v2", "entities.json")
	data := must.Get(os.ReadFile(path))(t)
	data[len(data)-20] ^= 1
	must.Do(t, os.WriteFile(path, data, 0o644))
	server := httptest.NewServer(http.FileServer(http.Dir(target)))
	defer server.Close()
	for _, where := range []string{target, server.URL} {
		c := must.Get(client.Open(t.Context(), where, client.Options{}))(t)
		defer c.Close()
		failed := false
		for e, err := range client.All[record.Entity](t.Context(), c) {
			if err == nil {
				t.Errorf("%s: %s is handed out", where, e.ID)
			}
			failed = err != nil
		}
		if !failed {
			t.Errorf("%s: nothing is wrong", where)
		}
	}
	if _, err := client.Open(t.Context(), target, client.Options{Key: "data.example.org+ed10556b+Aby0OIHZbi/GiVd9Rcqhu2fOls6OrtH7Rt7Mo122IsGM"}); err == nil ||
		!strings.Contains(err.Error(), "not signed") {
		t.Errorf("what is not signed is opened: %v", err)
	}
}

// TestDiffDownloads: comparing a service with a release downloads only collections that differ, and
// derives their listings.
func TestDiffDownloads(t *testing.T) {
	dir := t.TempDir()
	target, revisedTarget := filepath.Join(dir, "public"), filepath.Join(dir, "revised")
	build(t, target, folder(t), "2026-03-01")
	build(t, revisedTarget, revised(t), "2026-03-02")
	var requested []string
	files := http.FileServer(http.Dir(target))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/by-hash/") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		requested = append(requested, r.URL.Path)
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := must.Get(client.Open(t.Context(), server.URL, client.Options{}))(t)
	defer c.Close()
	other, closeOther, err := store.Open(revisedTarget)
	must.Do(t, err)
	defer closeOther()
	var changed []string
	for change, err := range release.Diff(t.Context(), c.Release(t.Context()), other) {
		must.Do(t, err)
		changed = append(changed, change.ID)
	}
	if !slices.Equal(changed, []string{"ent-example-coverage"}) {
		t.Errorf("the changed records are %q", changed)
	}
	for _, path := range requested {
		if strings.HasPrefix(path, "/index/") || strings.HasSuffix(path, "/signals.json") {
			t.Errorf("%s was requested", path)
		}
	}
}
