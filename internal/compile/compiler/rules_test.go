//go:build !race

package compiler_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/judging/explain"
	"stele/internal/base/layout"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// claim is the record of the starter folder that has a correction already.
const claim = "records/proof/clm-example-vaccine.yaml"

const newCorrection = "\n  - {date: 2026-01-12, type: %s, in_version: %d, fields: [claim], summary: Another.}\npublished_date"

// TestVersionRules lays edits over the starter folder and compares with a release of what it was.
func TestVersionRules(t *testing.T) {
	folder := starterFolder(t)
	// of the day on which its records were updated last
	before := makeRelease(t, folder, compiler.Options{Date: "2026-01-12", NoVariants: true})
	for _, c := range []struct {
		name      string
		path      string
		edits     []string // old, new, old, new
		want      string   // the only problem, or ""
		published record.ChangeType
	}{
		{"nothing", claim, nil, "", ""},
		{"VER01", claim, []string{"summary: What", "summary: Why"}, `VER01: the record changed (/summary), but its version is still 2; write version: 3`, ""},
		{
			"VER01 many", claim,
			[]string{"stance: supports", "stance: qualifies", "evidence_label: low", "evidence_label: not_rated", "title: One", "title: A", "summary: What", "summary: Why", "    - adults", "    - men"},
			`VER01: the record changed (/claim_boundary/excludes/0, /evidence/0/stance, /evidence_label, /summary and 1 more)`, "",
		},
		{"VER02", claim, []string{"\nversion: 2\n", "\nversion: 1\n"}, `VER02: the version fell from 2 to 1; this may be an old copy: restore version 2 first; if the record really changed later, write version: 3`, ""},
		{"VER04 only", claim, []string{"\nversion: 2\n", "\nversion: 3\n"}, `VER04: the version rose, but nothing else changed; write version: 2`, "updated"},
		{"VER04 skipped", claim, []string{"\nversion: 2\n", "\nversion: 4\n", "summary: What", "summary: Why"}, `VER04: the version jumps from 2 to 4, and no release up to `, "updated"},
		{"updated", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "summary: What", "summary: Why"}, "", "updated"},
		{"reverified", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "verification_date: 2026-01-12", "verification_date: 2026-01-13", "updated_date: 2026-01-12", "updated_date: 2026-01-13"}, "", "reverified"},
		{"corrected", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\npublished_date", fmt.Sprintf(newCorrection, "correction", 3), "claim: One", "claim: A"}, "", "corrected"},
		{"retracted", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\npublished_date", fmt.Sprintf(newCorrection, "retraction", 3)}, "", "retracted"},
		{
			"source", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "source_updates: []", "source_updates: [{date: 2026-01-11, type: moved, summary: Moved., effect: none}]"},
			"", "source_updated",
		},
		{
			"corrected first", claim,
			[]string{
				"\nversion: 2\n", "\nversion: 3\n", "\npublished_date", fmt.Sprintf(newCorrection, "clarification", 3), "claim: One", "claim: A",
				"source_updates: []", "source_updates: [{date: 2026-01-11, type: moved, summary: Moved., effect: none}]",
			},
			"", "corrected",
		},
		{
			"COR01", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "\npublished_date", fmt.Sprintf(newCorrection, "correction", 2), "claim: One", "claim: A"},
			`COR01: a new correction has in_version 2, but that version was published without it; write in_version: 3`, "",
		},
		{
			"COR01 without a new version", claim,
			[]string{"\npublished_date", fmt.Sprintf(newCorrection, "correction", 2)},
			`VER01: the record changed (/corrections/1), but its version is still 2; write version: 3`, "",
		},
		{
			"COR01 source update", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "source_updates: []", "source_updates: [{date: 2026-01-11, type: moved, summary: Moved., effect: record_changed, in_version: 2}]"},
			`COR01: a new source update has in_version 2, but that version was published without it; write in_version: 3`, "",
		},
		{
			"COR01 source update without a version", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "source_updates: []", "source_updates: [{date: 2026-01-11, type: moved, summary: Moved., effect: record_changed}]"},
			`COR01: a new source update changed the record, but in_version is missing; write in_version: 3`, "",
		},
		{
			"COR05", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "\npublished_date", fmt.Sprintf(newCorrection, "correction", 3), "title: One", "title: A"},
			`COR05: a new correction names claim, which is unchanged since release `, "",
		},
		{"DAT07", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\npublished_date: 2026-01-10", "\npublished_date: 2026-01-11"}, `DAT07: published_date was 2026-01-10 in release `, ""},
		{"DAT09 updated", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\nupdated_date: 2026-01-12", "\nupdated_date: 2026-01-11"}, `DAT09: updated_date was 2026-01-12 in release `, ""},
		{"DAT09 verified", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\nverification_date: 2026-01-12", "\nverification_date: 2026-01-11"}, `DAT09: verification_date was 2026-01-12 in release `, ""},
		{"not reverified", claim, []string{"\nversion: 2\n", "\nversion: 3\n", "\nupdated_date: 2026-01-12", "\nupdated_date: 2026-01-13"}, `VER04: the version rose, but nothing else changed; write version: 2 and updated_date: 2026-01-12`, "updated"},
		{"DAT08", "records/signals/sig-example-rise.yaml", []string{"version: 1", "version: 2", "page 12", "page 13"}, `DAT08: the record changed (/source_links/0/locator, /version), but updated_date is still 2026-01-10; write the day of the change, 2026-01-12 or later`, ""},
		{"COR02 event", "records/changes/chg-example-corrected.yaml", []string{"release: example-1", "release: example-2"}, `COR02: this change event was published in release `, ""},
		{"COR02 edited", claim, []string{"\nversion: 2\n", "\nversion: 3\n", `Added "may"`, `Put in "may"`}, `COR02: the correction of 2026-01-12 (number 1 in release `, ""},
		{
			"COR02 deleted", claim,
			[]string{"\nversion: 2\n", "\nversion: 3\n", "  - date: 2026-01-12\n    type: clarification\n    in_version: 2\n    fields: [claim]\n    summary: Added \"may\", to match the low certainty.\n", "  []\n"},
			`COR02: the correction of 2026-01-12`, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := folder
			for i := 0; i+1 < len(c.edits); i += 2 {
				if c.edits[i] != c.edits[i+1] {
					changed = edit(t, changed, c.path, c.edits[i], c.edits[i+1])
				}
			}
			m := newMemory()
			outcome := must.Get(compiler.Build(
				context.Background(),
				changed,
				m,
				compiler.Options{Date: releaseDate, Previous: before.Release, NoVariants: true},
			))(t)
			found := problems(outcome)
			// a correction that the version, or the day, no longer reaches is another problem, and
			// rightly so
			if also := map[string]string{"VER02": "COR01", "DAT09 updated": "DAT11"}[c.name]; also != "" {
				found = slices.DeleteFunc(found, func(p string) bool { return strings.Contains(p, also) })
			}
			switch {
			case c.want == "" && len(found) > 0,
				c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)):
				t.Fatalf("found %q, want %q", found, c.want)
			case c.want != "" && !strings.HasPrefix(found[0], c.path+":"):
				t.Errorf("the problem stands elsewhere: %s", found[0])
			case (outcome.Manifest == nil) != (c.published == "" && c.want != ""):
				t.Fatalf("published: %v", outcome.Manifest != nil)
			}
			if c.published != "" && !maps.Equal(outcome.Changes, map[record.ChangeType]int{c.published: 1}) {
				t.Errorf("the changes are %v, want %s", outcome.Changes, c.published)
			}
		})
	}
}

