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

// Drafts are the change events of a new release. Their IDs contain the release's ID, which is not
// known yet. They are stored on disk, because each record may have one.
type Drafts struct {
	date   record.Date
	lines  *lists.Lines
	refs   []draftRef
	counts map[record.ChangeType]int
	buf    []byte // for one event
}

type draftRef struct {
	recordID string
	kind     *record.Kind // of the record
	change   record.ChangeType
	line     lists.Ref
}

// NewDrafts returns an empty list of events for a release of the given date.
func NewDrafts(scratch func() (*os.File, error), date record.Date) (*Drafts, error) {
	lines, err := lists.NewLines(scratch)
	return &Drafts{date: date, lines: lines, counts: map[record.ChangeType]int{}}, err
}

// Add adds an event about a record of kind k, or about the kind's terms, with an optional summary.
// An event about something else has its own title.
func (d *Drafts) Add(k *record.Kind, e record.ChangeEvent, summary string) {
	e.RecordKind, e.Kind, e.Version, e.PublishedDate = record.KindName(k.Name), kindName, 1, d.date
	e.Summary = summary
	if e.ChangedFields == nil {
		e.ChangedFields = []string{}
	}
	if e.ChangeType.OfKind() && e.Title == "" {
		e.Title = "Terms of " + k.Many + " changed"
	}
	d.buf = record.KindNamed(kindName).AppendJSON(d.buf[:0], &e)
	d.refs = append(d.refs, draftRef{string(e.RecordID), k, e.ChangeType, d.lines.Add(d.buf)})
	d.counts[e.ChangeType]++
}

// Finish sorts the events by record.
func (d *Drafts) Finish() error {
	slices.SortFunc(d.refs, func(x, y draftRef) int { return strings.Compare(x.recordID, y.recordID) })
	return d.lines.Flush()
}

// Close closes the file of the events.
func (d *Drafts) Close() error { return d.lines.Close() }

// Len returns the number of events.
func (d *Drafts) Len() int { return len(d.refs) }

// Counts returns the number of events of each type.
func (d *Drafts) Counts() map[record.ChangeType]int { return d.counts }

// ForRelease yields the events with the ID of the release, sorted by record.
func (d *Drafts) ForRelease(releaseID string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var draft, finished []byte
		for i := range d.refs {
			ref := &d.refs[i]
			e := Event{
				ID: ref.eventID(releaseID), Version: 1, Date: string(d.date),
				RecordID: ref.recordID, RecordKind: ref.kind.Name, ChangeType: ref.change,
			}
			var err error
			if draft, err = d.lines.Read(ref.line, draft); err == nil {
				finished = completeDraft(finished[:0], draft, e.ID, releaseID)
			}
			e.Line = finished
			if !yield(e, err) {
				return
			}
		}
	}
}

// completeDraft appends a draft with its ID and release to b. In the draft, the first member id and
// the last member release are empty.
func completeDraft(b, draft []byte, id, releaseID string) []byte {
	const start, end = `{"id":"`, `"}`
	b = append(append(b, start...), id...)
	b = append(b, draft[len(start):len(draft)-len(end)]...)
	return append(append(b, releaseID...), end...)
}

// eventID returns the event's ID, which contains the IDs of the release and the record, or a digest
// of the record's ID if that is too long. The ID of an event about a kind has a dot instead of a
// hyphen, so that it differs from that of any record.
func (r *draftRef) eventID(releaseID string) string {
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
