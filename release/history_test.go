package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/release"
)

const (
	signalHistory    = "history/signals/sig-example-rise.ndjson"
	signalHistories  = "history/signals.ndjson.zst"
	entityHistory    = "history/entities.ndjson.zst"
	statisticHistory = "history/healthcare-statistics/measles-cases.ndjson.zst"
)

// revised is three releases, in which a signal, an entity and a statistic have three versions.
func revised(t testing.TB) (all []map[string][]byte) {
	t.Helper()
	folder := starterFolder(t)
	var previous *release.Release
	for i, date := range []string{"2026-01-31", "2026-02-28", "2026-03-31"} {
		changed := maps.Clone(folder)
		if i > 0 {
			for _, path := range []string{
				"signals/sig-example-rise", "entities/ent-example-coverage", "healthcare-statistics/sta-example-cases-2025",
			} {
				path = "records/" + path + ".yaml"
				text := strings.NewReplacer(
					"version: 1", fmt.Sprintf("version: %d\nlicense: CC-BY-%d.0", i+1, i),
					"updated_date: 2026-01-10", "updated_date: "+date,
				).Replace(string(folder[path].Data))
				changed[path] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		files := makeFiles(t, changed, date, previous)
		if found := faults(t, files); len(found) > 0 {
			t.Fatalf("release %d: %v", i, found)
		}
		previous = open(t, files)
		all = append(all, files)
	}
	return all
}

// redactedOnce makes a release in which the first version of a signal is redacted.
func redactedOnce(t testing.TB) map[string][]byte {
	t.Helper()
	folder := starterFolder(t)
	before := open(t, makeFiles(t, folder, "2026-01-31", nil))
	const path = "records/signals/sig-example-rise.yaml"
	text := strings.NewReplacer("version: 1", "version: 2", "updated_date: 2026-01-10", "updated_date: 2026-02-28").Replace(string(folder[path].Data))
	folder[path] = &fstest.MapFile{Data: []byte(text + "license: CC-BY-4.0\n")}
	folder["redactions.yaml"] = &fstest.MapFile{
		Data: []byte("redactions: [{id: sig-example-rise, versions: 1, date: 2026-02-28, reason: A person was named.}]\n"),
	}
	return makeFiles(t, folder, "2026-02-28", before)
}

// TestHistory: every version that was published can be read, as the release of its time had it.
func TestHistory(t *testing.T) {
	all := revised(t)
	last := open(t, all[2])
	for id, path := range map[string]string{
		"sig-example-rise": "api/v1/signals.json", "ent-example-coverage": "api/v2/entities.json",
		"sta-example-cases-2025": "api/v1/healthcare-statistics.json", "ent-example-measles": "api/v2/entities.json",
	} {
		h := must.Get(last.History(id))(t)
		for i, files := range all {
			then := open(t, files)
			if on := h.ReleaseOn(then.Manifest.Date); on != i || h.Releases[i].Release != then.Manifest.Release {
				t.Errorf("on %s there is release %d", then.Manifest.Date, on)
			}
			record := must.Get(h.Read(*h.At(i)))(t)
			if !bytes.Contains(files[path], append([]byte("\n"), record...)) {
				t.Errorf("%s of release %d is %s", id, i, record)
			}
		}
	}
	h := must.Get(last.History("sig-example-rise"))(t)
	if h.ReleaseOn("2026-01-30") != -1 || h.ReleaseOn("2026-02-27") != 0 {
		t.Error("days between releases belong to the release before")
	}
	i := 0
	for v, err := range h.Earlier() {
		must.Do(t, err)
		want := h.Releases[i]
		if v.Release != want.Release || v.Date != want.Date || v.Number != int64(i+1) || *h.At(i) != v.SHA256 {
			t.Errorf("version %d is %+v", i, v)
		}
		i++
	}
	if i != 2 {
		t.Errorf("%d earlier versions", i)
	}
	if _, err := last.History("sig-example-none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	for _, path := range []string{"history/signals/sig-example-long.ndjson", "history/evidence.ndjson.zst"} {
		if all[2][path] != nil {
			t.Errorf("%s is there, and nothing changed", path)
		}
	}
	if !bytes.HasPrefix(all[2][statisticHistory], all[1][statisticHistory]) {
		t.Error("what was compressed is compressed again")
	}
}

// unpack decompresses a history.
func unpack(t testing.TB, data []byte) []byte {
	t.Helper()
	in := must.Get(compress.Zstandard.Reader(bytes.NewReader(data)))(t)
	var b bytes.Buffer
	must.Get(b.ReadFrom(in))(t)
	return b.Bytes()
}

// TestDamagedHistories: whatever is done to a history, with all digests of files made to fit, is
// found by what the events say.
func TestDamagedHistories(t *testing.T) {
	whole, tombs := revised(t)[2], redactedOnce(t)
	editLines := func(change func(lines [][]byte) [][]byte) func(data []byte) []byte {
		return func(data []byte) []byte { return bytes.Join(change(bytes.SplitAfter(data, []byte("\n"))), nil) }
	}
	first := editLines(func(lines [][]byte) [][]byte { return lines[1:] })
	twice := editLines(func(lines [][]byte) [][]byte { return slices.Insert(lines, 0, lines[0]) })
	redacted := editLines(func(lines [][]byte) [][]byte {
		var v release.Version
		must.Do(t, v.Parse(bytes.TrimSuffix(lines[0], []byte("\n"))))
		v.SHA256, v.Redacted, v.Reason = release.Digest{}, "2026-02-01", "None."
		return append([][]byte{v.Append(nil, true)}, lines[1:]...)
	})
	edited := func(data []byte) []byte { return bytes.Replace(data, []byte("made-up"), []byte("real   "), 1) }
	packed := func(change func([]byte) []byte) func([]byte) []byte {
		return func(data []byte) []byte { return encode(t, compress.Zstandard, change(unpack(t, data))) }
	}
	const notGiven = " does not match the history of its kind"
	for _, c := range []struct {
		name, path string
		change     func([]byte) []byte
		want       string
	}{
		{"version left out", signalHistory, first, signalHistory + notGiven},
		{"version twice", signalHistory, twice, signalHistory + notGiven},
		{"version edited", signalHistory, edited, signalHistory + notGiven},
		{"not JSON", signalHistory, func([]byte) []byte { return []byte("<html>\n") }, signalHistory + notGiven},
		{"signal left out", signalHistories, packed(first), "the version of sig-example-rise that release "},
		{"signal left out, and so", signalHistories, packed(first), signalHistory + notGiven},
		{"signal twice", signalHistories, packed(twice), signalHistories + " has a duplicate of version 1"},
		{"signal edited", signalHistories, packed(edited), "has version 1 of sig-example-rise, which no change event names"},
		{"signal redacted by nobody", signalHistories, packed(redacted), signalHistories + " has version 1 of sig-example-rise as redacted, but no change event says so"},
		{"signal redacted by nobody, and so", signalHistories, packed(redacted), "the version of sig-example-rise that release "},
		{"redacted version left out", signalHistories, packed(first), "version 1 of sig-example-rise was redacted, but no history says so"},
		{"packed version left out", entityHistory, packed(first), "the version of ent-example-coverage that release "},
		{"packed version twice", entityHistory, packed(twice), entityHistory + " has a duplicate of version 1"},
		{"packed version edited", statisticHistory, packed(edited), "has version 1 of sta-example-cases-2025, which no change event names"},
		{"not compressed", statisticHistory, func([]byte) []byte { return []byte("plain text") }, statisticHistory + ": "},
		{"release left out", layout.ReleasesPath, func(data []byte) []byte {
			return editLines(func(lines [][]byte) [][]byte { return slices.Delete(lines, 2, 3) })(data)
		}, "does not follow release"},
		{"release edited", layout.ReleasesPath, func(data []byte) []byte {
			i := bytes.LastIndex(data, []byte(`"title":"`)) + len(`"title":"`)
			return append(append(bytes.Clone(data[:i]), "Other "...), data[i:]...)
		}, "does not end with this release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := maps.Clone(whole)
			if strings.HasPrefix(c.name, "redacted") {
				files = maps.Clone(tombs)
			}
			files[c.path] = c.change(files[c.path])
			resealHistories(t, files)
			compressAgain(t, files, c.path)
			reseal(t, files, nil)
			found := faults(t, files)
			if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// TestPackThatGrows: a few kilobytes that become many take little memory to be refused.
func TestPackThatGrows(t *testing.T) {
	whole := revised(t)[2]
	const line = `{"release":"0123456789ab","date":"2026-01-01","record":{"id":"a","kind":"entity","version":1,"title":""}}` + "\n"
	for name, data := range map[string][]byte{
		"many lines":    bytes.Repeat([]byte(line), 1<<20),
		"one long line": append(bytes.Repeat([]byte(" "), 60<<20), line...),
	} {
		files := maps.Clone(whole)
		files[entityHistory] = encode(t, compress.Zstandard, data)
		if n := len(files[entityHistory]); n > 64<<10 {
			t.Fatalf("%s: %d bytes", name, n)
		}
		reseal(t, files, nil)
		r := open(t, files)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := r.Verify(t.Context(), nil)
		runtime.ReadMemStats(&after)
		if err != nil || len(found.Faults) == 0 || len(found.Faults) > 10 {
			t.Errorf("%s: %d faults, %v", name, len(found.Faults), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
			t.Errorf("%s: %d MiB", name, took>>20)
		}
	}
}

// TestHistoriesAsListed: histories are the files that their listing has, and it has nothing else.
func TestHistoriesAsListed(t *testing.T) {
	whole := revised(t)[2]
	replace := func(path, old, now string) func(t *testing.T, files map[string][]byte) {
		return func(t *testing.T, files map[string][]byte) {
			data := bytes.ReplaceAll(files[path], []byte(old), []byte(now))
			if bytes.Equal(data, files[path]) {
				t.Fatalf("%s has no %q", path, old)
			}
			files[path] = data
			compressAgain(t, files, path)
			reseal(t, files, nil)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, files map[string][]byte)
		want   string
	}{
		{"a file without a line", func(_ *testing.T, files map[string][]byte) {
			files["history/signals/sig-stray.ndjson"] = files[signalHistory]
		}, "history/signals/sig-stray.ndjson does not belong to the release"},
		{"a line without a file", func(_ *testing.T, files map[string][]byte) {
			delete(files, signalHistory)
		}, "cannot read " + signalHistory},
		{"another file", func(_ *testing.T, files map[string][]byte) {
			files[signalHistory] = bytes.ToUpper(files[signalHistory])
		}, signalHistory + ": wrong digest"},
		{"a longer file", func(_ *testing.T, files map[string][]byte) {
			files[signalHistory] = append(bytes.Clone(files[signalHistory]), '\n')
		}, signalHistory + ": wrong size"},
		{"another line", func(_ *testing.T, files map[string][]byte) {
			files[layout.HistoriesPath] = bytes.ToUpper(files[layout.HistoriesPath])
		}, layout.HistoriesPath + ": wrong digest"},
		{"no listing", func(_ *testing.T, files map[string][]byte) {
			delete(files, layout.HistoriesPath)
		}, "cannot read " + layout.HistoriesPath},
		{
			"a listing of something else", replace(layout.HistoriesPath, `"records":[`, `"records":{`),
			layout.HistoriesPath + ": malformed beginning of a list of records",
		},
		{"no line at all", func(t *testing.T, files map[string][]byte) {
			first, _, _ := bytes.Cut(files[layout.HistoriesPath], []byte("\n"))
			files[layout.HistoriesPath] = append(bytes.Clone(first), "\n]}\n"...)
			compressAgain(t, files, layout.HistoriesPath)
			reseal(t, files, nil)
		}, signalHistory + " is missing in the listing, but the history of its kind contains it"},
		{
			"a page among them", replace(layout.HistoriesPath, `"history/signals/`, `"signals/`),
			"signals/sig-example-rise.ndjson does not belong in " + layout.HistoriesPath,
		},
		{"histories among the pages", func(t *testing.T, files map[string][]byte) {
			files[layout.PagesPath] = files[layout.HistoriesPath]
			reseal(t, files, func(m *release.Manifest) {
				m.Pages = layout.PagesPath
				f := *m.File(layout.HistoriesPath)
				f.Path, f.Variants = layout.PagesPath, nil
				m.Files = append(m.Files, f)
				slices.SortFunc(m.Files, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
			})
		}, signalHistory + " does not belong in " + layout.PagesPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := maps.Clone(whole)
			c.change(t, files)
			found := faults(t, files)
			if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// resealHistories gives the listing of histories the digests of the files as they are.
func resealHistories(t testing.TB, files map[string][]byte) {
	t.Helper()
	lines := bytes.Split(files[layout.HistoriesPath], []byte("\n"))
	for i, line := range lines[1 : len(lines)-2] {
		var f release.File
		must.Do(t, json.Unmarshal(bytes.TrimSuffix(line, []byte(",")), &f))
		for _, v := range f.Variants {
			delete(files, v.Path)
		}
		data := files[f.Path]
		line = fmt.Appendf(nil, `{"path":%q,"size":%d,"sha256":"%x"}`, f.Path, len(data), sha256.Sum256(data))
		if i < len(lines)-4 {
			line = append(line, ',')
		}
		lines[i+1] = line
	}
	files[layout.HistoriesPath] = bytes.Join(lines, []byte("\n"))
	compressAgain(t, files, layout.HistoriesPath)
}

// TestPackName: whatever a member holds, it becomes a part of a path.
func TestPackName(t *testing.T) {
	for text, want := range map[string]string{
		"mcv1": "mcv1", "MCV1": "mcv1", "WHS4_100": "whs4_100", "a/b.c": "a-b-c", "é": "--", "": "-", "..": "--",
		strings.Repeat("x", 300): strings.Repeat("x", 100),
	} {
		if got := layout.PackName(text); got != want || !layout.ValidPath(got+layout.HistoryPack) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
