package release_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/hostile"
	"stele/internal/testkit/must"
	"stele/release"
)

const (
	signals = "api/v1/signals.json"
	signal  = "api/v1/signals/sig-example-rise.json"
	long    = "api/v1/signals/sig-example-long.json"
	edges   = "api/v1/graph-edges.json"
)

// faults verifies files in memory.
func faults(t testing.TB, files map[string][]byte) []string {
	t.Helper()
	r, err := release.Open(context.Background(), inMemory(files))
	if err != nil {
		return []string{err.Error()}
	}
	report := must.Get(r.Verify(t.Context(), nil))(t)
	return texts(report)
}

// texts are the faults of a report.
func texts(report *release.Report) (list []string) {
	for _, f := range report.Faults {
		list = append(list, f.String())
	}
	return list
}

// faultsInZip packs files with the standard library and verifies the zip on disk.
func faultsInZip(t testing.TB, files map[string][]byte) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.zip")
	var entries []hostile.Entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, hostile.Text(name, string(files[name])))
	}
	hostile.WriteZip(t, path, zip.Store, entries...)
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return []string{err.Error()}
	}
	defer closeRelease()
	report := must.Get(r.Verify(t.Context(), nil))(t)
	return texts(report)
}

func TestVerifyFindsNothing(t *testing.T) {
	files := small(t)
	var last, end int64
	report, err := open(t, files).Verify(t.Context(), func(done, total int64) {
		if done < last || done > total || end != 0 && end != total {
			t.Errorf("after %d of %d come %d of %d", last, end, done, total)
		}
		last, end = done, total
	})
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("found %q, %v", report.Faults, err)
	}
	if report.Files != len(files) || report.Records < 40 || last != end || end == 0 {
		t.Errorf("%d files of %d, %d records, %d bytes of %d", report.Files, len(files), report.Records, last, end)
	}
	if found := faultsInZip(t, files); len(found) > 0 {
		t.Errorf("in a zip: %q", found)
	}
}

// TestDamageAnywhere: a byte that is another, an end that is cut off or a file that is not there is
// found in every file, and the file is named.
func TestDamageAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	whole := small(t)
	variants := 0
	for path, data := range whole {
		if path == layout.ManifestPath {
			continue
		}
		// variants of single records are pinned by what they decode to
		pinned := !strings.Contains(path, "signals/sig-example-long.json.")
		damages := map[string][]byte{}
		if len(data) > 0 {
			flipped := bytes.Clone(data)
			flipped[len(flipped)/2] ^= 0x20
			damages["flipped"], damages["truncated"], damages["empty"] = flipped, data[:len(data)-1], nil
		}
		damages["longer"] = append(bytes.Clone(data), ' ')
		for name, damaged := range damages {
			files := maps.Clone(whole)
			files[path] = damaged
			if found := faults(t, files); !slices.ContainsFunc(
				found,
				func(f string) bool { return strings.Contains(f, path) },
			) {
				t.Errorf("%s, %s: found %q", path, name, found)
			}
		}
		if !pinned {
			variants++
			continue
		}
		files := maps.Clone(whole)
		delete(files, path)
		if found := faults(t, files); !slices.ContainsFunc(
			found,
			func(f string) bool { return strings.Contains(f, path) },
		) {
			t.Errorf("%s is missing: found %q", path, found)
		}
	}
	if variants != len(compress.Encodings) {
		t.Errorf("%d variants of single records", variants)
	}
}

// reseal lets manifest and listing agree with files that were changed on purpose.
func reseal(t testing.TB, files map[string][]byte, change func(m *release.Manifest)) {
	t.Helper()
	m := new(release.Manifest)
	must.Do(t, m.Decode(files[layout.ManifestPath]))
	for i := range m.Files {
		f := &m.Files[i]
		data := files[f.Path]
		f.Size, f.SHA256 = int64(len(data)), sha256.Sum256(data)
		for j := range f.Variants {
			v := &f.Variants[j]
			v.Size, v.SHA256 = int64(len(files[v.Path])), sha256.Sum256(files[v.Path])
		}
	}
	if change != nil {
		change(m)
	}
	data := must.Get(m.Encode())(t)
	files[layout.ManifestPath] = data
}

