package compiler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"stele/internal/base/schema"
	"stele/internal/compile/compiler"
	"stele/internal/compile/restore"
	"stele/internal/compile/standinglist"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/release"
)

// draft is a record of a publisher's folder, as members.
type draft map[string]any

// change is what happened to a draft since the last release.
type change struct {
	created, restored, edited, reverified, updatedSource, corrected, retracted bool
	members                                                                    string // that were edited, with spaces
}

func (c change) any() bool { return c != change{} }

// typ is the type of change by the words of the specification: the first that fits.
func (c change) typ() record.ChangeType {
	switch {
	case c.created:
		return "created"
	case c.restored:
		return "restored"
	case c.retracted:
		return "retracted"
	case c.corrected:
		return "corrected"
	case c.updatedSource:
		return "source_updated"
	case !c.edited:
		return "reverified"
	}
	return "updated"
}

// author is a publisher who edits a folder from release to release.
type author struct {
	t       *rapid.T
	drafts  map[string]draft
	changed map[string]change
	removed []string
	gone    map[string]draft // those that were removed, for good or not
	made    int              // records so far; IDs are never used again
	edge    bool             // whether there was an edge
	day     time.Time
	license string
	// whether it is another than in the release before
	relicensed bool
}

// others refer to these, so they are neither removed nor retracted
const basics = "src-base evd-base ent-base"

func newAuthor(t *rapid.T) *author {
	a := &author{
		t: t, drafts: map[string]draft{}, gone: map[string]draft{}, license: "CC0-1.0",
		day: time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC),
	}
	a.newRelease()
	a.drafts["src-base"] = a.envelope("src-base", "source-objects", draft{"source_type": "report", "producer": "Nobody", "citation_full": "Nobody.", "url_main": "https://example.org", "identifiers": draft{"report": "1"}})
	a.drafts["evd-base"] = a.envelope("evd-base", "evidence", draft{"evidence_type": "guideline", "finding": "Found.", "evidence_label": "not_rated"})
	a.drafts["ent-base"] = a.envelope("ent-base", "entities", draft{"entity_type": "place", "name": "Here"})
	return a
}

func (a *author) newRelease() {
	a.changed, a.removed, a.relicensed = map[string]change{}, nil, false
}

func (a *author) today() string { return a.day.Format(time.DateOnly) }

func (a *author) envelope(id, folder string, members draft) draft {
	d := draft{
		"folder": folder, "id": id, "version": 1, "title": "Record " + id, "summary": "As it was.",
		"source_links":      []any{draft{"url": "https://example.org/" + id, "role": "primary"}},
		"verification_date": a.today(), "published_date": a.today(), "updated_date": a.today(), "source_updates": []any{}, "corrections": []any{},
	}
	maps.Copy(d, members)
	if folder != "source-objects" && folder != "entities" {
		d["claim_boundary"] = draft{"statement": "Nothing beyond."}
	}
	return d
}

// create writes a new record of some kind.
func (a *author) create() {
	a.made++
	n := strconv.Itoa(a.made)
	var d draft
	switch rapid.IntRange(0, 6).Draw(a.t, "kind") {
	case 0:
		d = a.envelope("sig-"+n, "signals", draft{"signal_type": "trend", "observation": "Seen.", "detected_date": a.today(), "evidence_ids": []any{"evd-base"}})
	case 1:
		d = a.envelope("Evd."+n, "evidence", draft{"evidence_type": "guideline", "finding": "Found.", "evidence_label": "not_rated", "entity_ids": []any{"ent-base"}})
	case 2:
		d = a.envelope("clm-"+strings.Repeat("long-", 22)+n, "proof", draft{"claim": "So it is.", "evidence": []any{draft{"evidence_id": "evd-base", "stance": "supports"}}})
	case 3:
		d = a.envelope("ent_"+n, "entities", draft{"entity_type": "outcome", "name": "Out"})
	case 4:
		d = a.envelope("sta-"+n, "healthcare-statistics", draft{
			"indicator": "ind-" + n, "ref_area_scheme": "iso3166", "ref_area": "FRA", "time_period": "2025", "value": 1, "unit": "cases", "unit_label": "cases", "obs_status": "A",
		})
	case 5:
		d = draft{"folder": "graph-nodes", "id": "nod-" + n, "version": 1, "record_id": "ent-base", "record_kind": "entity", "label": "A node", "title": "t"}
	default:
		if a.edge { // the same edge must not stand twice
			return
		}
		a.edge = true
		d = draft{"folder": "graph-edges", "id": "edg-" + n, "version": 1, "source": "ent-base", "target": "src-base", "relation": "part_of", "directed": true, "asserted_by": "src-base"}
	}
	id := d["id"].(string)
	a.drafts[id], a.changed[id] = d, change{created: true}
}

