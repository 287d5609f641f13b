package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/standing"
	"stele/record"
)

// correction is a correction of a record. It requires a change event.
type correction struct {
	entry   int32 // the record
	version int64 // the corrected version
	date    standing.Day
	change  record.ChangeType // type of the event
}

func changeTypeOf(t record.CorrectionType) record.ChangeType {
	switch t {
	case record.CorrectionRetraction:
		return record.ChangeRetracted
	case record.CorrectionReinstatement:
		return record.ChangeRestored
	}
	return record.ChangeCorrected
}

// event is a change event that the publisher wrote.
type event struct {
	entry         int32
	record        string
	change        record.ChangeType
	date          record.Date
	release       string
	before, after record.RecordDigest // version 0 means no record
	checkedOnly   bool                // only dates and the version changed
	unchanged     bool                // nothing changed, or only the version
	noMember      string              // one of changed_fields that is not a member of the kind, or ""
}

func newEvent(e *record.ChangeEvent) *event {
	clone := strings.Clone // the index must not keep the file's text
	x := &event{
		record: clone(string(e.RecordID)), change: record.ChangeType(clone(string(e.ChangeType))),
		date: record.Date(clone(string(e.PublishedDate))), release: clone(e.Release),
	}
	digest := func(d *record.RecordDigest) record.RecordDigest {
		if d == nil {
			return record.RecordDigest{}
		}
		return record.RecordDigest{Version: d.Version, SHA256: record.SHA256(clone(string(d.SHA256)))}
	}
	x.before, x.after = digest(e.Before), digest(e.After)
	x.checkedOnly = !slices.ContainsFunc(e.ChangedFields, func(f string) bool {
		return f != "/version" && f != "/updated_date" && f != "/verification_date" && f != "/verified_by"
	})
	x.unchanged = !slices.ContainsFunc(e.ChangedFields, func(f string) bool { return f != "/version" && f != "/updated_date" })
	if k := record.KindNamed(string(e.RecordKind)); k != nil && !e.ChangeType.OfKind() {
		for _, f := range e.ChangedFields {
			if x.noMember == "" && !hasMemberAt(k.Shape(), f) {
				x.noMember = clone(f)
			}
		}
	}
	return x
}

// hasMemberAt reports whether a record with shape s can have a member at pointer.
func hasMemberAt(s *schema.Shape, pointer string) bool {
	names := schema.Steps(pointer)
	for _, name := range names {
		member := slices.IndexFunc(s.Members, func(m schema.Member) bool { return m.Name == name })
		switch {
		case s.Type == schema.Array && len(name) > 0 && strings.Trim(name, "0123456789") == "":
			s = s.Elem
		case s.Type == schema.Object && member >= 0:
			s = s.Members[member].Shape
		case s.Open, s.Extra && strings.HasPrefix(name, "x_"):
			return true
		default:
			return false
		}
	}
	return len(names) > 0
}

func (x *index) addEvents(n int32, f *Facts) {
	for _, c := range f.corrections {
		c.entry = n
		x.corrections = append(x.corrections, c)
	}
	if f.written != nil {
		f.written.entry = n
		x.written = append(x.written, *f.written)
	}
}

// correctionRange returns the range of record n's corrections, which are sorted by record.
func (x *index) correctionRange(n int32) (from, to int) {
	byEntry := func(c correction, n int32) int { return cmp.Compare(c.entry, n) }
	from, _ = slices.BinarySearchFunc(x.corrections, n, byEntry)
	to, _ = slices.BinarySearchFunc(x.corrections, n+1, byEntry)
	return from, to
}

// eventHistories returns the publisher's events by record, in the order of time.
func (x *index) eventHistories() [][]event {
	all := slices.Clone(x.written)
	slices.SortStableFunc(all, func(a, b event) int {
		return cmp.Or(strings.Compare(a.record, b.record), strings.Compare(string(a.date), string(b.date)))
	})
	var list [][]event
	for len(all) > 0 {
		end := 1
		for end < len(all) && all[end].record == all[0].record {
			end++
		}
		list = append(list, all[:end])
		all = all[end:]
	}
	return list
}

