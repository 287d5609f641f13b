package publish

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"stele/internal/check"
	"stele/record"
	"stele/release"
)

// history is the change events that a release does not bring itself. There are more of them with
// every release, so they stay on disk.
type history struct {
	// those of earlier releases, word for word, in the order of their dates; nil if there is no
	// release before
	carried *lineFile
	removed map[string]*check.Removed // by ID in lower case: the records that are gone
	known   map[int32]bool            // by number: those that the publisher wrote and a release has already
	// those that the publisher wrote and no release has yet, in the order of their dates
	own []ownEvent
}

type ownEvent struct {
	date   string
	number int32
}

// readCarried reads the events of the previous release. It makes sure that none of them was edited,
// and finds the records that were removed.
func (b *builder) readCarried() (err error) {
	h := &b.history
	if h.carried, err = newLineFile(b.w); err != nil {
		return err
	}
	h.known, h.removed = map[int32]bool{}, map[string]*check.Removed{}
	last := ""
	for line, err := range b.previous.release.Records(changeEvent) {
		if err != nil {
			return fmt.Errorf("the previous release cannot be read: %w", err)
		}
		e, err := parseEvent(line)
		switch {
		case err != nil:
		case !json.Valid(line):
			err = fmt.Errorf("event %s is not valid JSON", e.ID)
		case e.Date < last:
			err = fmt.Errorf("event %s of %s stands behind one of %s", e.ID, e.Date, last)
		}
		if err != nil {
			return fmt.Errorf("the previous release cannot be read: %s: %w", b.previous.release.KindNamed(changeEvent).Collection, err)
		}
		last = e.Date
		h.carried.add(line)
		if err := b.compareEvent(&e); err != nil {
			return fmt.Errorf("the previous release cannot be read: event %s: %w", e.ID, err)
		}
	}
	return h.carried.flush()
}

// compareEvent compares an event of the previous release with the records, and notes which records
// are gone.
func (b *builder) compareEvent(e *event) error {
	if n := b.checker.Number(e.ID); n >= 0 {
		b.history.known[n] = true
		if b.spool.digest(n).sum != release.Sum(e.line) {
			b.rules.EventEdited(n)
		}
	}
	folded := record.ID(e.RecordID).Fold()
	switch e.ChangeType {
	case "created", "restored":
		delete(b.history.removed, folded)
	case "removed":
		var told record.ChangeEvent
		if err := json.Unmarshal(e.line, &told); err != nil {
			return err
		}
		was := &check.Removed{ID: string(told.RecordID), Kind: string(told.RecordKind), Release: told.Release}
		if told.Before != nil {
			was.Version, was.SHA256 = told.Before.Version, string(told.Before.SHA256)
		}
		b.history.removed[folded] = was
	}
	return nil
}

// findOwnEvents finds the events that the publisher wrote and no release has yet. Those of one day
// stay in the order of their IDs.
func (b *builder) findOwnEvents() error {
	h := &b.history
	for _, n := range b.order[slices.Index(record.Kinds, record.KindNamed(changeEvent))] {
		if h.known[n] {
			continue
		}
		e, err := b.ownEvent(n)
		if err != nil {
			return err
		}
		h.own = append(h.own, ownEvent{strings.Clone(e.Date), n})
	}
	slices.SortStableFunc(h.own, func(x, y ownEvent) int { return strings.Compare(x.date, y.date) })
	return nil
}

func (b *builder) ownEvent(n int32) (event, error) {
	line, err := b.spool.record(n)
	if err != nil {
		return event{}, err
	}
	return parseEvent(line)
}

// pastEvents are the events of the history, in the order in which they happened. Those of one day
// stay as they came, an earlier release before a later one.
func (b *builder) pastEvents() iter.Seq2[event, error] {
	return merged(func(yield func(event, error) bool) {
		if b.history.carried == nil {
			return
		}
		for line, err := range b.history.carried.all {
			var e event
			if err == nil {
				e, err = parseEvent(line)
			}
			if !yield(e, err) {
				return
			}
		}
	}, func(yield func(event, error) bool) {
		for _, o := range b.history.own {
			if !yield(b.ownEvent(o.number)) {
				return
			}
		}
	})
}

// closeEvents lets go of the events on disk.
func (b *builder) closeEvents() {
	for _, f := range []*lineFile{b.history.carried, b.drafted} {
		if f != nil {
			f.close()
		}
	}
	if b.chronicle != nil {
		b.chronicle.close()
	}
}
