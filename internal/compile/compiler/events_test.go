//go:build !race

package compiler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

const corrected = "records/changes/chg-example-corrected.yaml"

// ownEvent is a file with an event about the claim of the starter folder.
func ownEvent(change, before, after, date string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, `{id: chg-own, version: 1, record_id: clm-example-vaccine, record_kind: proof_claim, change_type: %s,
before: %s, after: %s, changed_fields: [/claim], release: old, published_date: %s}
`, change, before, after, date)}
}

// TestFalseEvents: what the publisher's events say is what releases know, whether there is one
// before or not.
func TestFalseEvents(t *testing.T) {
	race.LeaveOut(t, "makes many releases, as others make one")
	folder := starterFolder(t)
	none := without(folder, corrected)
	digest := digests(t, makeRelease(t, none, compiler.Options{NoVariants: true}).Release)["clm-example-vaccine"].String()
	some := strings.Repeat("ab", 32)
	one, two, wrong, three := "{version: 1, sha256: "+some+"}", "{version: 2, sha256: "+digest+"}", "{version: 2, sha256: "+some+"}", "{version: 3, sha256: "+some+"}"
	for _, c := range []struct {
		name, change, before, after, date string
		want                              string
	}{
		{"true", "corrected", one, two, "2026-01-12", ""},
		{"digest", "corrected", one, wrong, "2026-01-12", "as version 2 (" + digest[:12] + "…), but the event says version 2 (abababababab…); write after: {version: 2, sha256: " + digest + "}"},
		{"version", "retracted", two, three, "2026-01-12", "\"clm-example-vaccine\" has no correction with in_version 3 that would make it retracted; delete the event"},
		{"invented retraction", "retracted", one, two, "2026-01-12", "has a correction with in_version 2, so the event is corrected and not retracted"},
		{"invented update", "updated", one, two, "2026-01-12", "so the event is corrected and not updated"},
		{"removal", "removed", two, "null", "2026-01-12", "as version 2 (" + digest[:12] + "…), but the event says nothing"},
		{"too early", "corrected", one, two, "2026-01-11", "its correction is dated 2026-01-12, but the event is dated 2026-01-11"},
		{"created", "created", "null", two, "2026-01-12", "the record's published_date is 2026-01-10, but the event that created it is dated 2026-01-12"},
		{"no before", "corrected", "null", two, "2026-01-12", "before and change_type corrected disagree"},
		{"no after", "corrected", one, "null", "2026-01-12", "after and change_type corrected disagree"},
		{"backwards", "corrected", two, one, "2026-01-12", "the version jumps from 2 to 1"},
		{"source", "source_updated", one, two, "2026-01-12", "so the event is corrected and not source_updated"},
		{"reverified", "reverified", one, two, "2026-01-12", "changed_fields names more than dates and version"},
	} {
		for _, previous := range []bool{false, true} {
			opt := compiler.Options{Date: releaseDate, NoVariants: true}
			if previous {
				opt.Previous = makeRelease(t, none, opt).Release
			}
			own := without(none, "")
			own["records/changes/own.yaml"] = ownEvent(c.change, c.before, c.after, c.date)
			outcome := must.Get(compiler.Build(t.Context(), own, newMemory(), opt))(t)
			found := slices.DeleteFunc(problems(outcome), func(p string) bool { return strings.Contains(p, "EVT02") })
			if !onlyFinds(found, c.want) || c.want != "" && !strings.Contains(found[0], "EVT01") {
				t.Errorf("%s, previous %v: found %q", c.name, previous, found)
			}
		}
	}
}

// TestChangedFieldsExist: an event names members that records of its kind can have.
func TestChangedFieldsExist(t *testing.T) {
	for field, want := range map[string]bool{
		"/claim": true, "/corrections/0": true, "/corrections/0/summary": true, "/claim_boundary/statement": true,
		"/x_own/1/a": true, "/clam": false, "claim": false, "/": false, "/corrections/first": false,
		"/corrections/0/sumary": false, "/claim/0": false, "/signal_type": false,
	} {
		folder := starterFolder(t)
		text := string(folder[corrected].Data)
		text = strings.Replace(text, "changed_fields: [/claim,", fmt.Sprintf("changed_fields: [%q,", field), 1)
		folder[corrected] = &fstest.MapFile{Data: []byte(text)}
		outcome := must.Get(compiler.Check(t.Context(), folder, newMemory(), compiler.Options{Date: releaseDate}))(t)
		found := problems(outcome)
		if want != (len(found) == 0) || !want && !strings.Contains(found[0], "is not a member of the kind") {
			t.Errorf("%q: found %q", field, found)
		}
	}
}