// checkHistory reports the first event of a record's history that cannot be true (EVT01), as far as
// the folder shows it. It reports whether all events may be true.
func (c *Checker) checkHistory(history []event) bool {
	for i := range history {
		e := &history[i]
		if message, fix := c.invalidEvent(e); message != "" {
			c.Report(c.Problem(codes.FalseEvent, e.entry, "/change_type", message, fix))
			return false
		}
		if i > 0 && e.before != history[i-1].after {
			c.Report(c.brokenHistoryProblem(e, "the previous event, "+c.ID(history[i-1].entry)+",", history[i-1].after))
			return false
		}
	}
	return true
}

// invalidEvent returns a problem of event e by itself, and its remedy.
func (x *index) invalidEvent(e *event) (message, fix string) {
	created, removed := e.before.Version == 0, e.after.Version == 0
	before, after := e.change.Allows(!created, !removed)
	switch {
	case created && removed:
		return "before and after are both null", "write the record's version and digest in before, after or both"
	case !before:
		return "before and change_type " + string(e.change) + " disagree", "before must be null for a new record, and only then"
	case !after:
		return "after and change_type " + string(e.change) + " disagree", "after must be null for a removed record, and only then"
	case !created && !removed && e.after.Version <= e.before.Version:
		return fmt.Sprintf("the version jumps from %d to %d", e.before.Version, e.after.Version), "each change needs its own version, one higher than the last"
	case e.change == record.ChangeReverified && !e.checkedOnly:
		return "change_type is reverified, but changed_fields names more than dates and version", "choose the type that fits: updated, source_updated or corrected"
	}
	if e.unchanged && !created && !removed && e.change != record.ChangeRestored {
		return "change_type is " + string(e.change) + ", but changed_fields names no member that changed", "name the changed members, such as /title; if nothing changed, delete the event"
	}
	if e.noMember != "" {
		return "changed_fields names " + quoteText(e.noMember) + ", which is not a member of the kind", "use JSON Pointers to members, such as /title or /corrections/0"
	}
	n := x.Number(e.record)
	if n < 0 || removed {
		return "", ""
	}
	if entry := x.entry(n); e.change == record.ChangeCreated && entry.flags&elsewhere == 0 && entry.published != 0 &&
		standing.DayOf(e.date) != entry.published {
		return "the record's published_date is " + entry.published.String() + ", but the event that created it is dated " + string(e.date), "correct the wrong date"
	}
	return x.compareCorrections(e, n)
}

// compareCorrections compares an event with the corrections that the record has for the event's
// versions.
func (x *index) compareCorrections(e *event, n int32) (message, fix string) {
	if e.before.Version == 0 { // it created the record
		return "", ""
	}
	var want record.ChangeType
	from, to := x.correctionRange(n)
	for _, c := range x.corrections[from:to] {
		if c.version <= e.before.Version || c.version > e.after.Version {
			continue
		}
		if want == "" || c.change != record.ChangeCorrected {
			want = c.change
		}
		if standing.DayOf(e.date) < c.date {
			return "its correction is dated " + c.date.String() + ", but the event is dated " + string(e.date), "correct the wrong date"
		}
	}
	says := e.change == record.ChangeCorrected || e.change == record.ChangeRetracted ||
		e.change == record.ChangeRestored
	switch {
	case want == "" && says:
		return fmt.Sprintf("%s has no correction with in_version %d that would make it %s", quoteText(e.record), e.after.Version, e.change), "delete the event; to correct or retract a record, use stele correct or stele retract"
	case want != "" && e.change != want:
		return fmt.Sprintf("%s has a correction with in_version %d, so the event is %s and not %s", quoteText(e.record), e.after.Version, want, e.change), "write change_type: " + string(want)
	case e.change == record.ChangeSourceUpdated && x.entry(n).flags&sourceChanged == 0:
		return quoteText(e.record) + " has no source update", "delete the event, or write the source update into the record"
	}
	return "", ""
}

// brokenHistoryProblem returns the problem of an event whose start differs from the end of the
// previous one.
func (x *index) brokenHistoryProblem(e *event, what string, state record.RecordDigest) schema.Problem {
	return x.newProblem(codes.FalseEvent, e.entry, "/before", schema.Pos{},
		what+" ends with "+quoteText(e.record)+" as "+digestText(state)+", but this event begins with "+digestText(e.before),
		"events must follow one another without a gap: write before: "+digestYAML(state))
}

