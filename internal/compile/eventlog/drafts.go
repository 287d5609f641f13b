package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"os"
	"slices"
	"strings"

	"stele/internal/disk/lists"
	"stele/record"
)

// Drafts are the events that a release brings. Their IDs follow from that of the release, so they
// wait until it has one; there may be as many as records, so they wait on disk.
type Drafts struct {
	date   record.Date
	lines  *lists.Lines
	refs   []draftRef
	counts map[record.ChangeType]int
	buf    []byte // for an event at a time
}

type draftRef struct {
	recordID string
	kind     *record.Kind // of the record
	change   record.ChangeType
	line     lists.Ref
}

// NewDrafts makes a list of events for a release of a date.
func NewDrafts(scratch func() (*os.File, error), date record.Date) (*Drafts, error) {
	lines, err := lists.NewLines(scratch)
	return &Drafts{date: date, lines: lines, counts: map[record.ChangeType]int{}}, err
}

// Add adds what happened to a record of a kind, or to the terms of the kind itself, and why, if
// that was said.
func (d *Drafts) Add(k *record.Kind, e record.ChangeEvent, summary string) {
	e.RecordKind, e.Kind, e.Version, e.PublishedDate = record.KindName(k.Name), kindName, 1, d.date
	e.Summary = summary
	if e.ChangedFields == nil {
		e.ChangedFields = []string{}
	}
	if e.ChangeType.OfKind() {
		e.Title = "Terms of " + k.Many + " changed"
	}
	d.buf = record.KindNamed(kindName).AppendJSON(d.buf[:0], &e)
	d.refs = append(d.refs, draftRef{string(e.RecordID), k, e.ChangeType, d.lines.Add(d.buf)})
	d.counts[e.ChangeType]++
}

// Finish writes what is still in memory and brings the events into the order of their records.
func (d *Drafts) Finish() error {
	slices.SortFunc(d.refs, func(x, y draftRef) int { return strings.Compare(x.recordID, y.recordID) })
	return d.lines.Flush()
}

// Close lets the events on disk go.
func (d *Drafts) Close() error { return d.lines.Close() }

// Len returns how many there are.
func (d *Drafts) Len() int { return len(d.refs) }

// Counts returns how many there are of each type.
func (d *Drafts) Counts() map[record.ChangeType]int { return d.counts }

// Of yields the events of the release with an ID, ordered by record.
func (d *Drafts) Of(releaseID string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var draft, finished []byte
		for i := range d.refs {
			ref := &d.refs[i]
			e := Event{
				ID: ref.id(releaseID), Version: 1, Date: string(d.date),
				RecordID: ref.recordID, RecordKind: ref.kind.Name, ChangeType: ref.change,
			}
			var err error
			if draft, err = d.lines.Read(ref.line, draft); err == nil {
				finished = finish(finished[:0], draft, e.ID, releaseID)
			}
			e.Line = finished
			if !yield(e, err) {
				return
			}
		}
	}
}

// finish appends a draft to b, with its ID and its release. The one is its first member and the
// other its last, and both are empty in the draft.
func finish(b, draft []byte, id, releaseID string) []byte {
	const start, end = `{"id":"`, `"}`
	b = append(append(b, start...), id...)
	b = append(b, draft[len(start):len(draft)-len(end)]...)
	return append(append(b, releaseID...), end...)
}

// id names the event after its release and record; where that is too long for an ID, by a digest of
// the record's ID. What is about a kind has a dot where others have a hyphen, so that no record's
// name can be the same.
func (r *draftRef) id(releaseID string) string {
	id := "chg-" + releaseID + "-" + r.recordID
	switch {
	case r.change.OfKind():
		return "chg-" + releaseID + "." + r.recordID
	case len(id) > 128:
		sum := sha256.Sum256([]byte(r.recordID))
		return "chg-" + releaseID + "-" + hex.EncodeToString(sum[:16])
	}
	return id
}
