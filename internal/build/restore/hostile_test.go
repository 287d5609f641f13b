package restore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/build/publish"
	"stele/internal/build/restore"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

const signal = "records/signals/sig-example-rise.yaml"

// releases are two releases, the second with a changed record.
func releases(t *testing.T) (list []fstest.MapFS) {
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
		dir := filepath.Join(t.TempDir(), "release")
		w := must.Get(store.NewWriter(dir))(t)
		outcome := must.Get(publish.Build(t.Context(), folder, w, opt))(t)
		if outcome.Manifest == nil {
			t.Fatalf("no release: %v", outcome.Check.Problems)
		}
		must.Do(t, w.Commit())
		files, from := fstest.MapFS{}, os.DirFS(dir)
		must.Do(t, fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(from, path)
			files[path] = &fstest.MapFile{Data: data}
			return err
		}))
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

// TestHostileLists: whatever a service says in its lists, restore, show and verify end with an
// answer or an error.
func TestHostileLists(t *testing.T) {
	both := releases(t)
	paths := []string{layout.ReleasesPath, layout.StandingPath}
	is := must.Get(release.Open(t.Context(), both[1]))(t)
	for _, k := range []string{record.KindSignal, record.KindChangeEvent} {
		paths = append(paths, is.Manifest.Kind(k).Collection, is.Manifest.Kind(k).Listing)
	}
	for _, path := range paths {
		head, rest, _ := strings.Cut(string(both[1][path].Data), "\n")
		lines := strings.Split(strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\n]}"), ",\n")
		for name, change := range lists {
			text := head + "\n" + strings.Join(change(head, lines), ",\n") + "\n]}\n"
			if text != string(both[1][path].Data) {
				use(t, path+" "+name, replaced(t, both[1], path, []byte(text)))
			}
		}
		if !bytes.Equal(both[0][path].Data, both[1][path].Data) {
			use(t, path+" of another release", replaced(t, both[1], path, both[0][path].Data))
		}
		use(t, path+" cut", replaced(t, both[1], path, both[1][path].Data[:len(both[1][path].Data)/2]))
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
		restore.To(t.Context(), r, day, filepath.Join(t.TempDir(), "restored")) // it may fail
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
		_, _, _, err := restore.To(t.Context(), r, "2026-02-02", folder)
		if (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.member, c.name, err)
		}
	}
}
