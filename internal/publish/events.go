package publish

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"stele/record"
	"stele/release"
)

// changeEvent is the name of the kind that tells of the others.
const changeEvent = record.KindChangeEvent

// event is a change event as it stands in a release, and what is to be known of it to put it there.
type event struct {
	ID         string            `json:"id"`
	Version    int64             `json:"version"`
	Date       string            `json:"published_date"`
	RecordID   string            `json:"record_id"`
	RecordKind string            `json:"record_kind"`
	ChangeType record.ChangeType `json:"change_type"`

	line []byte // its JSON, valid until the next event is read
}

// parseEvent reads what is to be known of an event. It need not find out what is wrong with the
// rest.
func parseEvent(line []byte) (event, error) {
	if e, ok := scanEvent(line); ok {
		return e, nil
	}
	e := event{line: line}
	err := json.Unmarshal(line, &e)
	return e, err
}

// scanEvent reads an event as this program makes them, in a tenth of the time that a library for
// any JSON takes. It gives up on what has another form, such as an event with a summary, which a
// publisher wrote.
func scanEvent(line []byte) (e event, ok bool) {
	rest, ok := string(line), true
	text := func(before string) string {
		behind, found := strings.CutPrefix(rest, before)
		text, behind, ended := strings.Cut(behind, `"`)
		rest, ok = behind, ok && found && ended && record.PlainBytes(text) == len(text)
		return text
	}
	e.ID, e.Version, e.line = text(`{"id":"`), 1, line
	e.Date = text(`,"kind":"` + changeEvent + `","version":1,"published_date":"`)
	e.RecordID = text(`,"record_id":"`)
	e.RecordKind = text(`,"record_kind":"`)
	e.ChangeType = record.ChangeType(text(`,"change_type":"`))
	return e, ok
}

// merged is the events of two sequences in the order of their dates. Of one day, those of the first
// sequence come first. An error ends it.
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
	b.drafts = nil
	k := record.KindNamed(changeEvent)
	place, count := slices.Index(record.Kinds, k), b.chronicle.events.Len()
	kind := m.KindNamed(changeEvent)
	kind.Count, kind.Derived = count, count-len(b.order[place])
	b.asOf[place] = b.chronicle.asOf
	if err := b.writeLines(kind.Collection, b.collectionHead(k, count, b.chronicle.asOf),
		b.chronicle.told); err != nil {
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
