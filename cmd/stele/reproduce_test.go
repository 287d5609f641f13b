package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/editing/starter"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongReproduceOptions: with whatever options a release was built, on a folder or on an
// address, it can be made again from a folder and from an address.
func TestLongReproduceOptions(t *testing.T) {
	long.Only(t)
	const records = "--without=derived"
	for _, options := range [][]string{
		{},
		{"--downloads", "csv,sqlite", "--without=variants"},
		{"--downloads", "none", "--without=variants"},
		{records},
		{records, "--without=variants"},
		{records, "--without=deltas"},
		{records, "--without=by-hash"},
		{records, "--without=deltas", "--without=by-hash", "--without=variants"},
	} {
		t.Run(strings.Join(options, " "), func(t *testing.T) {
			first := options
			if len(options) == 0 { // the release before may have been built with others
				first = []string{records, "--without=variants"}
			}
			reproduceBoth(t, first, options)
		})
	}
}

// reproduceBoth builds a release with some options and the next one with others, on a folder and on
// an address, and makes both again.
func reproduceBoth(t *testing.T, first, options []string) {
	t.Helper()
	dir := memoryDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	folder := at("folder")
	files := must.Get(starter.Files())(t)
	write := func() {
		t.Helper()
		for name, data := range files {
			path := filepath.Join(folder, filepath.FromSlash(name))
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must.Do(t, os.WriteFile(path, data, 0o644))
		}
	}
	write()
	build := func(name, date string, options ...string) {
		t.Helper()
		command(t, slices.Concat([]string{"build", "-o", at(name), "--date", date, folder}, options)...)
	}
	build("first", "2026-02-01", first...)
	command(t, "reproduce", at("first"), folder)
	const signal = "records/signals/sig-example-rise.yaml"
	text := strings.Replace(string(files[signal]), "version: 1", "version: 2", 1)
	text = strings.Replace(text, "\nsummary: ", "\nsummary: Again. ", 1)
	files[signal] = []byte(strings.Replace(text, "updated_date: 2026-01-10", "updated_date: 2026-02-02", 1))
	write()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	build("on-folder", "2026-02-02", append(options, "--previous", at("first"))...)
	build("on-address", "2026-02-02", append(options, "--previous", server.URL+"/first")...)
	build("on-zip.zip", "2026-02-02", append(options, "--previous", at("first"))...)
	manifest := func(name string) string {
		t.Helper()
		data := must.Get(os.ReadFile(filepath.Join(at(name), "manifest.json")))(t)
		return string(data)
	}
	if manifest("on-folder") != manifest("on-address") {
		t.Error("what is built on a folder and on an address differs")
	}
	command(t, "reproduce", at("on-folder"), folder, "--previous", at("first"))
	command(t, "reproduce", server.URL+"/on-folder", folder, "--previous", server.URL+"/first")
	command(t, "reproduce", at("on-zip.zip"), folder, "--previous", server.URL+"/first")
}
