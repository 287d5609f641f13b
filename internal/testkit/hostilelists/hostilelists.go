// Package hostilelists has releases whose lists are not as they should be, for tests of what reads them.
package hostilelists

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

const signal = "records/signals/sig-example-rise.yaml"

// Releases are two releases, the second with a changed record.
func Releases(t testing.TB) (list []fstest.MapFS) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	opt := publish.Options{NoVariants: true}
	for i, day := range []string{"2026-02-01", "2026-02-02"} {
		if i > 0 {
			text := strings.Replace(string(folder[signal].Data), "version: 1\n", "version: 2\nx_note: more\n", 1)
			text = strings.Replace(text, "updated_date: 2026-01-10", "updated_date: "+day, 1)
			folder[signal] = &fstest.MapFile{Data: []byte(text)}
		}
		opt.Date = record.Date(day)
		m := store.NewMemory()
		outcome := must.Get(publish.Build(t.Context(), folder, m, opt))(t)
		if outcome.Manifest == nil {
			t.Fatalf("no release: %v", outcome.Check.Problems)
		}
		files := fstest.MapFS{}
		for path, data := range m.All() {
			files[path] = &fstest.MapFile{Data: data}
		}
		opt.Previous = must.Get(release.Open(t.Context(), files))(t)
		list = append(list, files)
	}
	return list
}

// lists are what a service can do to a list of lines.
var lists = map[string]func(head string, lines []string) []string{
	"empty": func(string, []string) []string { return nil },
	"reversed": func(_ string, lines []string) []string {
		lines = slices.Clone(lines)
		slices.Reverse(lines)
		return lines
	},
	"repeated": func(_ string, lines []string) []string { return slices.Concat(lines, lines, lines) },
	"endless": func(_ string, lines []string) []string {
		return slices.Repeat(lines[:min(1, len(lines))], 4000)
	},
	"first": func(_ string, lines []string) []string { return lines[:min(1, len(lines))] },
	"last":  func(_ string, lines []string) []string { return lines[max(0, len(lines)-1):] },
	"null":  func(string, []string) []string { return []string{"null", "{}", "[]", "1"} },
}

// Each yields the second of two releases with one list changed to what no release has: empty,
// shuffled, repeated, cut, of other types, or of the first release. The manifest fits the list.
func Each(t testing.TB, first, second fstest.MapFS) iter.Seq2[string, fstest.MapFS] {
	t.Helper()
	is := must.Get(release.Open(t.Context(), second))(t).Manifest
	paths := []string{layout.ReleasesPath, layout.StandingPath, is.Histories}
	for _, k := range []string{record.KindSignal, record.KindChangeEvent} {
		paths = append(paths, is.Kind(k).Collection, is.Kind(k).Listing)
	}
	return func(yield func(string, fstest.MapFS) bool) {
		for _, path := range paths {
			data := second[path].Data
			head, rest, _ := strings.Cut(string(data), "\n")
			lines := strings.Split(strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\n]}"), ",\n")
			texts := map[string]string{"of another release": string(first[path].Data), "cut": string(data[:len(data)/2])}
			for name, change := range lists {
				texts[name] = head + "\n" + strings.Join(change(head, lines), ",\n") + "\n]}\n"
			}
			for name, text := range texts {
				if text != string(data) && !yield(path+" "+name, Replaced(t, second, path, []byte(text))) {
					return
				}
			}
		}
	}
}

// Replaced is a release with another file, and a manifest that describes it.
func Replaced(t testing.TB, files fstest.MapFS, path string, data []byte) fstest.MapFS {
	t.Helper()
	changed := fstest.MapFS{}
	for name, f := range files {
		changed[name] = f
	}
	changed[path] = &fstest.MapFile{Data: data}
	var m release.Manifest
	must.Do(t, m.Decode(files[layout.ManifestPath].Data))
	m.File(path).Size, m.File(path).SHA256 = int64(len(data)), sha256.Sum256(data)
	changed[layout.ManifestPath] = &fstest.MapFile{Data: must.Get(m.Encode())(t)}
	return changed
}
