//go:build !race

package compiler_test

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/testkit/must"
	"stele/release"
)

// story makes three releases, in which a record is created and another edited. The publisher adds
// events of other days: some that lie before those of earlier releases, and one of the day
// of a release.
func story(t *testing.T, render ...render.Renderer) (releases []made) {
	t.Helper()
	folder := revise(t, starterFolder(t), poster, "2026-03-01", "published_date: 2026-01-10", "published_date: 2026-03-01")
	first := without(folder, poster)
	releases = append(releases, makeRelease(t, first, compiler.Options{Date: "2026-02-01", NoVariants: true, Render: render}))

	second := revise(t, folder, "records/entities/ent-example-coverage.yaml", "2026-03-01", "version: 1", "version: 2\nlicense: CC0-1.0")
	second["records/changes/b.yaml"] = eventFile("chg-b", "2026-01-20")
	second["records/changes/c.yaml"] = eventFile("chg-c", "2026-02-01")
	releases = append(
		releases,
		makeRelease(
			t,
			second,
			compiler.Options{Date: "2026-03-01", NoVariants: true, Previous: releases[0].Release, Render: render},
		),
	)

	third := revise(t, second, "records/entities/ent-example-coverage.yaml", "2026-04-01", "version: 2\nlicense: CC0-1.0", "version: 3\nlicense: CC-BY-4.0")
	third["records/changes/a.yaml"] = eventFile("chg-a", "2026-01-20")
	third["records/changes/d.yaml"] = eventFile("chg-d", "2026-02-15")
	return append(
		releases,
		makeRelease(
			t,
			third,
			compiler.Options{Date: "2026-04-01", NoVariants: true, Previous: releases[1].Release, Render: render},
		),
	)
}

// TestOrderOfEvents: events stand in the order of their dates, wherever they come from; of one day,
// those of an earlier release come first.
func TestOrderOfEvents(t *testing.T) {
	releases := story(t)
	id := func(release int, record string) string {
		return "chg-" + releases[release].Manifest.Release + "-" + record
	}
	want := []string{
		"chg-example-corrected", "chg-b", "chg-a", "chg-c", "chg-d",
		id(1, "ent-example-coverage"), id(1, "ref-example-poster"), id(2, "ent-example-coverage"),
	}
	last := releases[2]
	var got, listed []string
	typed, _ := events(t, last.Release)
	for _, e := range typed {
		got = append(got, string(e.ID))
	}
	for e, err := range last.Entries("change_event") {
		must.Do(t, err)
		listed = append(listed, e.ID)
	}
	if !slices.Equal(got, want) || !slices.Equal(listed, want) {
		t.Errorf("the events are %q\nlisted are %q\nwant %q", got, listed, want)
	}
	for _, r := range releases {
		verify(t, r.Release)
	}
	if kind := last.Manifest.Kind("change_event"); kind.Count != 8 || kind.Derived != 3 {
		t.Errorf("%d events, %d of them derived", kind.Count, kind.Derived)
	}
	if c := read(t, last, "api/v1/changes.json"); c.AsOf != "2026-04-01" || c.Count != 8 {
		t.Errorf("the collection has %d events as of %s", c.Count, c.AsOf)
	}
}

// TestEventsOfPrevious: events of the release before that this program cannot have written so are
// not carried over.
func TestEventsOfPrevious(t *testing.T) {
	const path = "api/v1/changes.json"
	releases := story(t)
	last := releases[2]
	for name, c := range map[string]struct {
		edit func([]byte) []byte
		want string
	}{
		"out of order": {func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"published_date":"2026-03-01"`), []byte(`"published_date":"2026-01-01"`), 1)
		}, " of 2026-01-01 comes after an event of 2026-02-15"},
		"not JSON": {func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"changed_fields":["/license"`), []byte(`"changed_fields":[/license"`), 1)
		}, "is not valid JSON"},
		"no event": {func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":1`), []byte(`"version":""`), 1) }, "cannot unmarshal"},
	} {
		files := maps.Clone(last.files)
		files[path] = c.edit(bytes.Clone(files[path]))
		if bytes.Equal(files[path], last.files[path]) {
			t.Fatalf("%s: nothing was edited in %s", name, files[path])
		}
		r := (&memory{files: files}).open(t)
		i := slices.IndexFunc(r.Manifest.Files, func(f release.File) bool { return f.Path == path })
		r.Manifest.Files[i].Size, r.Manifest.Files[i].SHA256 = int64(len(files[path])), sha256.Sum256(files[path])
		got := refused(t, starterFolder(t), compiler.Options{Date: "2026-05-01", Previous: r})
		if !strings.HasPrefix(got, "cannot read the previous release: "+path+": ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