// TestSourceUpdatesStay: COR02 for source updates.
func TestSourceUpdatesStay(t *testing.T) {
	update := "source_updates: [{date: 2026-01-11, type: moved, summary: Moved., effect: none}]"
	folder := edit(t, without(starterFolder(t), corrected), claim, "source_updates: []", update)
	before := makeRelease(t, folder, compiler.Options{Date: "2026-01-12", NoVariants: true})
	for _, now := range []string{"source_updates: []", strings.Replace(update, "Moved.", "Moved away.", 1)} {
		changed := edit(t, edit(t, folder, claim, "\nversion: 2\n", "\nversion: 3\n"), claim, update, now)
		found := problems(stopBuild(t, changed, compiler.Options{Previous: before.Release}))
		if len(found) != 1 || !strings.Contains(found[0], "COR02: the source update of 2026-01-11 (number 1 in release "+before.Manifest.Release+") was deleted or edited") {
			t.Errorf("found %q", found)
		}
	}
	another := strings.Replace(update, "]", ", {date: 2026-01-12, type: moved, summary: Again., effect: none}]", 1)
	changed := edit(t, edit(t, folder, claim, "\nversion: 2\n", "\nversion: 3\n"), claim, update, another)
	if r := makeRelease(t, changed, compiler.Options{Previous: before.Release}); r.outcome.Changes["source_updated"] != 1 {
		t.Errorf("the changes are %v", r.outcome.Changes)
	}
}

