// Package eventlog keeps the change events of a release. There are more of them with every release,
// so they are never all in memory: they lie on disk, and of each some bytes are kept that say
// where.
package eventlog

import (
	"bytes"
	"iter"
	"os"
	"slices"
	"sync"

	"stele/internal/base/parallel/chunked"
	"stele/internal/compile/render"
	"stele/internal/disk/lists"
	"stele/record"
)

// Log is all change events of a release, in the order in which releases told of them: those that
// lie in archives, and then those of the collection. One goroutine adds them; when it has flushed
// them, several may read.
type Log struct {
	lines  *lists.Lines
	refs   chunked.List[eventRef] // in their order
	ofKind []chunked.List[int32]  // by kind: the events about its records, likewise
	latest []int32                // by number of a record: the last event about it, counted from 1
	asOf   record.Date            // the newest date of those in the collection

	archived int // how many of them archives have

	groups   []render.Group         // what each release did to records of a kind, or of an indicator
	parents  []int32                // of each group of an indicator, that of the kind; or -1
	numbers  map[render.Group]int32 // of groups without a count
	groupsOf chunked.List[groupOf]  // of events, until all are there
	// events that stand for themselves, and in place of the last of many their group, as -1 and
	// below
	shown       chunked.List[int32]
	shownOfKind []chunked.List[int32] // by kind: the same
	idle        sync.Pool             // of readers
}

// groupOf is the group of an event, and the place of its kind in the table, or -1.
type groupOf struct {
	group int32
	kind  int8
}

// mostOfIndicator is how many values of an indicator to which the same happened in a release are
// shown one by one.
const mostOfIndicator = 5

// mostSingle is how many records of a kind to which the same happened in a release are shown one by
// one: as many as a feed has entries.
const mostSingle = 200

type eventRef struct {
	offset  int64
	length  uint32
	earlier int32 // the event before it about the same record, counted from 1; 0 for none
}

func (r *eventRef) line() lists.Ref { return lists.Ref{Offset: r.offset, Length: r.length} }

// New makes a log of events about so many records.
func New(scratch func() (*os.File, error), records int) (_ *Log, err error) {
	l := &Log{
		ofKind: make([]chunked.List[int32], len(record.Kinds)), latest: make([]int32, records),
		numbers: map[render.Group]int32{}, shownOfKind: make([]chunked.List[int32], len(record.Kinds)),
	}
	l.idle.New = func() any { return &reader{l, new(record.Parser), nil} }
	l.lines, err = lists.NewLines(scratch)
	return l, err
}

// Add adds an event about the record with a number, which is -1 if there is no such record any
// more; of a statistic, with the code of its indicator.
func (l *Log) Add(e *Event, number int32, indicator string) {
	at := l.lines.Add(e.Line)
	ref := eventRef{offset: at.Offset, length: at.Length}
	l.asOf = max(l.asOf, record.Date(e.Date))
	n := int32(l.refs.Len())
	if number >= 0 {
		ref.earlier, l.latest[number] = l.latest[number], n+1
	}
	l.refs.Add(ref)
	kind := slices.IndexFunc(record.Kinds, func(k *record.Kind) bool { return k.Name == e.RecordKind })
	if kind >= 0 {
		l.ofKind[kind].Add(n)
	}
	l.count(e, kind, indicator)
}

// count notes what an event is one of many of.
func (l *Log) count(e *Event, kind int, indicator string) {
	key := render.Group{Release: l.release(e.Line), Date: e.Date, Kind: e.RecordKind, Change: string(e.ChangeType)}
	number := l.group(key, -1)
	if indicator != "" {
		key.Indicator = indicator
		number = l.group(key, number)
	}
	l.groups[number].Count++
	l.groupsOf.Add(groupOf{number, int8(kind)})
}

// group is the number of a group; one of an indicator has a parent.
func (l *Log) group(key render.Group, parent int32) int32 {
	number, ok := l.numbers[key]
	if !ok {
		number = int32(len(l.groups))
		l.groups, l.parents, l.numbers[key] = append(l.groups, key), append(l.parents, parent), number
	}
	return number
}

// release finds the release of an event, which is its last member as this program writes it. Most
// events follow others of the same.
func (l *Log) release(line []byte) string {
	const member = `"release":"`
	i := bytes.LastIndex(line, []byte(member))
	if i < 0 {
		return ""
	}
	id, _, _ := bytes.Cut(line[i+len(member):], []byte{'"'})
	if n := len(l.groups); n > 0 && l.groups[n-1].Release == string(id) {
		return l.groups[n-1].Release
	}
	return string(id)
}