func digestText(d record.RecordDigest) string {
	if d.Version == 0 {
		return "nothing"
	}
	return fmt.Sprintf("version %d (%.12s…)", d.Version, d.SHA256)
}

func digestYAML(d record.RecordDigest) string {
	if d.Version == 0 {
		return "null"
	}
	return fmt.Sprintf("{version: %d, sha256: %s}", d.Version, d.SHA256)
}

// Events compares the publisher's change events and corrections with releases: the previous
// release, its events, and the release being built.
type Events struct {
	c         *Checker
	release   string      // ID of the previous release; "" for none
	date      record.Date // date of the previous release
	histories [][]event
	carried   map[string][]carriedEvent // by record, only for records with events of the publisher
	known     map[int32]bool            // events of the publisher that are already published
	explained []bool                    // by index: corrections that have an event

	// PreviousUnknown is set if there may be a previous release that was not given. Its events may
	// explain changes that no event here explains. Such changes are counted in Unknown and not
	// reported.
	PreviousUnknown bool
	Unknown         int
}

type carriedEvent struct {
	id string
	*event
}

// Known is the state of a record in two releases.
type Known struct {
	Was     record.RecordDigest // state in the previous release; version 0 if missing there
	Is      record.RecordDigest // state in this release
	Updated record.Date         // updated_date in this release
}

// Events returns the rules for change events after the previous release releaseID, which is "" if
// there is none.
func (c *Checker) Events(releaseID string, date record.Date) *Events {
	e := &Events{
		c: c, release: releaseID, date: date, histories: c.eventHistories(),
		carried: map[string][]carriedEvent{}, known: map[int32]bool{}, explained: make([]bool, len(c.corrections)),
	}
	for _, h := range e.histories {
		e.carried[h[0].record] = nil
	}
	return e
}

// NeedsHistory reports whether AddEarlier must add the earlier events about a record.
func (e *Events) NeedsHistory(recordID string) bool {
	if _, ok := e.carried[recordID]; ok {
		return true
	}
	n := e.c.Number(recordID)
	if n < 0 {
		return false
	}
	from, to := e.c.correctionRange(n)
	return slices.Contains(e.explained[from:to], false)
}

// AddEarlier adds an event of an earlier release about a record for which NeedsHistory returned
// true.
func (e *Events) AddEarlier(x *record.ChangeEvent) {
	seen := newEvent(x)
	if _, ok := e.carried[seen.record]; ok {
		e.carried[seen.record] = append(e.carried[seen.record], carriedEvent{strings.Clone(string(x.ID)), seen})
	}
	e.markEventExplained(seen)
}

// MarkPublished marks the publisher's event n as published in the previous release.
func (e *Events) MarkPublished(n int32) { e.known[n] = true }

// IsPublished reports whether the publisher's event n is in the previous release.
func (e *Events) IsPublished(n int32) bool { return e.known[n] }

// MarkExplained marks the versions of record n later than after, up to upTo, as covered by an event
// of this release.
func (e *Events) MarkExplained(n int32, after, upTo int64) {
	from, to := e.c.correctionRange(n)
	for i := from; i < to; i++ {
		version := e.c.corrections[i].version
		e.explained[i] = e.explained[i] || after < version && version <= upTo
	}
}

func (e *Events) markEventExplained(x *event) {
	if n := e.c.Number(x.record); n >= 0 {
		e.MarkExplained(n, x.before.Version, x.after.Version)
	}
}

