package publish

import (
	"iter"
	"slices"
	"strings"

	"stele/internal/check"
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

// addChange checks a record that changed against what it was, and makes the event for it.
func (b *builder) addChange(k *record.Kind, item *known, c *check.Change) {
	b.rules.Changed(item.now, c)
	b.addEvent(c.Type(), b.checker.ID(item.now), k,
		&record.RecordDigest{Version: c.Was.Version, SHA256: record.SHA256(item.sum.String())},
		&record.RecordDigest{
			Version: c.Is.Version,
			SHA256:  record.SHA256(b.spool.digest(item.now).sum.String()),
		},
		c.Fields(),
	)
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