func TestVanished(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{NoVariants: true})
	gone := without(folder, poster)

	found := problems(stopBuild(t, gone, compiler.Options{Previous: before.Release, AllowShrink: true}))
	want := `records: error VER03: public reference "ref-example-poster" was in release ` + before.Manifest.Release + `, but is now missing; restore it`
	if len(found) != 1 || !strings.HasPrefix(found[0], want) {
		t.Errorf("found %q", found)
	}
	if found := codesOf(stopBuild(t, gone, compiler.Options{
		Previous: before.Release, AllowShrink: true,
		AllowRemoved: []string{"ref-example-other"},
	})); !slices.Equal(
		found,
		[]codes.Code{"VER03"},
	) {
		t.Errorf("with another name allowed: %q", found)
	}

	after := makeRelease(
		t,
		gone,
		compiler.Options{
			Previous:     before.Release,
			AllowShrink:  true,
			AllowRemoved: []string{"ref-example-poster: Its publisher withdrew it."},
			NoVariants:   true,
		},
	)
	typed, _ := events(t, after.Release)
	last := typed[len(typed)-1]
	digest := digests(t, before.Release)["ref-example-poster"].String()
	if len(typed) != 2 || last.ChangeType != "removed" || last.After != nil || string(last.Before.SHA256) != digest ||
		last.RecordKind != "public_reference" || last.Summary != "Its publisher withdrew it." ||
		last.Before.Version != 1 {
		t.Errorf("the events are %+v", typed)
	}
	verify(t, after.Release)
	h, err := after.Release.History("ref-example-poster")
	must.Do(t, err)
	was, err := h.Read(*h.At(0))
	if err != nil || h.At(1) != nil || release.Digest(sha256.Sum256(was)).String() != digest {
		t.Errorf("what was removed cannot be read: %s, %v", was, err)
	}

	// The event stays when nothing else happens, and the name need not be given again.
	again := makeRelease(t, gone, compiler.Options{Previous: after.Release, NoVariants: true})
	sameFiles(t, "again", again.files, after.files)

	there := problems(stopBuild(t, folder, compiler.Options{Previous: before.Release, AllowRemoved: []string{"ref-example-poster"}}))
	if len(there) != 1 || !strings.Contains(there[0], `VER03: record "ref-example-poster" may be missing, but is present`) {
		t.Errorf("found %q", there)
	}
}

// TestKindChanged: an ID is not used for another kind.
func TestKindChanged(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{NoVariants: true})
	changed := edit(t, without(folder, poster), "records/entities/ent-example-coverage.yaml", "id: ent-example-coverage", "id: ent-example-coverage\nsee_also: [ref-example-poster]")
	entity := strings.Replace(string(folder["records/entities/ent-example-measles.yaml"].Data), "id: ent-example-measles", "id: ref-example-poster", 1)
	changed["records/entities/poster.yaml"] = &fstest.MapFile{Data: []byte(entity)}
	for _, allowed := range [][]string{nil, {"ref-example-poster"}} {
		found := problems(
			stopBuild(t, changed, compiler.Options{Previous: before.Release, AllowShrink: true, AllowRemoved: allowed}),
		)
		if !slices.ContainsFunc(found, func(p string) bool {
			return strings.Contains(p, `VER03: "ref-example-poster" was public_reference in release `+before.Manifest.Release+`, now entity; IDs cannot be reused`)
		}) {
			t.Errorf("found %q", found)
		}
	}
}