// touch raises the version, once for each release.
func (a *author) touch(id string) (draft, change) {
	d, c := a.drafts[id], a.changed[id]
	if !c.any() {
		d = maps.Clone(d)
		d["version"] = d["version"].(int) + 1
		if d["updated_date"] != nil {
			d["updated_date"] = a.today()
		}
		a.drafts[id] = d
	}
	return d, c
}

func (a *author) edit(id string) {
	d, c := a.touch(id)
	text := rapid.SampledFrom([]string{"A word.", "Another, with \"quotes\" and / and ~.", "é ☃ 𝄞", "<b>&amp;"}).Draw(a.t, "text") + strconv.Itoa(d["version"].(int))
	name := []string{"title", "x_a/b~c", "aliases", "license"}[rapid.IntRange(0, 3).Draw(a.t, "what")]
	switch name {
	case "title":
		d[name] = text
	case "x_a/b~c":
		d[name] = []any{text, draft{"deep": d["version"]}}
	case "aliases":
		d[name] = slices.Repeat([]any{text}, rapid.IntRange(1, 12).Draw(a.t, "aliases"))
	default:
		d[name] = "CC0-" + strconv.Itoa(d["version"].(int))
	}
	c.edited = true
	c.members += " " + name
	a.changed[id] = c
	a.nameMembers(id)
}

