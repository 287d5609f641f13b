package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/client"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// manyEntities is a folder in which some are found by an index of several blocks.
func manyEntities(t testing.TB) fstest.MapFS {
	t.Helper()
	all := folder(t)
	var b bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&b, `{"id":"ent-many-%03d","version":1,"title":"Entity %d","summary":"One of many.","entity_type":"place","name":"Place %d",`+
			`"source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-01","published_date":"2026-01-01","updated_date":"2026-01-01","source_updates":[],"corrections":[]}`+"\n", i, i, i)
	}
	all["records/entities/many.ndjson"] = &fstest.MapFile{Data: b.Bytes()}
	return all
}

// TestGet: every record is found by its ID and no other, wherever the release is. After the first
// of a kind, an address is asked for one small file, or for none.
func TestGet(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, manyEntities(t), "2026-03-01")
	var mu sync.Mutex
	var asked []string
	files := http.FileServer(http.Dir(target))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, where := range []string{target, server.URL} {
		c := must.Get(client.Open(t.Context(), where, client.Options{}))(t)
		defer c.Close()
		var ids, edges []string
		for e, err := range client.All[record.Entity](t.Context(), c) {
			must.Do(t, err)
			ids = append(ids, e.ID)
		}
		for e, err := range client.All[record.GraphEdge](t.Context(), c) {
			must.Do(t, err)
			edges = append(edges, e.ID)
		}
		if len(ids) < 300 || len(edges) < 10 {
			t.Fatalf("%d entities, %d edges", len(ids), len(edges))
		}
		for _, id := range ids {
			if e, err := client.Get[record.Entity](t.Context(), c, id); err != nil || e.ID != id {
				t.Fatalf("%s: %v, %v", id, e, err)
			}
		}
		for _, id := range edges[:3] {
			if e, err := client.Get[record.GraphEdge](t.Context(), c, id); err != nil || e.ID != id {
				t.Fatalf("%s: %v, %v", id, e, err)
			}
		}
		for _, id := range []string{"", "a", "ent-many-0", "ent-many-0000", "ent-many-300", "zzz", `"`, "ent-many-000\",\"version"} {
			if e, err := client.Get[record.Entity](t.Context(), c, id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v, %v", id, e, err)
			}
			if e, err := client.Get[record.Signal](t.Context(), c, id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v, %v", id, e, err)
			}
		}
		mu.Lock()
		asked = nil
		mu.Unlock()
		for range 3 {
			if s, err := client.Get[record.Signal](t.Context(), c, "sig-example-rise"); err != nil || s.ID != "sig-example-rise" {
				t.Fatalf("%v, %v", s, err)
			}
		}
		if want := slices.Repeat([]string{"/api/v1/signals/sig-example-rise.json"}, 3); where != target && !slices.Equal(asked, want) {
			t.Errorf("asked for %q", asked)
		}
	}
}

// TestGetAfterDamage: what is not any more what it was when it was verified is not handed out.
func TestGetAfterDamage(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, manyEntities(t), "2026-03-01")
	c := must.Get(client.Open(t.Context(), target, client.Options{}))(t)
	defer c.Close()
	must.Get(client.Get[record.Entity](t.Context(), c, "ent-many-000"))(t)
	path := filepath.Join(target, "api", "v2", "entities.json")
	data := must.Get(os.ReadFile(path))(t)
	for _, other := range []string{strings.Replace(string(data), "Entity 200", "Entity 000", 1), string(data[:200])} {
		must.Do(t, os.WriteFile(path, []byte(other), 0o644))
		e, err := client.Get[record.Entity](t.Context(), c, "ent-many-200")
		if damaged := new(release.DamagedError); err == nil || len(other) == len(data) && !errors.As(err, &damaged) {
			t.Errorf("%v is handed out, %v", e, err)
		}
	}
}

// TestContext: nothing is read for somebody who has gone.
func TestContext(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	build(t, target, folder(t), "2026-03-01")
	release := make(chan struct{})
	defer close(release)
	files := http.FileServer(http.Dir(target))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/manifest.json" {
			<-release
		}
		files.ServeHTTP(w, r)
	}))
	defer server.CloseClientConnections()
	c := must.Get(client.Open(t.Context(), server.URL, client.Options{}))(t)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := client.Get[record.Signal](ctx, c, "sig-example-rise"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
