package publish

import (
	"iter"
	"math"
	"slices"
	"strings"

	"stele/internal/build/eventlog"
	"stele/record"
)

// ownEvent is an event that the publisher wrote.
type ownEvent struct {
	date   string
	number int32
}

// ownEvents returns those that no release has yet, in the order of their dates.
func ownEvents(records *corpus, changes *comparison) (list []ownEvent, err error) {
	reader := records.spool.Reader()
	for _, n := range records.of(record.KindNamed(changeEvent)).numbers {
		if changes.events.IsPublished(n) {
			continue
		}
		line, err := reader.Record(n)
		if err != nil {
			return nil, err
		}
		e, err := eventlog.Parse(line)
		if err != nil {
			return nil, err
		}
		list = append(list, ownEvent{strings.Clone(e.Date), n})
	}
	slices.SortStableFunc(list, func(x, y ownEvent) int { return strings.Compare(x.date, y.date) })
	return list, nil
}

// pastEvents returns the events of the collection that a release does not bring itself, in the
// order in which they happened: those of earlier releases but for the first, which were moved into
// archives, and those that the publisher wrote. Those of one day stay as they came, an earlier
// release before a later one.
func pastEvents(records *corpus, changes *comparison, own []ownEvent, moved int) iter.Seq2[eventlog.Event, error] {
	carried := parsed(changes.carried.All, moved, math.MaxInt)
	return eventlog.Merge(carried, func(yield func(eventlog.Event, error) bool) {
		reader := records.spool.Reader()
		for _, o := range own {
			line, err := reader.Record(o.number)
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			if !yield(e, err) {
				return
			}
		}
	})
}

// archivedEvents returns the events that archives have: those of earlier releases, and those that
// were moved there.
func archivedEvents(changes *comparison, moved int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for e, err := range parsed(changes.archived.All, 0, math.MaxInt) {
			if !yield(e, err) {
				return
			}
		}
		parsed(changes.carried.All, 0, moved)(yield)
	}
}

// parsed reads events from one place up to another.
func parsed(lines iter.Seq2[[]byte, error], from, to int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		place := -1
		for line, err := range lines {
			if place++; place == to {
				return
			}
			if place < from && err == nil {
				continue
			}
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			e.Carried = true
			if !yield(e, err) {
				return
			}
		}
	}
}

// measureEvents returns how many events the collection is to have, and the newest date in it.
func measureEvents(changes *comparison, own []ownEvent, moved int, today record.Date) (count int, asOf record.Date) {
	if count = changes.carried.Len() - moved; count > 0 {
		asOf = changes.newest
	}
	if len(own) > 0 {
		asOf = max(asOf, record.Date(own[len(own)-1].date))
	}
	if changes.drafts.Len() > 0 {
		asOf = max(asOf, today)
	}
	return count + len(own) + changes.drafts.Len(), asOf
}
