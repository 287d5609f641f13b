package compiler_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/release"
)

const rise = "records/signals/sig-example-rise.yaml"

// years makes a release on each of some days, with a new version of a signal in each.
func years(t *testing.T, folder fstest.MapFS, days ...string) (releases []made) {
	t.Helper()
	for i, day := range days {
		opt := compiler.Options{Date: record.Date(day), NoVariants: true}
		if i > 0 {
			opt.Previous = releases[i-1].Release
			folder = revise(t, folder, rise, day, fmt.Sprintf("\nversion: %d\n", i), fmt.Sprintf("\nversion: %d\n", i+1))
		}
		releases = append(releases, makeRelease(t, folder, opt))
	}
	return releases
}

// archivesOf are the years that a release has archives of, with the number of events in each.
func archivesOf(r made) string {
	var list []string
	for _, a := range r.Manifest.Archives() {
		list = append(list, fmt.Sprintf("%d:%d", a.Year, a.Count))
	}
	return strings.Join(list, " ")
}

// TestArchives: events of the year of the release and of the one before it are in the collection,
// older ones in an archive for each year, which never changes; and all events together are those
// that there would be without.
func TestArchives(t *testing.T) {
	releases := years(t, starterFolder(t),
		"2026-02-01", "2026-03-01", "2026-04-01", "2027-12-31", "2028-01-01", "2028-02-01", "2029-01-01", "2033-07-01")
	want := []struct {
		archives string
		count    int // in the collection
	}{
		{"", 1}, {"", 2}, {"", 3}, {"", 4}, // the first is the publisher's own, of 2026
		{"2026:3", 2}, {"2026:3", 3}, {"2026:3 2027:1", 3}, {"2026:3 2027:1 2028:2 2029:1", 1},
	}
	state := digests(t, releases[0].Release)
	var all []string
	for i, r := range releases {
		verify(t, r.Release)
		if got := archivesOf(r); got != want[i].archives || r.Manifest.Kind("change_event").Count != want[i].count {
			t.Errorf("release of %s: archives %s, and %d in the collection", r.Manifest.Date, got, r.Manifest.Kind("change_event").Count)
		}
		typed, lines := events(t, r.Release)
		if len(lines) != i+1 || !slices.Equal(lines[:len(all)], all) {
			t.Fatalf("the events of release %d are\n%s\nand were\n%s", i, strings.Join(lines, "\n"), strings.Join(all, "\n"))
		}
		if all = lines; i > 0 {
			replay(t, state, &typed[i])
			if !maps.Equal(state, digests(t, r.Release)) {
				t.Errorf("release %d is not what its events lead to", i)
			}
		}
		for _, earlier := range releases[:i] {
			checkDeltas(t, earlier.Release, r.Release)
			for _, a := range earlier.Manifest.Archives() {
				if !bytes.Equal(earlier.files[a.Path], r.files[a.Path]) {
					t.Errorf("%s has changed", a.Path)
				}
			}
		}
	}
	last := releases[len(releases)-1]
	if kind := last.Manifest.Kind("change_event"); kind.Derived != 1 { // the publisher's own is archived
		t.Errorf("%d events of %d are derived", kind.Derived, kind.Count)
	}
	history, err := last.History("sig-example-rise")
	if err != nil || len(history.Changes) != len(releases)-1 {
		t.Errorf("the history of the record has %d changes: %v", len(history.Changes), err)
	}
}

// TestArchivesOfUnchanged: a release that is the one before it is so in any later year.
func TestArchivesOfUnchanged(t *testing.T) {
	folder := starterFolder(t)
	first := makeRelease(t, folder, compiler.Options{NoVariants: true})
	edited := revise(t, folder, rise, "2028-05-01", "\nversion: 1\n", "\nversion: 2\n")
	second := makeRelease(t, edited, compiler.Options{Date: "2028-05-01", NoVariants: true, Previous: first.Release})
	for _, before := range []made{first, second} {
		records := folder
		if before.memory == second.memory {
			records = edited
		}
		again := makeRelease(t, records, compiler.Options{Date: "2028-05-01", NoVariants: true, Previous: before.Release})
		sameFiles(t, "of release "+before.Manifest.Release, again.files, before.files)
	}
}

// TestLateEvents: what a publisher tells of a year whose archive is written goes into the
// collection, stays there like all that was told then, and goes into the next archive.
func TestLateEvents(t *testing.T) {
	folder := starterFolder(t)
	releases := years(t, folder, "2026-02-01", "2028-02-01")
	archive := releases[1].Manifest.Archives()[0]
	folder = revise(t, folder, rise, "2028-02-01", "\nversion: 1\n", "\nversion: 2\n")
	folder["records/changes/late.yaml"] = eventFile("chg-late", "2026-01-05")
	late := makeRelease(t, folder, compiler.Options{Date: "2028-03-01", NoVariants: true, Previous: releases[1].Release})
	verify(t, late.Release)
	if typed, _ := events(t, late.Release); archivesOf(late) != "2026:1" || typed[1].ID != "chg-late" {
		t.Errorf("archives %s, and then %s", archivesOf(late), typed[1].ID)
	}
	for _, c := range []struct{ day, want string }{
		{"2028-12-31", "2026:1"}, {"2029-01-01", "2026:1 2027:1"}, {"2030-01-01", "2026:1 2027:1 2028:1"},
	} {
		folder = revise(t, folder, rise, c.day, "\nversion: 2\n", "\nversion: 3\n")
		opt := compiler.Options{Date: record.Date(c.day), NoVariants: true, Previous: late.Release}
		now := makeRelease(t, folder, opt)
		verify(t, now.Release)
		if archivesOf(now) != c.want || now.Manifest.Archives()[0] != archive {
			t.Errorf("%s: archives %s, want %s", c.day, archivesOf(now), c.want)
		}
		folder = edit(t, folder, rise, "\nversion: 3\n", "\nversion: 2\n")
	}
}

