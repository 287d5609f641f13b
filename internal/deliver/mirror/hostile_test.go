package mirror_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/compile/restore"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/mirror"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// The tests here are of all that reads the lists of other people's releases.

const signal = "records/signals/sig-example-rise.yaml"

// releases are two releases, the second with a changed record.
func releases(t *testing.T) (list []fstest.MapFS) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	opt := compiler.Options{NoVariants: true}
	for i, day := range []string{"2026-02-01", "2026-02-02"} {
		if i > 0 {
			text := strings.Replace(string(folder[signal].Data), "version: 1\n", "version: 2\nx_note: more\n", 1)
			text = strings.Replace(text, "updated_date: 2026-01-10", "updated_date: "+day, 1)
			folder[signal] = &fstest.MapFile{Data: []byte(text)}
		}
		opt.Date = record.Date(day)
		made := must.Get(specimen.Build(folder, opt))(t)
		opt.Previous = made.Release
		list = append(list, made.MapFS())
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

// hostile yields the second of two releases with one list changed to what no release has: empty,
// shuffled, repeated, cut, of other types, or of the first release. The manifest fits the list.
func hostile(t *testing.T, first, second fstest.MapFS) iter.Seq2[string, fstest.MapFS] {
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
				if text != string(data) && !yield(path+" "+name, replaced(t, second, path, []byte(text))) {
					return
				}
			}
		}
	}
}

// replaced is a release with another file, and a manifest that describes it.
func replaced(t *testing.T, files fstest.MapFS, path string, data []byte) fstest.MapFS {
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

// TestHostileLists: whatever a service says in its lists, restore, show and verify end with an
// answer or an error.
func TestHostileLists(t *testing.T) {
	both := releases(t)
	for name, files := range hostile(t, both[0], both[1]) {
		use(t, name, files)
	}
}

// use does with a release what users do.
func use(t *testing.T, name string, files fs.FS) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", name, p)
		}
	}()
	r, err := release.Open(t.Context(), files)
	if err != nil {
		return
	}
	if report, err := r.Verify(context.Background(), nil); err == nil && len(report.Faults) == 0 {
		t.Errorf("%s: verify finds nothing", name)
	}
	for _, day := range []string{"2025-01-01", "2026-02-01", "2026-02-02", "2030-01-01"} {
		restore.ToFolder(t.Context(), r, day, filepath.Join(t.TempDir(), "restored")) // it may fail
		if h, err := r.History("sig-example-rise"); err == nil {
			restore.Version(h, day, 0)
			restore.Version(h, "", 1)
		}
	}
}

// TestNamedFiles: of the files that settings name, restore writes logos and style sheets only.
func TestNamedFiles(t *testing.T) {
	files := releases(t)[1]
	for _, c := range []struct {
		member, name string
		ok           bool
	}{
		{"logo", "logo.svg", true},
		{"logo", "pictures/our logo.PNG", true},
		{"style", "brand.css", true},
		{"logo", ".github/workflows/x.yml", false},
		{"logo", ".git/hooks/post-checkout", false},
		{"logo", ".GITHUB/logo.svg", false},
		{"logo", "a/.b/logo.svg", false},
		{"style", ".envrc", false},
		{"style", "Makefile", false},
		{"logo", "brand.css", false},
		{"style", "logo.svg", false},
		{"logo", "records/x.svg", false},
		{"logo", "Records/x.svg", false},
		{"logo", "recordſ/x.svg", false},
		{"logo", "\u200crecords/x.svg", false},
		{"logo", "git~1/x.svg", false},
		{"logo", "stele.yaml", false},
		{"logo", "redactions.yaml", false},
		{"logo", "../x.svg", false},
		{"logo", "a/../x.svg", false},
		{"logo", `a\x.svg`, false},
		{"logo", "c:x.svg", false},
		{"logo", "a./x.svg", false},
	} {
		list := string(files[layout.ReleasesPath].Data)
		was := strings.Index(list, `"settings":{`)
		if was < 0 {
			at := strings.Index(list, `"kinds":[`)
			list, was = list[:at]+`"settings":{},`+list[at:], at
		}
		settings := fmt.Sprintf(`"settings":{%q:%q,"%[1]s_data":"eA==",`, c.member, c.name)
		rest := strings.TrimPrefix(list[was:], `"settings":{`)
		list = strings.ReplaceAll(list[:was]+settings+rest, ",}", "}")
		r := must.Get(release.Open(t.Context(), replaced(t, files, layout.ReleasesPath, []byte(list))))(t)
		folder := filepath.Join(t.TempDir(), "restored")
		_, _, _, err := restore.ToFolder(t.Context(), r, "2026-02-02", folder)
		if (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.member, c.name, err)
		}
	}
}

// TestMirrorHostileLists: whatever a service says in its lists, a mirror ends with a copy or an
// error. After an error, the copy is as it was.
func TestMirrorHostileLists(t *testing.T) {
	both := releases(t)
	served := both[0]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServerFS(served).ServeHTTP(w, r)
	}))
	defer server.Close()
	update := func(target string) error {
		m := mirror.New(server.URL, target, fetch.Limits{Pause: time.Millisecond}, mirror.Options{})
		_, err := m.Update(t.Context())
		return err
	}
	copied := filepath.Join(t.TempDir(), "copy")
	must.Do(t, update(copied))
	refused := 0
	for name, files := range hostile(t, both[0], both[1]) {
		served = files
		for _, before := range []string{"", copied} {
			target := filepath.Join(t.TempDir(), "target")
			if before != "" {
				must.Do(t, os.CopyFS(target, os.DirFS(before)))
			}
			if update(target) == nil {
				continue
			}
			refused++
			if _, err := os.Stat(target); before == "" && err == nil {
				t.Errorf("%s: there is a copy after an error", name)
			} else if before != "" && !maps.Equal(contents(t, target), contents(t, before)) {
				t.Errorf("%s: the copy changed", name)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// contents reads a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	}))
	return files
}
