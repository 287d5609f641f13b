package release_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/release"
)

func TestOpenRefuses(t *testing.T) {
	whole := small(t)
	m := new(release.Manifest)
	must.Do(t, m.Decode(whole[layout.ManifestPath]))
	with := func(change func(m *release.Manifest)) []byte {
		copied := *m
		change(&copied)
		data := must.Get(copied.Encode())(t)
		return data
	}
	for _, c := range []struct {
		name, want string
		manifest   []byte
	}{
		{"missing", "manifest.json is missing", nil},
		{"not JSON", "manifest.json: ", []byte("<html>")},
		{"another manifest", "manifest.json is not the manifest of a Stele release", []byte(`{"name":"app","icons":[]}`)},
		{"no format", `"stele-release/0"`, with(func(m *release.Manifest) { m.Format = "stele-release/0" })},
		{"newer", "format 9", with(func(m *release.Manifest) { m.Format = "stele-release/9" })},
		{"no ID", "missing release ID or date", with(func(m *release.Manifest) { m.Release = "" })},
		{"no date", "missing release ID or date", with(func(m *release.Manifest) { m.Date = "" })},
		{"no files", "the files of signal", with(func(m *release.Manifest) { m.Files, m.Histories = nil, "" })},
		{"short digest", "digest of 4 characters, not 64", bytes.Replace(whole[layout.ManifestPath], []byte(m.Content.String()), []byte("abcd"), 1)},
		{"no digest", "invalid byte", bytes.Replace(whole[layout.ManifestPath], []byte(m.Content.String()), []byte(strings.Repeat("xy", 32)), 1)},
	} {
		files := fstest.MapFS{}
		if c.manifest != nil {
			files[layout.ManifestPath] = &fstest.MapFile{Data: c.manifest}
		}
		if _, err := release.Open(context.Background(), files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestRecordsOfNothing: a release that was made before there was a kind has none of it.
func TestRecordsOfNothing(t *testing.T) {
	r := open(t, small(t))
	for range r.Records("policy") {
		t.Error("there is a record")
	}
	for range r.Entries("policy") {
		t.Error("there is an entry")
	}
	for _, err := range r.Lines("api/v1/nothing.json") {
		if err == nil || !strings.Contains(err.Error(), "is not in the manifest") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestLinesStop: a reader may stop early, and then the rest is not looked at.
func TestLinesStop(t *testing.T) {
	files := small(t)
	files[signals] = append(files[signals], "damaged"...)
	for _, err := range open(t, files).Records("signal") {
		if err != nil {
			t.Error(err)
		}
		break
	}
	var last error
	for _, err := range open(t, files).Records("signal") {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), signals+": wrong size") {
		t.Errorf("the error at the end is %v", last)
	}
}

// summary is a change in few words.
func summary(c release.Change) string {
	switch {
	case c.Old == nil:
		return fmt.Sprintf("+%s %s v%d", c.Kind, c.ID, c.New.Version)
	case c.New == nil:
		return fmt.Sprintf("-%s %s v%d", c.Kind, c.ID, c.Old.Version)
	}
	return fmt.Sprintf("%s %s v%d v%d %+d bytes", c.Kind, c.ID, c.Old.Version, c.New.Version, len(c.NewJSON)-len(c.OldJSON))
}

func diff(t testing.TB, old, now *release.Release) []string {
	t.Helper()
	var list []string
	for c, err := range release.Diff(t.Context(), old, now) {
		must.Do(t, err)
		list = append(list, summary(c))
	}
	return list
}

func TestDiff(t *testing.T) {
	folder := starterFolder(t)
	old := open(t, small(t))
	changed := maps.Clone(folder)
	delete(changed, "records/public-references/ref-example-poster.yaml")
	const signalFile = "records/signals/sig-example-rise.yaml"
	changed[signalFile] = &fstest.MapFile{Data: bytes.Replace(folder[signalFile].Data, []byte("version: 1"), []byte("version: 2\nlicense: CC0-1.0"), 1)}
	entity := bytes.Replace(folder["records/entities/ent-example-measles.yaml"].Data, []byte("id: ent-example-measles"), []byte("id: ent-a"), 1)
	changed["records/entities/a.yaml"] = &fstest.MapFile{Data: entity}
	node := bytes.Replace(folder["records/graph-nodes/nod-example-measles.yaml"].Data, []byte("version: 1"), []byte("version: 2"), 1)
	changed["records/graph-nodes/nod-example-measles.yaml"] = &fstest.MapFile{Data: node}
	delete(changed, "records/changes/chg-example-corrected.yaml")
	now := open(t, makeFiles(t, changed, "2026-02-01", nil))

	want := []string{
		fmt.Sprintf("signal sig-example-rise v1 v2 %+d bytes", len(`"license":"CC0-1.0",`)),
		"-public_reference ref-example-poster v1",
		"graph_node nod-example-measles v1 v2 +0 bytes",
		"+entity ent-a v1",
	}
	got := diff(t, old, now)
	if !slices.Equal(got, want) {
		t.Errorf("the changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if same := diff(t, old, open(t, small(t))); len(same) > 0 {
		t.Errorf("a release differs from itself: %v", same)
	}
	back := diff(t, now, old)
	if len(back) != len(want) || back[1] != "+public_reference ref-example-poster v1" || back[3] != "-entity ent-a v1" {
		t.Errorf("the other way round the changes are %v", back)
	}
	for range release.Diff(t.Context(), old, now) {
		break // a reader may stop early
	}
}

// TestDiffOfEvents: releases that follow one another differ in their records; the events that tell
// of it are not told of again.
func TestDiffOfEvents(t *testing.T) {
	folder := starterFolder(t)
	old := open(t, small(t))
	const file = "records/signals/sig-example-rise.yaml"
	changed := maps.Clone(folder)
	changed[file] = &fstest.MapFile{Data: []byte(strings.NewReplacer("version: 1", "version: 2\nlicense: CC0-1.0", "updated_date: 2026-01-10", "updated_date: 2026-02-01").Replace(string(folder[file].Data)))}
	now := open(t, makeFiles(t, changed, "2026-02-01", old))
	if now.Manifest.Kind("change_event").Count != 2 {
		t.Fatalf("there are %d events", now.Manifest.Kind("change_event").Count)
	}
	if got := diff(t, old, now); len(got) != 1 || !strings.HasPrefix(got[0], "signal sig-example-rise v1 v2 ") {
		t.Errorf("the changes are %v", got)
	}
}

// TestDiffOfKinds: a kind that only one of two releases knows of.
func TestDiffOfKinds(t *testing.T) {
	files := small(t)
	editManifest(func(m *release.Manifest) {
		m.Kinds = slices.DeleteFunc(m.Kinds, func(k release.Kind) bool { return k.Kind == "opportunity" })
	})(nil, files)
	whole, older := open(t, small(t)), open(t, files)
	if got := diff(t, older, whole); !slices.Equal(got, []string{"+opportunity opp-example-reach v1"}) {
		t.Errorf("the changes are %v", got)
	}
	if got := diff(t, whole, older); !slices.Equal(got, []string{"-opportunity opp-example-reach v1"}) {
		t.Errorf("the changes are %v", got)
	}
}

func TestDiffOfDamaged(t *testing.T) {
	for _, path := range []string{signals, "index/signals.json"} {
		files := small(t)
		files[path] = bytes.Replace(files[path], []byte("rise"), []byte("fall"), 1)
		for _, pair := range [][2]*release.Release{
			{open(t, files), open(t, small(t))},
			{open(t, small(t)), open(t, files)},
		} {
			var failed error
			for _, err := range release.Diff(t.Context(), pair[0], pair[1]) {
				failed = err
			}
			if failed == nil || !strings.Contains(failed.Error(), "damaged") {
				t.Errorf("%s: the error is %v", path, failed)
			}
		}
	}
}

// TestOpenOnDisk: a release in a folder is read through the file system that the caller gives.
func TestOpenOnDisk(t *testing.T) {
	dir := t.TempDir()
	for path, data := range small(t) {
		at := filepath.Join(dir, filepath.FromSlash(path))
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must.Do(t, os.WriteFile(at, data, 0o644))
	}
	r, err := release.Open(context.Background(), os.DirFS(dir))
	must.Do(t, err)
	if report, err := r.Verify(t.Context(), nil); err != nil || len(report.Faults) > 0 {
		t.Errorf("found %v, %v", report, err)
	}
	_, err = release.Open(context.Background(), os.DirFS(filepath.Join(dir, "api")))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}
