//go:build unix

package serve_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/show/describe"
	"stele/internal/show/site"
	"stele/internal/testkit/race"
)

// TestSampleIsSentAsTheTableSays asks a server for every file of the sample, pages and descriptions
// too, and holds the answers to the table that hosts and others who send a release go by.
func TestSampleIsSentAsTheTableSays(t *testing.T) {
	if race.Enabled {
		t.Skip("sends one request after the other")
	}
	leavesNothing(t)
	r := inMemory(t, describe.Options{}.Write, site.Options{}.Write)
	opt := serve.Options{Freshness: layout.Freshness{MaxAge: 90 * time.Second}}
	l, err := library.Open(r, time.Now(), opt.Library(), nil)
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listening(t, serve.New(l, opt))
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	paths := []string{layout.ManifestPath}
	for _, f := range r.Manifest.Files {
		paths = append(paths, f.Path)
	}
	for _, listing := range r.Manifest.FileListings() {
		for f, err := range r.ListedFiles(listing) {
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, f.Path)
		}
	}
	for _, k := range r.Manifest.Kinds {
		for e, err := range r.Entries(k.Kind) {
			if err != nil {
				t.Fatal(err)
			}
			if k.Single != "" {
				paths = append(paths, k.SinglePath(e.ID))
			}
		}
	}
	for _, path := range paths {
		res, err := client.Get(base + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body) // only the head is looked at
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s is answered with %s", path, res.Status)
		}
		for _, want := range layout.SendingOf(path).Headers(opt.Freshness, r.Manifest.Language) {
			if got := res.Header.Values(want.Name); len(got) != 1 || got[0] != want.Value {
				t.Errorf("%s has %s %q, not %q", path, want.Name, got, want.Value)
			}
		}
	}
	if len(paths) < 300 {
		t.Errorf("only %d files were asked for", len(paths))
	}
}