// nameMembers makes the last correction of a record that was corrected name all that was edited.
func (a *author) nameMembers(id string) {
	c := a.changed[id]
	if !c.corrected {
		return
	}
	list := slices.Clone(a.drafts[id]["corrections"].([]any))
	last := maps.Clone(list[len(list)-1].(draft))
	fields := []any{"summary"}
	for _, name := range strings.Fields(c.members) {
		fields = append(fields, "/"+strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
	}
	last["fields"] = fields
	list[len(list)-1] = last
	a.drafts[id]["corrections"] = list
}

// reverify checks a record again, unless that was done today.
func (a *author) reverify(id string) {
	if last, ok := a.drafts[id]["verification_date"].(string); !ok || last >= a.today() {
		a.edit(id)
		return
	}
	d, c := a.touch(id)
	d["verification_date"] = a.today()
	c.reverified = true
	a.changed[id] = c
}

func (a *author) correct(id string, retract bool) {
	// a correction belongs to a version after the first, which corrects a member once
	if a.changed[id].created || a.changed[id].corrected && !retract {
		return
	}
	d, c := a.touch(id)
	typ := rapid.SampledFrom([]string{"correction", "clarification", "expression_of_concern", "partial_retraction"}).Draw(a.t, "type")
	if retract {
		typ, c.retracted = "retraction", true
	}
	list, _ := d["corrections"].([]any)
	d["summary"] = "Corrected " + strconv.Itoa(len(list))
	d["corrections"] = append(
		slices.Clone(list),
		draft{
			"date":       a.today(),
			"type":       typ,
			"in_version": d["version"],
			"fields":     []any{"summary"},
			"summary":    "Correction " + strconv.Itoa(len(list)),
		},
	)
	c.corrected = true
	a.changed[id] = c
	a.nameMembers(id)
}

func (a *author) sourceUpdate(id string) {
	d, c := a.touch(id)
	list, _ := d["source_updates"].([]any)
	d["source_updates"] = append(slices.Clone(list), draft{"date": a.today(), "type": "clarification", "summary": "Update " + strconv.Itoa(len(list)), "effect": "none"})
	c.updatedSource = true
	a.changed[id] = c
}

func (a *author) remove(id string) {
	if a.changed[id].restored { // a release that removes it would bring it back at once
		return
	}
	if !a.changed[id].created {
		a.removed = append(a.removed, id)
		a.gone[id] = a.drafts[id]
	}
	delete(a.drafts, id)
	delete(a.changed, id)
}

// restore brings back a record that an earlier release removed, as a higher version.
func (a *author) restore() {
	for _, id := range slices.Sorted(maps.Keys(a.gone)) {
		if slices.Contains(a.removed, id) {
			continue
		}
		a.drafts[id] = a.gone[id]
		delete(a.gone, id)
		a.touch(id)
		a.changed[id] = change{restored: true}
		return
	}
}

// work edits the folder somehow, some time later.
func (a *author) work() {
	years := max(0, rapid.IntRange(-3, 2).Draw(a.t, "years"))
	a.day = a.day.AddDate(years, 0, rapid.IntRange(0, 40).Draw(a.t, "days"))
	if rapid.Bool().Draw(a.t, "restore") {
		a.restore()
	}
	if was := a.license; rapid.IntRange(0, 4).Draw(a.t, "relicense") == 0 {
		a.license = "CC-BY-" + strconv.Itoa(rapid.IntRange(1, 1000).Draw(a.t, "license")) + ".0"
		a.relicensed = a.license != was
	}
	for range rapid.IntRange(0, 6).Draw(a.t, "edits") {
		action := rapid.IntRange(0, 6).Draw(a.t, "action")
		if action == 0 {
			a.create()
			continue
		}
		id := rapid.SampledFrom(slices.Sorted(maps.Keys(a.drafts))).Draw(a.t, "id")
		basic := strings.Contains(basics, id)
		switch {
		case action == 1:
			a.edit(id)
		case action == 2:
			a.reverify(id)
		case action == 3:
			a.correct(id, false)
		case action == 4:
			a.sourceUpdate(id)
		case action == 5 && !basic:
			a.correct(id, true)
		case action == 6 && !basic:
			a.remove(id)
		}
	}
}

// folder writes the records into files, in one of two ways.
func (a *author) folder() fstest.MapFS {
	folder := fstest.MapFS{"stele.yaml": {Data: []byte("{title: t, base_url: https://example.org, publisher: p, license: " + a.license + ", contact: c@example.org, language: en, notice: n}")}}
	together := rapid.Bool().Draw(a.t, "together")
	for _, id := range slices.Sorted(maps.Keys(a.drafts)) {
		d := maps.Clone(a.drafts[id])
		dir := "records/" + d["folder"].(string) + "/"
		delete(d, "folder")
		line := must.Get(json.Marshal(d))(a.t)
		at := dir + id + ".json"
		if together {
			at = dir + "all.ndjson"
		}
		if folder[at] == nil {
			folder[at] = &fstest.MapFile{}
		}
		folder[at].Data = append(append(folder[at].Data, line...), '\n')
	}
	return folder
}

// TestReplay: whatever a publisher does, applying the events to the digests of the old release
// gives exactly the new one, and so does applying the deltas to the collections of any release.
func TestReplay(t *testing.T) {
	race.LeaveOut(t, "makes very many releases, as others make one")
	seen := map[record.ChangeType]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := newAuthor(t)
		for range rapid.IntRange(0, 5).Draw(t, "records") {
			a.create()
		}
		before := makeRelease(t, a.folder(), compiler.Options{Date: record.Date(a.today()), NoVariants: true})
		all := []made{before}
		for range rapid.IntRange(2, 6).Draw(t, "releases") {
			a.newRelease()
			a.work()
			now := makeRelease(t, a.folder(), compiler.Options{
				Date: record.Date(
					a.today(),
				), Previous: before.Release, NoVariants: true,
				AllowRemoved: a.removed, AllowShrink: true, AllowLicense: true,
			})
			verify(t, now.Release)
			checkStandings(t, now.Release)
			if len(a.changed) == 0 && len(a.removed) == 0 && !a.relicensed {
				sameFiles(t, "unchanged", now.files, before.files)
			} else {
				checkEvents(t, a, before, now, seen)
				all = append(all, now)
			}
			for _, earlier := range all {
				checkDeltas(t, earlier.Release, now.Release)
			}
			before = now
		}
		checkRestored(t, all)
	})
	seen[record.ChangeAreas]++    // examples/norway tests it
	seen[record.ChangeRedacted]++ // what that takes out cannot be replayed; cmd/stele tests it
	for _, v := range schema.ListOf[record.ChangeType]() {
		if seen[record.ChangeType(v.Word)] == 0 && !testing.Short() { // which makes a fifth of them
			t.Errorf("no event was %s", v.Word)
		}
	}
}

