package build

import (
	"encoding/json"
	"iter"
	"slices"

	"stele/record"
	"stele/release"
)

// changeEvent is the name of the kind that tells of the others.
const changeEvent = "change_event"

// event is a change event as it stands in a release, and what is to be known of it to put it there.
type event struct {
	ID         string            `json:"id"`
	Version    int64             `json:"version"`
	Date       string            `json:"published_date"`
	RecordID   string            `json:"record_id"`
	RecordKind string            `json:"record_kind"`
	ChangeType record.ChangeType `json:"change_type"`
	Release    string            `json:"release"`

	line []byte // its JSON, valid until the next event is read
}

func parseEvent(line []byte) (event, error) {
	var e event
	err := json.Unmarshal(line, &e)
	e.line = line
	return e, err
}

// merged is the events of two sequences in the order of their dates. Of one day, those of the first sequence come first. An error ends it.
func merged(first, second iter.Seq2[event, error]) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		next, stop := iter.Pull2(second)
		defer stop()
		other, otherErr, more := next()
		for e, err := range first {
			for ; more && err == nil && (otherErr != nil || other.Date < e.Date); other, otherErr, more = next() {
				if !yield(other, otherErr) || otherErr != nil {
					return
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		for ; more; other, otherErr, more = next() {
			if !yield(other, otherErr) || otherErr != nil {
				return
			}
		}
	}
}

// writeChanges writes the change events, old and new.
func (b *builder) writeChanges(m *release.Manifest) (err error) {
	if b.chronicle, err = b.newChronicle(merged(b.pastEvents(), b.newEvents(m.Release))); err != nil {
		return err
	}
	k := record.KindNamed(changeEvent)
	place, count := slices.Index(record.Kinds, k), b.chronicle.events.Len()
	kind := m.KindNamed(changeEvent)
	kind.Count, kind.Derived = count, count-len(b.order[place])
	b.asOf[place] = b.chronicle.asOf
	if err := b.writeLines(kind.Collection, b.collectionHead(k, count, b.chronicle.asOf), b.chronicle.told); err != nil {
		return err
	}
	return b.writeLines(kind.Index, indexHead(k, count), b.chronicle.listing)
}

// writeLines writes a collection or listing whose lines are made already.
func (b *builder) writeLines(path string, head []byte, lines *lineFile) error {
	f, err := b.create(path)
	if err != nil {
		return err
	}
	f.begin(head)
	for line, err := range lines.all {
		if err != nil {
			return err
		}
		f.line(line)
	}
	return f.end()
}