// TestArchivesTellOfTheRemoved: a record that was removed so long ago that the event is archived
// is remembered, and its ID is never given to another.
func TestArchivesTellOfTheRemoved(t *testing.T) {
	folder := starterFolder(t)
	first := makeRelease(t, folder, compiler.Options{Date: "2026-02-01", NoVariants: true})
	fewer := without(folder, poster)
	gone := makeRelease(t, fewer, compiler.Options{
		Date: "2026-03-01", NoVariants: true, Previous: first.Release,
		AllowRemoved: []string{"ref-example-poster"}, AllowShrink: true,
	})
	fewer = revise(t, fewer, rise, "2028-02-01", "\nversion: 1\n", "\nversion: 2\n")
	later := makeRelease(t, fewer, compiler.Options{Date: "2028-02-01", NoVariants: true, Previous: gone.Release})
	if archivesOf(later) != "2026:2" {
		t.Fatalf("archives %s", archivesOf(later))
	}
	back := maps.Clone(fewer)
	back[poster] = folder[poster]
	now := makeRelease(t, back, compiler.Options{Date: "2028-03-01", NoVariants: true, Previous: later.Release})
	typed, _ := events(t, now.Release)
	if e := typed[len(typed)-1]; e.RecordID != "ref-example-poster" || e.ChangeType != record.ChangeRestored {
		t.Errorf("%s was %s", e.RecordID, e.ChangeType)
	}
	other := edit(t, back, poster, "ref-example-poster", "ref-Example-poster")
	opt := compiler.Options{Date: "2028-03-01", NoVariants: true, Previous: later.Release}
	if got := codesOf(stopBuild(t, other, opt)); len(got) == 0 {
		t.Error("an ID that differs only in case is taken")
	}
}

// TestDamagedArchives: an archive that is not what the manifest says is found by whoever verifies,
// and nothing is built on it.
func TestDamagedArchives(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	r := years(t, starterFolder(t), "2026-02-01", "2028-02-01")[1]
	path := r.Manifest.Archives()[0].Path
	text := func(lines string) []byte {
		var b bytes.Buffer
		must.Do(t, compress.Zstandard.Encode(&b, strings.NewReader(lines), int64(len(lines))))
		return b.Bytes()
	}
	_, lines := events(t, r.Release)
	whole := lines[0] + "\n"
	for name, c := range map[string]struct {
		data []byte
		says func(a *layout.Archive) // what the manifest says of it; nil for what it did
		want string
	}{
		"cut":       {r.files[path][:20], nil, "unexpected EOF"},
		"no zstd":   {[]byte("no archive"), nil, "invalid"},
		"edited":    {text(strings.Replace(whole, "corrected", "retracted", 1)), nil, "does not match the manifest"},
		"longer":    {text(whole + whole), nil, "does not match the manifest"},
		"count":     {r.files[path], func(a *layout.Archive) { a.Count = 2 }, "contains 1 events, but the manifest says 2"},
		"year":      {r.files[path], func(a *layout.Archive) { a.Year = 2025 }, `misplaced event "chg-example-corrected" of "2026-01-12"`},
		"unordered": {nil, func(a *layout.Archive) { *a = archiveOf(path, lines[1]+"\n"+whole, 2) }, "misplaced event"},
		"no JSON":   {nil, func(a *layout.Archive) { *a = archiveOf(path, "{\n", 1) }, "misplaced event"},
	} {
		damaged := newMemory()
		maps.Copy(damaged.files, r.files)
		if damaged.files[path] = c.data; c.data == nil {
			damaged.files[path] = text(map[string]string{"unordered": lines[1] + "\n" + whole, "no JSON": "{\n"}[name])
		}
		now := damaged.open(t)
		if c.says != nil {
			c.says(&now.Manifest.Archives()[0])
		}
		report, err := now.Verify(t.Context(), nil)
		must.Do(t, err)
		found := slices.ContainsFunc(report.Faults, func(f release.Fault) bool {
			return f.Code == "OUT04" && f.Path == path && strings.Contains(f.Message, c.want)
		})
		if !found {
			t.Errorf("%s: verifying finds %q", name, report.Faults)
		}
		_, err = compiler.Build(t.Context(), starterFolder(t), newMemory(),
			compiler.Options{Date: "2028-03-01", NoVariants: true, Previous: now})
		if damage := new(release.DamagedError); name != "year" && name != "unordered" && name != "no JSON" &&
			(!errors.As(err, &damage) || damage.Path != path) {
			t.Errorf("%s: building on it: %v", name, err)
		}
	}
}

func archiveOf(path, lines string, count int) layout.Archive {
	sum := sha256.Sum256([]byte(lines))
	return layout.Archive{Year: 2028, Path: path, Count: count, Size: int64(len(lines)), SHA256: sum}
}
