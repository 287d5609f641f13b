package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stele/record"
	"stele/release"
)

// draft is a new event that waits for the release to have an ID, from which its own follows.
type draft struct {
	recordID string
	kind     *record.Kind // of the record
	place    linePlace
}

// addEvent notes what happened to a record. There may be as many events as records, so they wait on
// disk.
func (b *builder) addEvent(
	typ record.ChangeType,
	id string,
	k *record.Kind,
	before, after *record.RecordDigest,
	fields []string,
) {
	e := record.ChangeEvent{
		RecordID:      record.ID(id),
		RecordKind:    record.KindName(k.Name),
		ChangeType:    typ,
		Before:        before,
		After:         after,
		ChangedFields: fields,
	}
	e.Kind, e.Version, e.PublishedDate = changeEvent, 1, b.opt.Date
	b.buf = record.AppendJSON(b.buf[:0], record.KindNamed(changeEvent), &e)
	b.drafts = append(b.drafts, draft{id, k, b.drafted.add(b.buf)})
	b.changes[typ]++
}

// tell makes the event for a record that changed, and checks that its version, corrections and
// source updates tell of it.
func (b *builder) tell(k *record.Kind, item *known, c *change) {
	fields := pointers(c.differences)
	b.checkVersion(item.now, &c.was, &c.is, fields)
	b.checkHistory(item.now, &c.was, &c.is)
	b.addEvent(typeOf(&c.was, &c.is, fields), b.checker.ID(item.now), k,
		&record.RecordDigest{Version: c.was.Version, SHA256: record.SHA256(item.sum.String())},
		&record.RecordDigest{
			Version: c.is.Version,
			SHA256:  record.SHA256(b.spool.digest(item.now).sum.String()),
		},
		fields,
	)
}

// checkVersion is VER01, VER02 and VER04.
func (b *builder) checkVersion(n int32, was, is *record.Envelope, fields []string) {
	problem := func(code record.Code, message, fix string) {
		b.checker.Report(b.checker.Problem(code, n, "/version", message, fix))
	}
	next := strconv.FormatInt(was.Version+1, 10)
	switch {
	case is.Version == was.Version:
		problem(record.ChangedWithoutVersion, "the record changed ("+shortList(fields)+"), but its version is "+strconv.FormatInt(is.Version, 10)+" still", "write version: "+next)
	case is.Version < was.Version:
		problem(record.VersionFell, "the version fell from "+strconv.FormatInt(was.Version, 10)+" to "+strconv.FormatInt(is.Version, 10), "write version: "+next)
	case is.Version > was.Version+1:
		problem(record.VersionWithoutChange, "the version rose from "+strconv.FormatInt(was.Version, 10)+" to "+strconv.FormatInt(is.Version, 10), "write version: "+next)
	case slices.Equal(fields, []string{"/version"}):
		problem(record.VersionWithoutChange, "the version rose, but nothing else changed", "write version: "+strconv.FormatInt(was.Version, 10))
	}
}

// checkHistory is COR01 and COR02: what was said stays said, and what is new belongs to a new
// version.
func (b *builder) checkHistory(n int32, was, is *record.Envelope) {
	edited := false // what was edited looks like a new one
	for i, c := range was.Corrections {
		if !slices.ContainsFunc(is.Corrections, func(d record.Correction) bool { return reflect.DeepEqual(c, d) }) {
			edited = true
			b.checker.Report(
				b.checker.Problem(
					record.CorrectionLost,
					n,
					"/corrections",
					fmt.Sprintf(
						"the correction of %s (%d in release %s) was deleted or edited",
						c.Date,
						i,
						b.previous.release.Release,
					),
					"put it back as it was; add a new correction if there is more to say",
				),
			)
		}
	}
	for i, u := range was.SourceUpdates {
		if !slices.Contains(is.SourceUpdates, u) {
			b.checker.Report(
				b.checker.Problem(
					record.CorrectionLost,
					n,
					"/source_updates",
					fmt.Sprintf(
						"the source update of %s (%d in release %s) was deleted or edited",
						u.Date,
						i,
						b.previous.release.Release,
					),
					"put it back as it was; add a new source update if there is more to say",
				),
			)
		}
	}
	for i, c := range is.Corrections {
		if !edited && c.InVersion <= was.Version && is.Version > was.Version && newCorrection(was, c) {
			b.checker.Report(
				b.checker.Problem(
					record.WrongInVersion,
					n,
					fmt.Sprintf("/corrections/%d/in_version", i),
					fmt.Sprintf(
						"a new correction says in_version %d, but that version is published without it",
						c.InVersion,
					),
					"write in_version: "+strconv.FormatInt(is.Version, 10),
				),
			)
		}
	}
}

