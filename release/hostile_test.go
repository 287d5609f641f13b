package release

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
)

// hostileManifest is one that reads well but for what is changed in it.
func hostileManifest(t testing.TB, change func(m map[string]any)) []byte {
	t.Helper()
	sum := strings.Repeat("0", 64)
	file := func(path string) map[string]any { return map[string]any{"path": path, "size": 1, "sha256": sum} }
	m := map[string]any{
		"format": layout.Format, "release": "0123456789ab", "date": "2026-01-01", "content": sum,
		"kinds": []map[string]any{{"kind": "signal", "count": 1, "collection": "c", "index": "i", "single": "s/{signal_id}.json"}},
		"files": []map[string]any{file("c"), file("d"), file("i")},
	}
	if change != nil {
		change(m)
	}
	data := must.Get(json.Marshal(m))(t)
	return data
}

// TestHostileManifest: nothing of a manifest becomes a path outside of the release, a header line,
// or work without end.
func TestHostileManifest(t *testing.T) {
	must.Do(t, new(Manifest).Decode(hostileManifest(t, nil)))
	kind := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m["kinds"].([]map[string]any)[0][name] = value }
	}
	file := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m["files"].([]map[string]any)[1][name] = value }
	}
	member := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[name] = value }
	}
	variant := func(path string) map[string]any {
		return map[string]any{"encoding": "gzip", "path": path, "size": 1, "sha256": strings.Repeat("0", 64)}
	}
	for name, change := range map[string]func(map[string]any){
		"header line in single":     kind("single", "x\r\nSet-Cookie: a=b\r\n{id}.json"),
		"header line in its name":   kind("single", "s/{a\r\nb}.json"),
		"single above the release":  kind("single", "../{id}.json"),
		"absolute single":           kind("single", "/etc/{id}.json"),
		"single without end":        kind("single", "s/{id.json"),
		"single of two IDs":         kind("single", "s/{id}/{id}.json"),
		"name of a kind":            kind("kind", "signal\r\n"),
		"negative count":            kind("count", -1),
		"more derived than counted": kind("derived", 2),
		"file above the release":    file("path", "d/../../x.sh"),
		"absolute file":             file("path", "/d"),
		"file with a line end":      file("path", "d\r\nx"),
		"file listed twice":         file("path", "c"),
		"files out of order":        file("path", "z"),
		"manifest in itself":        file("path", layout.ManifestPath),
		"negative size":             file("size", -1),
		"size of a petabyte":        file("size", int64(1)<<50),
		"variant elsewhere":         file("variants", []any{variant("../d.gz")}),
		"variant of another":        file("variants", []any{variant("c.gz")}),
		"variant twice":             file("variants", []any{variant("d.gz"), variant("d.gz")}),
		"release ID with a line":    member("release", "a\r\nb"),
		"release ID with a path":    member("release", "../x"),
		"date that is none":         member("date", "2026-01-01\r\nx"),
		"title with a line end":     member("title", "a\r\nb"),
		"license with a line end":   member("license", "a\nb"),
		"pages that are not there":  member("pages", "../pages.json"),
		"no listing of histories":   member("histories", "index/histories.json"),
		"records among the pages": func(m map[string]any) {
			collection := m["kinds"].([]map[string]any)[0]["collection"]
			m["histories"], m["pages"] = collection, collection
		},
		"previous release": member("previous", map[string]any{"release": "\r\n", "date": "2026-01-01"}),
		"40,000 kinds": func(m map[string]any) {
			var kinds []map[string]any
			for i := range 40_000 {
				kinds = append(kinds, map[string]any{"kind": fmt.Sprintf("k%d", i), "collection": "c", "index": "i"})
			}
			m["kinds"] = kinds
		},
		"the same kind twice": func(m map[string]any) {
			m["kinds"] = append(m["kinds"].([]map[string]any), m["kinds"].([]map[string]any)[0])
		},
		"too large": member("notice", strings.Repeat("x", layout.MaxManifest)),
	} {
		m := new(Manifest)
		if err := m.Decode(hostileManifest(t, change)); err == nil {
			t.Errorf("%s is accepted: %+v", name, m)
		}
	}
}

// FuzzManifest: whatever is accepted can be written and read again, and has no path or text that
// could become another header line.
func FuzzManifest(f *testing.F) {
	f.Add(hostileManifest(f, nil))
	f.Add(hostileManifest(f, func(m map[string]any) { m["previous"] = map[string]any{"release": "a", "date": "2026-01-01"} }))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Manifest
		if err := m.Decode(data); err != nil {
			return
		}
		for _, k := range m.Kinds {
			if k.Single != "" && !layout.ValidPath(k.SinglePath("id")) {
				t.Errorf("single %q", k.Single)
			}
		}
		for _, file := range m.Files {
			if !layout.ValidPath(file.Path) || file.Size < 0 {
				t.Errorf("file %+v", file)
			}
		}
		again := must.Get(m.Encode())(t)
		if err := new(Manifest).Decode(again); err != nil && len(again) <= layout.MaxManifest {
			t.Errorf("it is refused once written again: %v", err)
		}
	})
}

// FuzzListings: a line of a listing either is refused, or has a path or an ID of the narrow form.
func FuzzListings(f *testing.F) {
	for _, line := range entryLines {
		f.Add([]byte(line.text))
	}
	for _, line := range fileLines {
		f.Add([]byte(line.text))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l := Line{Text: line}
		if e, err := l.Entry(); err == nil && !layout.ValidID(e.ID) {
			t.Errorf("%q has the ID %q", line, e.ID)
		}
		if id, _, err := l.Pin(); err == nil && !layout.ValidID(id) {
			t.Errorf("%q pins %q", line, id)
		}
		if file, err := l.File(); err == nil && (!layout.ValidPath(file.Path) || file.Size < 0) {
			t.Errorf("%q has the file %+v", line, file)
		}
	})
}