// onlyFinds reports whether what was found is what is wanted, and nothing if that is "".
func onlyFinds(found []string, want string) bool {
	if want == "" {
		return len(found) == 0
	}
	return len(found) == 1 && strings.Contains(found[0], want)
}

// TestEventsOfKnownTime: the build makes the events since the release before; the publisher's are
// older, and fit in with those that are there.
func TestEventsOfKnownTime(t *testing.T) {
	none := without(starterFolder(t), corrected)
	first := makeRelease(t, none, compiler.Options{Date: "2026-01-20", NoVariants: true})
	was := digests(t, first.Release)["clm-example-vaccine"].String()
	changed := revise(t, none, claim, "2026-01-25", "\nversion: 2\n", "\nversion: 3\n")
	second := makeRelease(t, changed, compiler.Options{Date: "2026-01-25", NoVariants: true, Previous: first.Release})
	some := strings.Repeat("ab", 32)
	one, two, wrong := "{version: 1, sha256: "+some+"}", "{version: 2, sha256: "+was+"}", "{version: 2, sha256: "+some+"}"
	for _, c := range []struct{ after, date, release, want string }{
		{two, "2026-01-12", "old", ""},
		{wrong, "2026-01-12", "old", "the next event, chg-" + second.Manifest.Release + "-clm-example-vaccine, has"},
		{two, "2026-01-26", "old", "the event's date is 2026-01-26, after release " + second.Manifest.Release + " of 2026-01-25; delete it"},
		{two, "2026-01-25", "old", "the previous event, chg-" + second.Manifest.Release + "-clm-example-vaccine, ends with"},
		{two, "2026-01-12", second.Manifest.Release, "is published without this event"},
	} {
		own := without(changed, "")
		event := ownEvent("corrected", one, c.after, c.date)
		event.Data = []byte(strings.Replace(string(event.Data), "release: old", "release: "+c.release, 1))
		own["records/changes/own.yaml"] = event
		outcome := must.Get(compiler.Build(t.Context(), own, newMemory(),
			compiler.Options{Date: releaseDate, NoVariants: true, Previous: second.Release}))(t)
		if found := problems(outcome); !onlyFinds(found, c.want) {
			t.Errorf("%+v: found %q", c, found)
		}
	}
}

// TestUntoldChanges: whoever follows the events hears of every correction.
func TestUntoldChanges(t *testing.T) {
	folder := starterFolder(t)
	told := makeRelease(t, folder, compiler.Options{NoVariants: true})
	if got := codesOf(told.outcome); len(got) > 0 {
		t.Errorf("the starter folder: %v", problems(told.outcome))
	}
	none := without(folder, corrected)
	untold := makeRelease(t, none, compiler.Options{NoVariants: true})
	want := "warning EVT02: missing change event for the correction of 2026-01-12 in version 2"
	if got := problems(untold.outcome); len(got) != 1 || !strings.Contains(got[0], want) {
		t.Errorf("without the event: %v", got)
	}
	// The event is in the release before; the folder need not have it.
	again := makeRelease(t, none, compiler.Options{NoVariants: true, Previous: told.Release})
	if len(codesOf(again.outcome)) > 0 {
		t.Errorf("with the event in the release before: %v", problems(again.outcome))
	}
	// A new record comes with its corrections, and the event of its creation tells of both.
	fresh := revise(t, none, claim, string(releaseDate), "published_date: 2026-01-10", "published_date: 2026-01-10\nfirst_published_elsewhere: In a bulletin.")
	before := makeRelease(t, withoutClaim(none), compiler.Options{Date: "2026-01-10", NoVariants: true})
	outcome := makeRelease(t, fresh, compiler.Options{NoVariants: true, Previous: before.Release}).outcome
	if slices.Contains(codesOf(outcome), codes.ChangeWithoutEvent) {
		t.Errorf("a new record: %v", problems(outcome))
	}
	// Events that end before the record does leave something out.
	gap := edit(t, folder, claim, "\nversion: 2\n", "\nversion: 3\n")
	got := problems(makeRelease(t, gap, compiler.Options{NoVariants: true}).outcome)
	if len(got) != 1 || !strings.Contains(got[0], `EVT02: the events about "clm-example-vaccine" end with version 2, but its version is 3`) {
		t.Errorf("with a gap: %v", got)
	}
}

// withoutClaim is a folder without the claim and what refers to it.
func withoutClaim(folder fstest.MapFS) fstest.MapFS {
	left := fstest.MapFS{}
	for name, f := range folder {
		if name != claim && !strings.Contains(string(f.Data), "clm-example-vaccine") {
			left[name] = f
		}
	}
	return left
}