// Check reports EVT01 and EVT02: the publisher's events must agree with the releases, and each
// correction needs an event. If know is nil, because problems of records change their digests,
// Check compares only the events themselves.
func (e *Events) Check(know func(recordID string) (Known, error)) error {
	for _, history := range e.histories {
		fresh := slices.DeleteFunc(slices.Clone(history), func(x event) bool { return e.known[x.entry] })
		if len(fresh) == 0 {
			continue
		}
		if know == nil {
			e.c.checkHistory(fresh)
			continue
		}
		known, err := know(history[0].record)
		if err != nil {
			return err
		}
		for i := range fresh {
			e.markEventExplained(&fresh[i])
		}
		if e.c.checkHistory(fresh) {
			e.checkNewEvents(fresh, known)
		}
	}
	for i, c := range e.c.corrections {
		if know != nil && !e.explained[i] {
			e.reportUnexplained(e.c.Problem(codes.ChangeWithoutEvent, c.entry, "/corrections",
				fmt.Sprintf("missing change event for the correction of %s in version %d", c.date, c.version),
				fmt.Sprintf(e.unknownReleaseFix()+"add an event of type %s to records/changes; if version %d is lost, accept this in %s: {code: %s, record: %s, reason: …}",
					c.change, c.version-1, input.SettingsFile, codes.ChangeWithoutEvent, e.c.ID(c.entry))))
		}
	}
	return nil
}

// reportUnexplained reports a change without an event, or counts it if the previous release is
// unknown.
func (e *Events) reportUnexplained(p schema.Problem) {
	if e.PreviousUnknown {
		e.Unknown++
		return
	}
	e.c.Report(p)
}

// unknownReleaseFix returns the start of the remedy for a change without an event, if the previous
// release is unknown.
func (e *Events) unknownReleaseFix() string {
	if e.release != "" {
		return ""
	}
	return "if an earlier release exists, add --previous, because the build then writes the event; otherwise "
}

// checkNewEvents checks the events about a record that are not in a release yet.
func (e *Events) checkNewEvents(fresh []event, known Known) {
	problem := func(x *event, pointer, message, fix string) {
		e.c.Report(e.c.Problem(codes.FalseEvent, x.entry, pointer, message, fix))
	}
	const ours = "delete it: the build writes the events for later changes"
	last := &fresh[len(fresh)-1]
	for i := range fresh {
		switch x := &fresh[i]; {
		case e.release != "" && x.release == e.release:
			problem(x, "/release", "release "+x.release+" is published without this event", ours)
			return
		case e.release != "" && x.date > e.date:
			problem(x, "/published_date", "the event's date is "+string(x.date)+", after release "+e.release+" of "+string(e.date), ours)
			return
		}
	}
	carried := e.carried[last.record]
	if e.release != "" && known.Was.Version == 0 && known.Is.Version != 0 && len(carried) == 0 {
		problem(last, "/record_id", quoteText(last.record)+" is new since release "+e.release,
			"delete it: the build writes the event of its creation; if it was published elsewhere before, set first_published_elsewhere")
		return
	}
	// events of an earlier release come before those of the same day
	next := slices.IndexFunc(carried, func(c carriedEvent) bool { return c.date > last.date })
	earlier := 0
	for earlier < len(carried) && carried[earlier].date <= fresh[0].date {
		earlier++
	}
	if earlier > 0 && carried[earlier-1].after != fresh[0].before {
		before := carried[earlier-1]
		e.c.Report(e.c.brokenHistoryProblem(&fresh[0], "the previous event, "+before.id+",", before.after))
		return
	}
	end, what := known.Is, "this release"
	switch {
	case next >= 0:
		end, what = carried[next].before, "the next event, "+carried[next].id+","
	case e.release != "":
		end, what = known.Was, "release "+e.release
	}
	switch {
	// already reported: the record does not exist
	case e.release == "" && known.Is.Version == 0 && last.after.Version != 0:
	case last.after == end:
		if last.after.Version != 0 && last.after == known.Is && known.Updated > last.date {
			problem(last, "/published_date", "the event's date is "+string(last.date)+", but updated_date of this version is "+string(known.Updated), "correct the wrong date")
		}
	case e.release == "" && end.Version > last.after.Version && last.after.Version != 0:
		e.reportUnexplained(e.c.Problem(codes.ChangeWithoutEvent, last.entry, "/after",
			fmt.Sprintf("the events about %s end with version %d, but its version is %d", quoteText(last.record), last.after.Version, end.Version),
			e.unknownReleaseFix()+"add an event for each later version"))
	default:
		problem(last, "/after", what+" has "+quoteText(last.record)+" as "+digestText(end)+", but the event says "+digestText(last.after),
			"write after: "+digestYAML(end)+", if the event is about this version; if the record changed later, raise its version; otherwise delete the event")
	}
}