// compressAgain makes the variants of a file anew.
func compressAgain(t testing.TB, files map[string][]byte, path string) {
	t.Helper()
	for _, e := range compress.Encodings {
		if _, ok := files[path+e.Suffix]; ok {
			files[path+e.Suffix] = encode(t, e, files[path])
		}
	}
}

func encode(t testing.TB, e compress.Encoding, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, e.Encode(&b, bytes.NewReader(data), int64(len(data))))
	return b.Bytes()
}

// TestVerifyFinds damages a release so that sizes and digests in the manifest are right, and only
// what they say together is wrong.
func TestVerifyFinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, files map[string][]byte)
		want   string
	}{
		{"stray file", func(t *testing.T, files map[string][]byte) { files["api/v1/notes.json"] = nil }, "api/v1/notes.json does not belong to the release"},
		{"stray record", func(t *testing.T, files map[string][]byte) { files["api/v1/signals/sig-other.json"] = files[signal] }, "api/v1/signals/sig-other.json does not belong to the release"},
		{"stray variant", func(t *testing.T, files map[string][]byte) { files["_headers.gz"] = files["_headers"] }, "_headers.gz does not belong to the release"},
		{"variant of another file", func(t *testing.T, files map[string][]byte) {
			files[signals+".br"] = files[edges+".br"]
			reseal(t, files, nil)
		}, signals + ".br (decoded): wrong size"},
		{"variant that is none", func(t *testing.T, files map[string][]byte) {
			files[signals+".gz"] = []byte("plain text")
			reseal(t, files, nil)
		}, "cannot decode " + signals + ".gz"},
		{"variant of another text of the same length", func(t *testing.T, files map[string][]byte) {
			other := bytes.Replace(files[signals], []byte("page 12"), []byte("page 13"), 1)
			e, _ := compress.Named("zstd")
			files[signals+".zst"] = encode(t, e, other)
			reseal(t, files, nil)
		}, signals + ".zst (decoded): wrong digest"},
		{"single variant of another text", func(t *testing.T, files map[string][]byte) {
			e, _ := compress.Named("br")
			files[long+".br"] = encode(t, e, bytes.Replace(files[long], []byte("page 12"), []byte("page 13"), 1))
		}, long + ".br (decoded): wrong digest"},
		{"unknown encoding", func(t *testing.T, files map[string][]byte) {
			reseal(t, files, func(m *release.Manifest) { m.File(signals).Variants[0].Encoding = "lzma" })
		}, `unknown encoding "lzma"`},
		{"single record", func(t *testing.T, files map[string][]byte) { replace(t, files, signal, "page 12", "page 13") }, "OUT01: " + signal + " differs from the record in " + signals},
		{"record in the collection", func(t *testing.T, files map[string][]byte) {
			files[signals] = bytes.Replace(files[signals], []byte("made-up example of a signal"), []byte("made-up example of a Signal"), 1)
			compressAgain(t, files, signals)
			reseal(t, files, nil)
		}, "of " + signals + " does not match index/signals.json"},
		{"count in the collection", func(t *testing.T, files map[string][]byte) {
			replace(t, files, signals, `"count":2`, `"count":3`)
			compressAgain(t, files, signals)
			reseal(t, files, nil)
		}, `OUT02: ` + signals + ` says that it contains 3 of "signal", but it contains 2`},
		{"date of the collection", func(t *testing.T, files map[string][]byte) {
			replace(t, files, signals, `"as_of":"2026-01-10"`, `"as_of":"2026-01-09"`)
			compressAgain(t, files, signals)
			reseal(t, files, nil)
		}, `OUT03: ` + signals + ` says as of "2026-01-09", but its latest date is "2026-01-10"`},
		{"title in the listing", func(t *testing.T, files map[string][]byte) {
			files["index/signals.json"] = bytes.Replace(files["index/signals.json"], []byte(`"title":"`), []byte(`"title":"Not `), 1)
			reseal(t, files, nil)
		}, "does not match index/signals.json"},
		{"date in the listing", func(t *testing.T, files map[string][]byte) {
			files["index/signals.json"] = bytes.Replace(files["index/signals.json"], []byte(`"updated_date":"2026-01-10"`), []byte(`"updated_date":"2026-01-09"`), 1)
			reseal(t, files, nil)
		}, "does not match index/signals.json"},
		{"kind of the collection", func(t *testing.T, files map[string][]byte) {
			replace(t, files, "api/v2/opportunities.json", `{"kind":"opportunity","count"`, `{"kind":"recommendation","count"`)
			compressAgain(t, files, "api/v2/opportunities.json")
			reseal(t, files, nil)
		}, `OUT02: api/v2/opportunities.json says that it contains 1 of "recommendation"`},
		{"count in the manifest", func(t *testing.T, files map[string][]byte) {
			reseal(t, files, func(m *release.Manifest) { m.Kind("signal").Count = 3 })
		}, "OUT02: " + signals + " contains 2 records, but the manifest says 3"},
		{"count of derived records", func(t *testing.T, files map[string][]byte) {
			reseal(t, files, func(m *release.Manifest) { m.Kind("graph_node").Derived-- })
		}, "OUT02: index/graph-nodes.json lists 1 records, but the publisher wrote 2"},
		{"record too many in the collection", func(t *testing.T, files map[string][]byte) {
			files[signals] = bytes.Replace(files[signals], []byte("\n]}"), []byte(",\n{\"id\":\"sig-new\",\"version\":1}\n]}"), 1)
			compressAgain(t, files, signals)
			reseal(t, files, func(m *release.Manifest) { m.Kind("signal").Count = 3 })
		}, "OUT02: index/signals.json lists 2 records, but the publisher wrote 3"},
		{"record too many in the listing", func(t *testing.T, files map[string][]byte) {
			files["index/signals.json"] = bytes.Replace(files["index/signals.json"], []byte("\n]}"), []byte(",\n{\"id\":\"sig-new\",\"version\":1,\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\"}\n]}"), 1)
			reseal(t, files, nil)
		}, "OUT02: index/signals.json lists more records than " + signals + " contains"},
		{"listing of another version", func(t *testing.T, files map[string][]byte) {
			files["index/signals.json"] = bytes.Replace(files["index/signals.json"], []byte(`"version":1`), []byte(`"version":2`), 1)
			reseal(t, files, nil)
		}, "does not match index/signals.json"},
		{"dangling edge", func(t *testing.T, files map[string][]byte) {
			files[edges] = bytes.Replace(files[edges], []byte(`"target":"ent-example-measles"`), []byte(`"target":"ent-example-rubella"`), 1)
			compressAgain(t, files, edges)
			reseal(t, files, nil)
		}, "ends at ent-example-rubella, which is not a node"},
		{"collection that is none", func(t *testing.T, files map[string][]byte) {
			files[edges] = []byte("{}\n")
			compressAgain(t, files, edges)
			reseal(t, files, nil)
		}, edges + ": malformed beginning of a list of records"},
		{"collection that does not end", func(t *testing.T, files map[string][]byte) {
			files[edges] = bytes.TrimSuffix(files[edges], []byte("]}\n"))
			compressAgain(t, files, edges)
			reseal(t, files, nil)
		}, edges + ": malformed end of a list of records"},
		{"title in the manifest", editManifest(func(m *release.Manifest) { m.Title = "Other" }), "manifest.json does not match this content"},
		{"notice in the manifest", editManifest(func(m *release.Manifest) { m.Notice = "" }), "manifest.json does not match this content"},
		{"base_url in the manifest", editManifest(func(m *release.Manifest) { m.BaseURL = "https://evil.example.org" }), "manifest.json does not match this content"},
		{"license in the manifest", editManifest(func(m *release.Manifest) { m.License = "CC0-1.0" }), "manifest.json does not match this content"},
		{"content in the manifest", editManifest(func(m *release.Manifest) { m.Content[0] ^= 1 }), "manifest.json does not match this content"},
		{"ID in the manifest", editManifest(func(m *release.Manifest) { m.Release = "000000000000" }), "manifest.json says that this is release 000000000000, but its content gives the ID "},
		{"previous release in the manifest", editManifest(func(m *release.Manifest) { m.Previous = &release.Previous{Release: "0123456789ab", Date: "2026-01-01"} }), "manifest.json says that this is release "},
		{"digest in the manifest", editManifest(func(m *release.Manifest) { m.Files[3].SHA256[0] ^= 1 }), "wrong digest"},
		{"size in the manifest", editManifest(func(m *release.Manifest) { m.Files[3].Size++ }), "wrong size"},
		{"file left out of the manifest", editManifest(func(m *release.Manifest) {
			m.Files = slices.DeleteFunc(m.Files, func(f release.File) bool { return f.Path == "404.html" })
		}), "404.html does not belong to the release"},
		{"variants left out of the manifest", editManifest(func(m *release.Manifest) { m.File(edges).Variants = nil }), edges + ".br does not belong to the release"},
		{"collection left out of the manifest", editManifest(func(m *release.Manifest) {
			m.Files = slices.DeleteFunc(m.Files, func(f release.File) bool { return f.Path == edges })
		}), "the files of graph_edge"},
		{"kind left out of the manifest", editManifest(func(m *release.Manifest) {
			m.Kinds = slices.DeleteFunc(m.Kinds, func(k release.Kind) bool { return k.Kind == "signal" })
		}), signal + " does not belong to the release"},
		{"address of single records", editManifest(func(m *release.Manifest) { m.Kind("signal").Single = "../{signal_id}.json" }), "invalid path of the single records of signal"},
		{"an event of before", func(t *testing.T, files map[string][]byte) {
			const changes = "api/v1/changes.json"
			replace(t, files, changes, `"release":"example-1"`, `"release":"example-2"`)
			old := release.Digest(sha256.Sum256(lineOf(t, small(t), changes, 0))).String()
			replace(t, files, "index/changes.json", old, release.Digest(sha256.Sum256(lineOf(t, files, changes, 0))).String())
			compressAgain(t, files, changes)
			reseal(t, files, nil)
		}, "manifest.json says that this is release "},
		{"empty manifest", func(t *testing.T, files map[string][]byte) { files[layout.ManifestPath] = []byte("{}") }, "manifest.json is not the manifest of a Stele release"},
		{"manifest that is no JSON", func(t *testing.T, files map[string][]byte) { files[layout.ManifestPath] = []byte("<html>") }, "manifest.json: invalid character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := small(t)
			c.damage(t, files)
			for where, found := range map[string][]string{"memory": faults(t, files), "zip": faultsInZip(t, files)} {
				if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
					t.Errorf("%s: found %q, want %q", where, found, c.want)
				}
			}
		})
	}
}