func newCorrection(was *record.Envelope, c record.Correction) bool {
	return !slices.ContainsFunc(was.Corrections, func(d record.Correction) bool { return reflect.DeepEqual(c, d) })
}

// ChangeType is what happened to a record, between two states of it.
func ChangeType(old, now []byte, differences []release.Difference) (record.ChangeType, error) {
	var was, is record.Envelope
	old, now = apart(old, now)
	if err := errors.Join(json.Unmarshal(old, &was), json.Unmarshal(now, &is)); err != nil {
		return "", err
	}
	return typeOf(&was, &is, pointers(differences)), nil
}

func pointers(differences []release.Difference) []string {
	list := make([]string, len(differences))
	for i, d := range differences {
		list[i] = d.Pointer
	}
	return list
}

// typeOf is the first type of change that fits.
func typeOf(was, is *record.Envelope, fields []string) record.ChangeType {
	corrected := false
	for _, c := range is.Corrections {
		if newCorrection(was, c) {
			if c.Type == "retraction" {
				return "retracted"
			}
			corrected = true
		}
	}
	switch {
	case corrected:
		return "corrected"
	case slices.ContainsFunc(is.SourceUpdates, func(u record.SourceUpdate) bool { return !slices.Contains(was.SourceUpdates, u) }):
		return "source_updated"
	case !slices.ContainsFunc(fields, func(f string) bool {
		return f != "/verification_date" && f != "/updated_date" && f != "/version"
	}):
		return "reverified"
	}
	return "updated"
}

// newEvents are those that this release brings, ordered by record.
func (b *builder) newEvents(releaseID string) iter.Seq2[event, error] {
	slices.SortFunc(b.drafts, func(x, y draft) int { return strings.Compare(x.recordID, y.recordID) })
	return func(yield func(event, error) bool) {
		var drafted, finished []byte
		for i := range b.drafts {
			d := &b.drafts[i]
			e := event{
				ID:         eventID(releaseID, d.recordID),
				Version:    1,
				Date:       string(b.opt.Date),
				RecordID:   d.recordID,
				RecordKind: d.kind.Name,
			}
			var err error
			if drafted, err = b.drafted.read(d.place, drafted); err == nil {
				finished = finish(finished[:0], drafted, e.ID, releaseID)
			}
			e.line = finished
			if !yield(e, err) {
				return
			}
		}
	}
}

// finish appends a drafted event to b, with its ID and its release. The one is its first member and
// the other its last, and both are empty in the draft.
func finish(b, draft []byte, id, releaseID string) []byte {
	const start, end = `{"id":"`, `"}`
	b = append(append(b, start...), id...)
	b = append(b, draft[len(start):len(draft)-len(end)]...)
	return append(append(b, releaseID...), end...)
}

// eventID names an event after its release and record; where that is too long for an ID, by a
// digest of the record's ID.
func eventID(releaseID, recordID string) string {
	id := "chg-" + releaseID + "-" + recordID
	if len(id) > 128 {
		sum := release.Sum([]byte(recordID))
		id = "chg-" + releaseID + "-" + sum.String()[:32]
	}
	return id
}

func shortList(fields []string) string {
	if len(fields) > 4 {
		return strings.Join(fields[:4], ", ") + fmt.Sprintf(" and %d more", len(fields)-4)
	}
	return strings.Join(fields, ", ")
}

func quote(s string) string { return strconv.Quote(s) }
