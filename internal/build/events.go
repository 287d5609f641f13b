package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"stele/record"
	"stele/release"
)

// published is an event as it stands in a release.
type published struct {
	date, id string
	version  int64
	json     []byte
}

// history are the events that this release does not bring itself: those of earlier releases, word for word, and those that the publisher wrote.
func (b *builder) history() ([]published, error) {
	k := record.KindNamed("change_event")
	var events []published
	have := map[string]bool{}
	add := func(line []byte) error {
		e, err := parseEvent(line)
		if err == nil && !have[e.id] {
			have[e.id] = true
			events = append(events, e)
		}
		return err
	}
	if b.previous != nil { // first, because what was published stands
		for line, err := range b.previous.release.Records(k.Name) {
			if err != nil {
				return nil, fmt.Errorf("the previous release cannot be read: %w", err)
			}
			if err := add(line); err != nil {
				return nil, fmt.Errorf("the previous release cannot be read: %s: %w", k.Collection.Path[1:], err)
			}
		}
		b.previous.events = len(events)
	}
	for _, n := range b.order[slices.Index(record.Kinds, k)] {
		line, err := b.spool.record(n)
		if err == nil {
			err = add(line)
		}
		if err != nil {
			return nil, err
		}
	}
	sortEvents(events)
	return events, nil
}

// compareEvents makes sure that no published event was edited, and that no ID of a record that was removed is used again.
func (b *builder) compareEvents() error {
	for line, err := range b.previous.release.Records("change_event") {
		var e record.ChangeEvent
		if err == nil {
			if err = json.Unmarshal(line, &e); err != nil {
				err = fmt.Errorf("%s: %w", b.previous.release.KindNamed("change_event").Collection, err)
			}
		}
		if err != nil {
			return fmt.Errorf("the previous release cannot be read: %w", err)
		}
		if n := b.checker.Number(string(e.ID)); n >= 0 && b.spool.digest(n).sum != release.Sum(line) {
			b.checker.Report(b.checker.Problem(record.COR02, n, "", "this change event was published in release "+b.previous.release.Release+" and has been edited since", "put it back as it was"))
		}
		if n := b.checker.Number(string(e.RecordID)); n >= 0 && e.ChangeType == "removed" && !b.previous.has(string(e.RecordID)) {
			b.checker.Report(b.checker.Problem(record.ID02, n, "/id", "the ID "+quote(string(e.RecordID))+" belonged to a record that was removed in release "+e.Release, "IDs are never reused: give the new record another"))
		}
	}
	return nil
}

func parseEvent(line []byte) (published, error) {
	var e struct {
		ID      string `json:"id"`
		Version int64  `json:"version"`
		Date    string `json:"published_date"`
	}
	err := json.Unmarshal(line, &e)
	return published{e.Date, e.ID, e.Version, bytes.Clone(line)}, err
}

// sortEvents brings events into the order in which they happened. Those of one day stay as they came, an earlier release before a later one.
func sortEvents(events []published) {
	slices.SortStableFunc(events, func(x, y published) int { return strings.Compare(x.date, y.date) })
}

func lines(events []published) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, e := range events {
			if !yield(e.json) {
				return
			}
		}
	}
}

// writeChanges writes the change events, old and new.
func (b *builder) writeChanges(m *release.Manifest, events []published) error {
	k := record.KindNamed("change_event")
	for _, line := range b.finishEvents(m.Release) {
		e, err := parseEvent(line)
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	sortEvents(events)
	kind := m.KindNamed(k.Name)
	kind.Count = len(events)
	kind.Derived = len(events) - len(b.order[slices.Index(record.Kinds, k)])
	asOf := record.Date("")
	for _, e := range events {
		asOf = max(asOf, record.Date(e.date))
	}
	b.asOf[slices.Index(record.Kinds, k)] = asOf
	f, err := b.create(kind.Collection)
	if err != nil {
		return err
	}
	f.begin(b.collectionHead(k, len(events), asOf))
	for _, e := range events {
		f.line(e.json)
	}
	if err := f.end(); err != nil {
		return err
	}
	if f, err = b.create(kind.Index); err != nil {
		return err
	}
	f.begin(indexHead(k, len(events)))
	for _, e := range events {
		f.line(appendEntry(nil, &record.Envelope{ID: record.ID(e.id), Version: e.version}, release.Sum(e.json)))
	}
	return f.end()
}