func editManifest(change func(m *release.Manifest)) func(*testing.T, map[string][]byte) {
	return func(t *testing.T, files map[string][]byte) {
		m := new(release.Manifest)
		must.Do(t, m.Decode(files[layout.ManifestPath]))
		change(m)
		data := must.Get(m.Encode())(t)
		files[layout.ManifestPath] = data
	}
}

// lineOf is a record of a collection.
func lineOf(t testing.TB, files map[string][]byte, path string, i int) []byte {
	t.Helper()
	var c struct{ Records []json.RawMessage }
	must.Do(t, json.Unmarshal(files[path], &c))
	return c.Records[i]
}

// TestFlippedZip flips bytes of a zip as the program writes it: whatever comes of that, it is found
// or it changes nothing that is read.
func TestFlippedZip(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	path := filepath.Join(t.TempDir(), "release.zip")
	w := must.Get(store.NewWriter(path))(t)
	files := small(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		must.Do(t, w.Put(name, files[name]))
	}
	must.Do(t, w.Commit())
	whole := must.Get(os.ReadFile(path))(t)
	directory := bytes.Index(whole, []byte{0x50, 0x4b, 0x01, 0x02})
	found := 0
	for at := 0; at < len(whole); at++ {
		// every byte of the records at the end
		if at < directory && at%7001 != 0 || at >= directory && at%71 != 0 && at < len(whole)-98 {
			continue
		}
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x41
		must.Do(t, os.WriteFile(path, damaged, 0o644))
		if verifyZip(t, path) {
			found++
			continue
		}
		for name, want := range files { // so it must be whole
			if got := readZip(t, path, name); !bytes.Equal(got, want) {
				t.Fatalf("byte %d of %d: %s is damaged, and that was not found", at, len(whole), name)
			}
		}
	}
	if found < 50 {
		t.Errorf("%d damages were found", found)
	}
}

// verifyZip reports whether anything is wrong with a zip.
func verifyZip(t *testing.T, path string) bool {
	t.Helper()
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return true
	}
	defer closeRelease()
	report, err := r.Verify(t.Context(), nil)
	return err != nil || len(report.Faults) > 0
}

func readZip(t *testing.T, path, name string) []byte {
	t.Helper()
	r, closeRelease, err := store.Open(path)
	must.Do(t, err)
	defer closeRelease()
	data := must.Get(fs.ReadFile(r.Files, name))(t)
	return data
}