// show puts the events where people read them: by themselves or, where they are very many, as a
// group. What is about a kind stands by itself.
func (l *Log) show() {
	for n := range l.groupsOf.Len() { // the few of an indicator are counted with all of the kind
		of := l.groupsOf.At(n)
		if parent := l.parents[of.group]; parent >= 0 && l.groups[of.group].Count <= mostOfIndicator {
			l.groups[parent].Count++
			of.group = parent
		}
	}
	left := make([]int, len(l.groups))
	for i := range l.groups {
		left[i] = l.groups[i].Count
	}
	for n := range l.groupsOf.Len() {
		of := l.groupsOf.At(n)
		entry := int32(n)
		g := &l.groups[of.group]
		if many := g.Indicator != "" || g.Count > mostSingle; many && !record.ChangeType(g.Change).OfKind() {
			if left[of.group]--; left[of.group] > 0 {
				continue
			}
			entry = -1 - of.group
		}
		if l.shown.Add(entry); of.kind >= 0 {
			l.shownOfKind[of.kind].Add(entry)
		}
	}
	l.groupsOf, l.numbers, l.parents = chunked.List[groupOf]{}, nil, nil
}

// Archived says that archives have what was added so far, and the collection all else.
func (l *Log) Archived() { l.archived, l.asOf = l.refs.Len(), "" }

// Flush ends the log: it writes what is still in memory.
func (l *Log) Flush() error {
	l.show()
	return l.lines.Flush()
}

// Close lets the events on disk go.
func (l *Log) Close() error { return l.lines.Close() }

// Len returns how many events the collection has.
func (l *Log) Len() int { return l.refs.Len() - l.archived }

// AsOf returns the newest date in the collection; "" if there are none.
func (l *Log) AsOf() record.Date { return l.asOf }

// Line reads the JSON of an event of the collection, by its place there, into the memory of buf.
func (l *Log) Line(place int64, buf []byte) ([]byte, error) {
	return l.lines.Read(l.refs.At(l.archived+int(place)).line(), buf)
}

// reader reads events, for one goroutine.
type reader struct {
	l      *Log
	parser *record.Parser
	buf    []byte
}

func (r *reader) read(at lists.Ref) (*record.ChangeEvent, error) {
	var err error
	if r.buf, err = r.l.lines.Read(at, r.buf); err != nil {
		return nil, err
	}
	rec, err := r.parser.Parse(record.KindNamed(kindName), r.buf)
	if err != nil {
		return nil, err
	}
	return rec.(*record.ChangeEvent), nil
}

// list is what happened, as renderers see it: at reads number i, the newest being the first.
type list[T any] struct {
	*Log
	count int
	at    func(r *reader, i int) (T, error)
}

func (l list[T]) Len() int { return l.count }

func (l list[T]) From(n int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		r := l.idle.Get().(*reader)
		defer l.idle.Put(r)
		for i := n; i < l.count; i++ {
			if x, err := l.at(r, i); !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// Entries returns what happened to the records of a kind, or to all for nil, as people read it.
func (l *Log) Entries(k *record.Kind) render.Entries {
	shown := &l.shown
	if k != nil {
		shown = &l.shownOfKind[slices.Index(record.Kinds, k)]
	}
	last := shown.Len() - 1
	return list[render.Entry]{l, shown.Len(), func(r *reader, i int) (e render.Entry, err error) {
		if number := *shown.At(last - i); number < 0 {
			e.Group = &l.groups[-1-number]
		} else {
			e.Event, err = r.read(l.refs.At(int(number)).line())
		}
		return e, err
	}}
}

// events is a list of events, by where their lines are.
func (l *Log) events(count int, at func(i int) lists.Ref) render.Events {
	read := func(r *reader, i int) (*record.ChangeEvent, error) { return r.read(at(i)) }
	return list[*record.ChangeEvent]{l, count, read}
}

// All returns all events.
func (l *Log) All() render.Events {
	last := l.refs.Len() - 1
	return l.events(l.refs.Len(), func(i int) lists.Ref { return l.refs.At(last - i).line() })
}

// OfKind returns the events about the records of a kind.
func (l *Log) OfKind(k *record.Kind) render.Events {
	numbers := &l.ofKind[slices.Index(record.Kinds, k)]
	last := numbers.Len() - 1
	return l.events(numbers.Len(), func(i int) lists.Ref { return l.refs.At(int(*numbers.At(last - i))).line() })
}

// Of returns the events about the record with a number.
func (l *Log) Of(number int32) render.Events {
	var of []lists.Ref
	for n := l.latest[number]; n > 0; n = l.refs.At(int(n - 1)).earlier {
		of = append(of, l.refs.At(int(n-1)).line())
	}
	return l.events(len(of), func(i int) lists.Ref { return of[i] })
}