// checkEvents compares the new events with what the author did, and replays them.
func checkEvents(t *rapid.T, a *author, before, now made, seen map[record.ChangeType]int) {
	t.Helper()
	_, oldLines := events(t, before.Release)
	typed, lines := events(t, now.Release)
	for _, line := range oldLines {
		if !slices.Contains(lines, line) {
			t.Fatalf("an earlier event was not carried over word for word: %s", line)
		}
	}
	state, ids := digests(t, before.Release), map[record.ID]bool{}
	fresh, kinds, counts := 0, 0, map[record.ChangeType]int{}
	for i, e := range typed {
		if ids[e.ID] {
			t.Fatalf("event %s stands twice", e.ID)
		}
		ids[e.ID] = true
		if message, _ := e.ID.Problem(); message != "" {
			t.Fatalf("event ID %s: %s", e.ID, message)
		}
		if slices.Contains(oldLines, lines[i]) {
			continue
		}
		if counts[e.ChangeType]++; e.ChangeType == "relicensed" {
			seen["relicensed"]++
			kinds++
			if !a.relicensed || e.Before != nil || e.After != nil || !strings.Contains(e.Summary, a.license) {
				t.Fatalf("the terms changed: %+v", e)
			}
			continue
		}
		fresh++
		seen[e.ChangeType]++
		if e.Release != now.Manifest.Release || string(e.PublishedDate) != a.today() {
			t.Fatalf("the event is of release %s, %s", e.Release, e.PublishedDate)
		}
		want := record.ChangeType("removed")
		if !slices.Contains(a.removed, string(e.RecordID)) {
			want = a.changed[string(e.RecordID)].typ()
		}
		if e.ChangeType != want {
			t.Fatalf("%s was %s, but the event says %s", e.RecordID, want, e.ChangeType)
		}
		replay(t, state, &e)
		checkFields(t, before, now, &e)
	}
	if a.relicensed != (kinds > 0) {
		t.Fatalf("%d kinds have other terms", kinds)
	}
	if want := len(a.changed) + len(a.removed); fresh != want || len(lines) != len(oldLines)+want+kinds {
		t.Fatalf("%d new events of %d, want %d", fresh, len(lines), want)
	}
	if want := digests(t, now.Release); !maps.Equal(state, want) {
		t.Fatalf("applying the events gives %v, want %v", state, want)
	}
	if !maps.Equal(counts, now.outcome.Changes) {
		t.Fatalf("the outcome counts %v, and there are %v", now.outcome.Changes, counts)
	}
}

// checkRestored: the last of some releases gives every earlier one, record by record; and what is
// derived from the records of one of them is what it was.
func checkRestored(t *rapid.T, all []made) {
	t.Helper()
	last := all[len(all)-1]
	again := rapid.IntRange(0, len(all)-1).Draw(t, "built again")
	for place, then := range all {
		folder := fstest.MapFS{}
		past, count, _, err := restore.Records(
			t.Context(), last.Release, place, newMemory().Scratch, intoFolder(folder))
		if err != nil {
			t.Fatalf("release %d of %d: %v", place, len(all), err)
		}
		want := then.Manifest
		if past.Release != want.Release || past.Date != want.Date || past.Content != want.Content {
			t.Fatalf("release %d is %+v, and was %s", place, past, then.Manifest.Release)
		}
		if want := len(digests(t, then.Release)); count != want {
			t.Fatalf("%d records, want %d", count, want)
		}
		if place != again {
			continue
		}
		built := makeRelease(t, folder, compiler.Options{Date: record.Date(past.Date), NoVariants: true})
		for _, k := range then.Manifest.Kinds {
			if k.Kind != "change_event" && string(built.files[k.Collection]) != string(then.files[k.Collection]) {
				t.Fatalf("%s is\n%s\nand was\n%s", k.Collection, built.files[k.Collection], then.files[k.Collection])
			}
		}
	}
}