func TestShrink(t *testing.T) {
	folder := starterFolder(t)
	for i := range 20 {
		text := strings.Replace(string(folder[poster].Data), "ref-example-poster", fmt.Sprintf("ref-%02d", i), 1)
		folder[fmt.Sprintf("records/public-references/%02d.yaml", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	before := makeRelease(t, without(folder, poster), compiler.Options{NoVariants: true})
	for _, c := range []struct {
		gone  int
		stops bool
	}{{0, false}, {1, false}, {2, false}, {3, true}, {20, true}} {
		now := without(folder, poster)
		var allowed []string
		for i := range c.gone {
			delete(now, fmt.Sprintf("records/public-references/%02d.yaml", i))
			allowed = append(allowed, fmt.Sprintf("ref-%02d", i))
		}
		opt := compiler.Options{Date: releaseDate, Previous: before.Release, AllowRemoved: allowed, NoVariants: true}
		if c.stops {
			outcome := stopBuild(t, now, opt)
			want := []compiler.Shrinkage{{Kind: "illustrative public references", Before: 20, After: 20 - c.gone}}
			if !slices.Equal(outcome.Shrunk, want) || outcome.Check.Errors > 0 {
				t.Errorf("%d gone: %v, %v", c.gone, outcome.Shrunk, problems(outcome))
			}
			opt.AllowShrink = true
		}
		if r := makeRelease(t, now, opt); r.outcome.Changes["removed"] != c.gone {
			t.Errorf("%d gone: %v", c.gone, r.outcome.Changes)
		}
	}
}

// TestLargeVersions: versions are whole numbers of 64 bits.
func TestLargeVersions(t *testing.T) {
	const large = "9007199254740993"
	folder := edit(t, starterFolder(t), poster, "version: 1", "version: "+large)
	folder = revise(t, folder, poster, string(releaseDate), "published_date: 2026-01-10", "published_date: 2026-02-01")
	before := makeRelease(t, without(starterFolder(t), poster), compiler.Options{NoVariants: true})
	one := makeRelease(t, folder, compiler.Options{Previous: before.Release, NoVariants: true})
	two := makeRelease(
		t,
		without(folder, poster),
		compiler.Options{
			Previous:     one.Release,
			AllowRemoved: []string{"ref-example-poster"},
			AllowShrink:  true,
			NoVariants:   true,
		},
	)
	typed, _ := events(t, two.Release)
	var got []string
	for _, e := range typed {
		if e.RecordID == "ref-example-poster" && e.ChangeType == "created" {
			got = append(got, fmt.Sprint(e.After.Version))
		}
		if e.RecordID == "ref-example-poster" && e.ChangeType == "removed" {
			got = append(got, fmt.Sprint(e.Before.Version))
		}
	}
	if !slices.Equal(got, []string{large, large}) {
		t.Errorf("the events have the versions %v", got)
	}
}

// TestPublishersEvents: an event that the publisher adds is published, and stays when the publisher
// deletes it.
func TestPublishersEvents(t *testing.T) {
	folder := starterFolder(t)
	const event = "records/changes/chg-example-corrected.yaml"
	one := makeRelease(t, without(folder, event), compiler.Options{NoVariants: true})
	two := makeRelease(t, folder, compiler.Options{Date: "2026-03-01", Previous: one.Release, NoVariants: true})
	if two.outcome.Unchanged || two.Manifest.Release == one.Manifest.Release || two.Manifest.Kind("change_event").Count != 1 {
		t.Errorf("release %s after %s, with %d events", two.Manifest.Release, one.Manifest.Release, two.Manifest.Kind("change_event").Count)
	}
	verify(t, two.Release)
	three := makeRelease(t, without(folder, event), compiler.Options{Date: "2026-03-01", Previous: two.Release, NoVariants: true})
	sameFiles(t, "deleted", three.files, withDerived(t, two))
}

// withDerived is a release whose only event counts as carried over.
func withDerived(t *testing.T, r made) map[string][]byte {
	t.Helper()
	files := maps.Clone(r.files)
	m := *r.Manifest
	m.Kind("change_event").Derived = 1
	data := must.Get(m.Encode())(t)
	files[layout.ManifestPath] = data
	return files
}

// TestBadRecords: whatever is wrong with a record that was published, the build tells that and does
// not fail.
func TestBadRecords(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{NoVariants: true})
	tried := 0
	for _, info := range codes.Table {
		e := must.Get(explain.Find(info.Code))(t)
		if info.Severity != codes.Error || strings.HasPrefix(string(info.Code), "OUT") || e.Before != nil ||
			info.Code == codes.Unreadable {
			continue
		}
		bad := maps.Clone(folder)
		for _, f := range e.Bad {
			data := []byte(f.Text)
			if old := folder[f.Name]; old != nil {
				data = slices.Concat(old.Data, []byte(f.Text)) // at least a member stands twice
			}
			bad[f.Name] = &fstest.MapFile{Data: data}
		}
		tried++
		if outcome := stopBuild(t, bad, compiler.Options{Previous: before.Release}); outcome.Check.Errors == 0 {
			t.Errorf("%s: nothing is wrong", info.Code)
		}
	}
	if tried < 20 {
		t.Errorf("%d codes were tried", tried)
	}
}

// TestEventsAreInOrder of their dates, whatever their IDs.
func TestEventsAreInOrder(t *testing.T) {
	folder := starterFolder(t)
	folder["records/changes/a.yaml"] = eventFile("chg-a", "2026-01-20")
	typed, _ := events(t, makeRelease(t, folder, compiler.Options{NoVariants: true}).Release)
	if len(typed) != 2 || typed[0].ID != "chg-example-corrected" || typed[1].ID != "chg-a" {
		t.Errorf("the events are %+v", typed)
	}
}

// TestRestored: a record that was removed can come back, to the byte or as a higher version; its ID
// is not given to another.
func TestRestored(t *testing.T) {
	folder := starterFolder(t)
	first := makeRelease(t, folder, compiler.Options{NoVariants: true})
	gone := makeRelease(t, without(folder, poster), compiler.Options{
		NoVariants: true, Previous: first.Release, AllowRemoved: []string{"ref-example-poster"}, AllowShrink: true,
	})
	next := edit(t, folder, poster, "version: 1", "version: 2")
	for name, now := range map[string]fstest.MapFS{
		"to the byte": folder, "as a higher version": edit(t, next, poster, "title: ", "title: Again, "),
	} {
		back := makeRelease(t, now, compiler.Options{NoVariants: true, Previous: gone.Release})
		if !maps.Equal(back.outcome.Changes, map[record.ChangeType]int{"restored": 1}) {
			t.Errorf("%s: the changes are %v", name, back.outcome.Changes)
		}
		verify(t, back.Release)
		again := makeRelease(t, now, compiler.Options{NoVariants: true, Previous: back.Release})
		if !again.outcome.Unchanged {
			t.Errorf("%s: it changes again", name)
		}
	}
	other := edit(t, folder, poster, "id: ref-example-poster", "id: Ref-Example-Poster")
	signal := maps.Clone(without(folder, poster))
	signal["records/entities/again.yaml"] = edit(t, folder, "records/entities/ent-example-measles.yaml", "id: ent-example-measles", "id: ref-example-poster")["records/entities/ent-example-measles.yaml"]
	for name, c := range map[string]struct {
		now  fstest.MapFS
		code codes.Code
	}{
		"another content": {edit(t, folder, poster, "title: ", "title: Again, "), codes.ChangedWithoutVersion},
		"another case":    {other, codes.DuplicateID},
		"another kind":    {signal, codes.DuplicateID},
	} {
		outcome := stopBuild(t, c.now, compiler.Options{NoVariants: true, Previous: gone.Release})
		if !slices.Contains(codesOf(outcome), c.code) {
			t.Errorf("%s: %v", name, problems(outcome))
		}
	}
	// also in the release that removes it
	allowed := []string{"ref-example-poster"}
	outcome := stopBuild(t, other, compiler.Options{NoVariants: true, Previous: first.Release, AllowRemoved: allowed})
	if !slices.Contains(codesOf(outcome), codes.DuplicateID) {
		t.Errorf("at once: %v", problems(outcome))
	}
}

// TestReinstated: a retraction that was a mistake is taken back by a correction that says so.
func TestReinstated(t *testing.T) {
	folder := starterFolder(t)
	before := makeRelease(t, folder, compiler.Options{Date: "2026-01-12", NoVariants: true})
	retracted := edit(t, edit(t, folder, claim, "\nversion: 2\n", "\nversion: 3\n"), claim, "\npublished_date", fmt.Sprintf(newCorrection, "retraction", 3))
	second := makeRelease(t, retracted, compiler.Options{Date: "2026-01-20", NoVariants: true, Previous: before.Release})
	stands := edit(t, edit(t, retracted, claim, "\nversion: 3\n", "\nversion: 4\n"), claim, "\npublished_date", fmt.Sprintf(newCorrection, "reinstatement", 4))
	stands = edit(t, stands, claim, "updated_date: 2026-01-12", "updated_date: 2026-01-21")
	third := makeRelease(t, stands, compiler.Options{Date: "2026-01-21", NoVariants: true, Previous: second.Release})
	if second.outcome.Changes["retracted"] != 1 || third.outcome.Changes["restored"] != 1 {
		t.Errorf("the changes are %v and %v", second.outcome.Changes, third.outcome.Changes)
	}
}

// TestClockBeforeVerification: a release is not older than what it verified.
func TestClockBeforeVerification(t *testing.T) {
	outcome := stopBuild(t, starterFolder(t), compiler.Options{Date: "2026-01-11"})
	if found := codesOf(outcome); !slices.Equal(slices.Compact(found), []codes.Code{codes.AfterRelease}) {
		t.Errorf("found %v", problems(outcome))
	}
}
