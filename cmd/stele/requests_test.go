package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/author/editing/starter"
	"stele/internal/testkit/must"
)

// TestRequestsAndHistories: however many records have a history, whoever builds on, copies or
// verifies a service asks for as many files.
func TestRequestsAndHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("makes releases")
	}
	const records = 30
	counts := map[string][]int64{}
	for _, revised := range []int{2, records} {
		dir := memoryDir(t)
		folder, public := filepath.Join(dir, "folder"), filepath.Join(dir, "public")
		build := func(version int, args ...string) {
			t.Helper()
			writeSignals(t, folder, records, revised, version)
			args = append(args, "--without=derived", fmt.Sprintf("--date=2026-02-%02d", version), folder)
			command(t, append([]string{"build"}, args...)...)
		}
		for version := range 3 {
			build(version+1, "-o", public)
		}
		var asked atomic.Int64
		files := http.FileServer(http.Dir(public))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		count := func(what string) { counts[what] = append(counts[what], asked.Swap(0)) }
		command(t, "verify", server.URL)
		count("verify")
		command(t, "mirror", server.URL, filepath.Join(dir, "copy"))
		count("mirror")
		build(4, "-o", filepath.Join(dir, "next"), "--previous", server.URL)
		count("build")
		command(t, "restore", server.URL, "--as-of", "2026-02-02", "-o", filepath.Join(dir, "restored"))
		count("restore")
	}
	for what, n := range counts {
		if n[0] != n[1] {
			t.Errorf("%s asks for %d files where 2 records have a history, and for %d where %d have", what, n[0], n[1], records)
		}
	}
}

// writeSignals writes the starter folder with signals, of which some have a version.
func writeSignals(t *testing.T, dir string, count, revised, version int) {
	t.Helper()
	files := must.Get(starter.Files())(t)
	const signal = "records/signals/sig-example-rise.yaml"
	text := string(files[signal])
	for i := range count {
		is := 1
		if i < revised {
			is = version
		}
		one := strings.Replace(text, "id: sig-example-rise", fmt.Sprintf("id: sig-%02d", i), 1)
		one = strings.Replace(one, "version: 1", fmt.Sprintf("version: %d", is), 1)
		one = strings.Replace(one, "\nsummary: ", fmt.Sprintf("\nsummary: In version %d. ", is), 1)
		one = strings.Replace(one, "updated_date: 2026-01-10", fmt.Sprintf("updated_date: 2026-02-%02d", is), 1)
		files[fmt.Sprintf("records/signals/sig-%02d.yaml", i)] = []byte(one)
	}
	for name, data := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must.Do(t, os.WriteFile(at, data, 0o644))
	}
}

// command runs a command in which nothing may go wrong.
func command(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	c := newRoot()
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("stele %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
}