// checkStandings: the records of a release give its standings.
func checkStandings(t tb, r *release.Release) {
	t.Helper()
	faults, err := standinglist.Verify(context.Background(), r)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%q, %v", faults, err)
	}
}

// intoFolder writes files into a folder in memory.
func intoFolder(folder fstest.MapFS) func(path string) (io.WriteCloser, error) {
	return func(path string) (io.WriteCloser, error) { return folderFile{folder, path, new(bytes.Buffer)}, nil }
}

type folderFile struct {
	folder fstest.MapFS
	path   string
	*bytes.Buffer
}

func (f folderFile) Close() error {
	f.folder[f.path] = &fstest.MapFile{Data: f.Bytes()}
	return nil
}

// replay applies an event to digests.
func replay(t tb, state map[string]release.Digest, e *record.ChangeEvent) {
	t.Helper()
	old, had := state[string(e.RecordID)]
	if had != (e.Before != nil) || had && old.String() != string(e.Before.SHA256) {
		t.Fatalf("%s was not as the event says", e.RecordID)
	}
	if e.After == nil {
		delete(state, string(e.RecordID))
		return
	}
	var d release.Digest
	must.Do(t, d.UnmarshalText([]byte(e.After.SHA256)))
	state[string(e.RecordID)] = d
}

// checkFields makes sure that the fields of an event are those in which the record differs.
func checkFields(t tb, before, now made, e *record.ChangeEvent) {
	t.Helper()
	if !slices.IsSorted(e.ChangedFields) || len(slices.Compact(slices.Clone(e.ChangedFields))) != len(e.ChangedFields) {
		t.Fatalf("the fields are not sorted: %q", e.ChangedFields)
	}
	if e.Before == nil || e.After == nil {
		if len(e.ChangedFields) > 0 {
			t.Fatalf("%s has fields %q", e.ChangeType, e.ChangedFields)
		}
		return
	}
	was, is := member(t, before, e), member(t, now, e)
	if fmt.Sprint(was["version"]) != fmt.Sprint(e.Before.Version) || fmt.Sprint(is["version"]) != fmt.Sprint(e.After.Version) {
		t.Fatalf("the versions are %v and %v, but the event says %v and %v", was["version"], is["version"], e.Before.Version, e.After.Version)
	}
	for _, pointer := range e.ChangedFields {
		x, okX := resolve(was, pointer)
		y, okY := resolve(is, pointer)
		if !okX && !okY {
			t.Fatalf("%s points at nothing", pointer)
		}
		if okX == okY && jsonText(t, x) == jsonText(t, y) {
			t.Fatalf("%s does not differ", pointer)
		}
	}
	// Every member that differs has a field in it.
	for name := range maps.Keys(is) {
		if jsonText(t, was[name]) != jsonText(t, is[name]) {
			escaped := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			if !slices.ContainsFunc(
				e.ChangedFields,
				func(f string) bool { return f == escaped || strings.HasPrefix(f, escaped+"/") },
			) {
				t.Fatalf("%s differs, and the fields are %q", name, e.ChangedFields)
			}
		}
	}
}

// member is the record of an event in a release.
func member(t tb, r made, e *record.ChangeEvent) map[string]any {
	t.Helper()
	for line, err := range r.Records(string(e.RecordKind)) {
		must.Do(t, err)
		if idOf(t, line) == string(e.RecordID) {
			var doc map[string]any
			must.Do(t, json.Unmarshal(line, &doc))
			return doc
		}
	}
	t.Fatalf("%s has no %s", e.RecordKind, e.RecordID)
	return nil
}

// resolve follows a JSON Pointer (RFC 6901).
func resolve(v any, pointer string) (any, bool) {
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch x := v.(type) {
		case map[string]any:
			value, ok := x[step]
			if !ok {
				return nil, false
			}
			v = value
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func jsonText(t tb, v any) string {
	t.Helper()
	b := must.Get(json.Marshal(v))(t)
	return string(b)
}
