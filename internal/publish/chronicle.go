package publish

import (
	"errors"
	"iter"
	"slices"
	"sync"

	"stele/internal/chunked"
	"stele/internal/render"
	"stele/record"
	"stele/release"
)

// chronicle is all change events of a release, in the order in which they happened. They lie on
// disk, where those who make pages and feeds read them; memory keeps twenty bytes of each.
type chronicle struct {
	told    *lineFile               // the events
	listing *lineFile               // their lines of the listing
	events  chunked.List[toldEvent] // in their order
	ofKind  []chunked.List[int32]   // by kind: the events about its records, likewise
	// by number of a record: the last event about it, counted from 1; nil where there are no events
	latest []int32
	asOf   record.Date // the newest date
	idle   sync.Pool   // of eventReaders
}

type toldEvent struct {
	offset  int64
	length  uint32
	earlier int32 // the event before it about the same record, counted from 1; 0 for none
}

func (t *toldEvent) place() linePlace { return linePlace{t.offset, t.length} }

// newChronicle brings the events of a release together.
func (b *builder) newChronicle(events iter.Seq2[event, error]) (_ *chronicle, err error) {
	c := &chronicle{ofKind: make([]chunked.List[int32], len(record.Kinds))}
	c.idle.New = func() any { return &eventReader{c, new(record.Parser), nil} }
	if c.told, err = newLineFile(b.w); err != nil {
		return nil, err
	}
	if c.listing, err = newLineFile(b.w); err != nil {
		return nil, errors.Join(err, c.told.file.Close())
	}
	for e, err := range events {
		if err != nil {
			c.close()
			return nil, err
		}
		b.buf = appendEntry(b.buf[:0], &record.Envelope{ID: record.ID(e.ID), Version: e.Version}, release.Sum(e.line))
		c.listing.add(b.buf)
		c.add(&e, b.checker.Number(e.RecordID), b.spool.stored.Len())
	}
	if err := errors.Join(c.told.flush(), c.listing.flush()); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// add notes an event about the record with a number, of so many; the number is -1 if there is no
// such record any more.
func (c *chronicle) add(e *event, number int32, records int) {
	if c.latest == nil {
		c.latest = make([]int32, records)
	}
	at := c.told.add(e.line)
	told := toldEvent{offset: at.offset, length: at.length}
	c.asOf = max(c.asOf, record.Date(e.Date))
	n := int32(c.events.Len())
	if number >= 0 {
		told.earlier, c.latest[number] = c.latest[number], n+1
	}
	c.events.Add(told)
	if kind := slices.IndexFunc(record.Kinds, func(k *record.Kind) bool { return k.Name == e.RecordKind }); kind >= 0 {
		c.ofKind[kind].Add(n)
	}
}

func (c *chronicle) close() {
	c.told.close()
	c.listing.close()
}

// eventReader reads events, for one goroutine.
type eventReader struct {
	c      *chronicle
	parser *record.Parser
	buf    []byte
}

func (r *eventReader) read(at linePlace) (*record.ChangeEvent, error) {
	var err error
	if r.buf, err = r.c.told.read(at, r.buf); err != nil {
		return nil, err
	}
	rec, err := r.parser.Parse(record.KindNamed(changeEvent), r.buf)
	if err != nil {
		return nil, err
	}
	return rec.(*record.ChangeEvent), nil
}

// each reads the events at places, one by one. An error ends it.
func (c *chronicle) each(places iter.Seq[linePlace]) iter.Seq2[*record.ChangeEvent, error] {
	return func(yield func(*record.ChangeEvent, error) bool) {
		r := c.idle.Get().(*eventReader)
		defer c.idle.Put(r)
		for at := range places {
			if e, err := r.read(at); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// of are the events about the record with a number.
func (c *chronicle) of(number int32) render.Events {
	if c.latest == nil || c.latest[number] == 0 {
		return noEvents{}
	}
	return eventsOfRecord{c, c.latest[number]}
}

// noEvents is what most records have.
type noEvents struct{}

func (noEvents) Len() int { return 0 }

func (noEvents) From(int) iter.Seq2[*record.ChangeEvent, error] {
	return func(func(*record.ChangeEvent, error) bool) {}
}

// eventsOfRecord is the events about a record as renderers see them.
type eventsOfRecord struct {
	*chronicle
	latest int32 // counted from 1
}

func (r eventsOfRecord) Len() int {
	count := 0
	for n := r.latest; n > 0; n = r.events.At(int(n - 1)).earlier {
		count++
	}
	return count
}

func (r eventsOfRecord) From(n int) iter.Seq2[*record.ChangeEvent, error] {
	return r.each(func(yield func(linePlace) bool) {
		for i, at := 0, r.latest; at > 0; i++ {
			told := r.events.At(int(at - 1))
			if i >= n && !yield(told.place()) {
				return
			}
			at = told.earlier
		}
	})
}

// eventList is all events, or those about the records of a kind, likewise.
type eventList struct {
	*chronicle
	numbers *chunked.List[int32] // nil for all
}

func (l eventList) Len() int {
	if l.numbers == nil {
		return l.events.Len()
	}
	return l.numbers.Len()
}

func (l eventList) From(n int) iter.Seq2[*record.ChangeEvent, error] {
	return l.each(func(yield func(linePlace) bool) {
		for i := l.Len() - 1 - n; i >= 0; i-- {
			number := i
			if l.numbers != nil {
				number = int(*l.numbers.At(i))
			}
			if !yield(l.events.At(number).place()) {
				return
			}
		}
	})
}
