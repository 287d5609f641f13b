//go:build unix

package serve_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
)

// damage is something that can happen to a release on its way.
type damage struct {
	name string
	in   string // the path of what is damaged
	do   func(t *testing.T, path string)
	why  string // what the log says
}

// flip changes a byte in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	data[len(data)/2] ^= 1
	rewrite(t, path, data)
}

func rewrite(t *testing.T, path string, data []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, data, 0o644))
}

func shorten(t *testing.T, path string) {
	t.Helper()
	info := must.Get(os.Stat(path))(t)
	must.Do(t, os.Truncate(path, info.Size()/2))
}

func remove(t *testing.T, path string) {
	t.Helper()
	must.Do(t, os.Remove(path))
}

// replace writes something else into a file.
func replace(old, by string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%s has no %q: %v", path, old, err)
		}
		rewrite(t, path, bytes.Replace(data, []byte(old), []byte(by), 1))
	}
}

var damages = []damage{
	{"a byte of a collection", "api/v1/signals.json", flip, "api/v1/signals.json does not match the release's description"},
	{"a byte of a listing", "index/signals.json", flip, "index/signals.json does not match the release's description"},
	{"a byte of a variant", "api/v1/graph-nodes.json.br", flip, "api/v1/graph-nodes.json.br does not match the release's description"},
	{"a byte of a large file", "edit.txt", flip, "edit.txt does not match the release's description"},
	{"half a collection", "api/v2/entities.json", shorten, "api/v2/entities.json does not match the release's description"},
	{"half a large file", "edit.txt", shorten, "edit.txt does not match the release's description"},
	{"a file that is missing", "data/v2/source-objects.json", remove, "data/v2/source-objects.json: no such file"},
	{"a variant that is missing", "api/v1/graph-nodes.json.gz", remove, "api/v1/graph-nodes.json.gz: no such file"},
	{"a manifest that was edited", "manifest.json", replace(`"title": "Example records"`, `"title": "My records"`), "manifest.json does not match this content: it was edited"},
	{"a manifest with another digest", "manifest.json", replace(`"sha256": "`, `"sha256": "0000`), "manifest.json"},
	{"half a manifest", "manifest.json", shorten, "manifest.json: unexpected end of JSON input"},
	{"a manifest of the future", "manifest.json", replace(`stele-release/3`, `stele-release/9`), "format 9"},
}

// TestDamageIsRefused: whatever happened to a release, the one before stays, the log says why, and
// the next good one is served.
func TestDamageIsRefused(t *testing.T) {
	e := newRevisions(t)
	leavesNothing(t)
	for _, memory := range []int64{0, 1} {
		at := target(t, "public")
		for _, d := range damages {
			e.refuses(t, at, memory, d, func() { d.do(t, filepath.Join(at, d.in)) })
		}
		zip := target(t, "release.zip")
		for _, d := range []damage{
			{name: "half a zip", do: shorten, why: "zip"},
			{name: "an empty zip", do: func(t *testing.T, path string) { rewrite(t, path, nil) }, why: "not a zip file"},
			{name: "no zip", do: func(t *testing.T, path string) { rewrite(t, path, bytes.Repeat([]byte("no zip "), 100)) }, why: "not a valid zip"},
			{name: "a byte in the directory", do: flipLast("api/v1/evidence.json"), why: "invalid path"},
		} {
			e.refuses(t, zip, memory, d, func() { d.do(t, zip) })
		}
	}
}

// flipLast spoils a name where a zip lists it, which is its last place.
func flipLast(name string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		at := bytes.LastIndex(data, []byte(name))
		if err != nil || at < 0 {
			t.Fatalf("%s is not in the zip: %v", name, err)
		}
		data[at] ^= 1
		rewrite(t, path, data)
	}
}

// refuses puts a damaged release over a good one.
func (e *revisions) refuses(t *testing.T, at string, memory int64, d damage, do func()) {
	t.Helper()
	e.put(t, at, 0)
	var log logged
	opt := serve.Options{Memory: memory, Log: slog.New(slog.NewTextHandler(&log, nil))}
	f, err := serve.Follow(at, store.NewSource(at), opt)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	s := f.Server()
	base := "http://" + listening(t, s)
	_, before := fetch(t, client(t), base+"/manifest.json")

	e.put(t, at, 1)
	do()
	f.Look(false)
	text := log.String()
	if !strings.Contains(text, "new release refused; serving the previous one") || !strings.Contains(text, d.why) {
		t.Errorf("%s, memory %d: the log says %q, want %q", d.name, memory, text, d.why)
	}
	if _, now := fetch(t, client(t), base+"/manifest.json"); !bytes.Equal(now, before) {
		t.Errorf("%s, memory %d: another release is served", d.name, memory)
	}
	if _, err := serve.Follow(at, store.NewSource(at), serve.Options{Memory: memory}); err == nil ||
		!strings.Contains(err.Error(), d.why) {
		t.Errorf("%s, memory %d: a server begins with it, or says %v", d.name, memory, err)
	}
	f.Look(false)
	if strings.Count(log.String(), "refused") != 1 {
		t.Errorf("%s: it is refused again and again:\n%s", d.name, log.String())
	}

	// what is in its place is no release any more, and is not touched
	if d.in == "manifest.json" || d.in == "" {
		must.Do(t, os.RemoveAll(at))
	}
	e.put(t, at, 2)
	f.Look(false)
	if _, now := fetch(t, client(t), base+"/manifest.json"); bytes.Equal(now, before) {
		t.Errorf("%s, memory %d: the next good release is not served:\n%s", d.name, memory, log.String())
	}
}
