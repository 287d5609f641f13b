// Package eventlog stores the change events of a release. Their number grows with every release, so
// they are on disk, and memory contains only their locations.
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

// Log contains all change events of a release in the order of the releases: first those in
// archives, then those in the collection. One goroutine adds them; after Flush, several may read.
type Log struct {
	lines  *lists.Lines
	refs   chunked.List[eventRef] // in order
	ofKind []chunked.List[int32]  // by kind: the indexes of events about its records
	latest []int32                // by record number: its latest event, counted from 1
	asOf   record.Date            // the latest date in the collection

	archived int // number of events in archives

	groups   []render.Group         // the changes by release, kind, type and indicator
	parents  []int32                // of each group of an indicator, the group of the kind; otherwise -1
	numbers  map[render.Group]int32 // by group without its count
	groupsOf chunked.List[groupOf]  // of each event, until Flush
	// The entries that people read: the indexes of events and, as numbers below zero, of groups,
	// each in the position of its last event.
	entries       chunked.List[int32]
	entriesOfKind []chunked.List[int32] // by kind
	idle          sync.Pool             // readers to reuse
}

// groupOf is the group of an event, and the index of its kind or -1.
type groupOf struct {
	group int32
	kind  int8
}

// maxOfIndicator is the greatest number of equal changes to an indicator's values in a release that
// are listed one by one.
const maxOfIndicator = 5

// maxSingle is the greatest number of equal changes to records of a kind in a release that are
// listed one by one: the number of entries in a feed.
const maxSingle = 200

type eventRef struct {
	offset  int64
	length  uint32
	earlier int32 // the previous event about the same record, counted from 1; 0 for none
}

func (r *eventRef) line() lists.Ref { return lists.Ref{Offset: r.offset, Length: r.length} }

// New returns an empty log for a release with the given number of records.
func New(scratch func() (*os.File, error), records int) (_ *Log, err error) {
	l := &Log{
		ofKind: make([]chunked.List[int32], len(record.Kinds)), latest: make([]int32, records),
		numbers: map[render.Group]int32{}, entriesOfKind: make([]chunked.List[int32], len(record.Kinds)),
	}
	l.idle.New = func() any { return &reader{l, new(record.Parser), nil} }
	l.lines, err = lists.NewLines(scratch)
	return l, err
}

// Add adds an event about the record with the given number, or -1 if the record no longer exists.
// For a statistic, indicator is the code of its indicator.
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
	l.addToGroup(e, kind, indicator)
}

func (l *Log) addToGroup(e *Event, kind int, indicator string) {
	key := render.Group{Release: l.releaseOf(e.Line), Date: e.Date, Kind: e.RecordKind, Change: string(e.ChangeType)}
	number := l.groupNumber(key, -1)
	if indicator != "" {
		key.Indicator = indicator
		number = l.groupNumber(key, number)
	}
	l.groups[number].Count++
	l.groupsOf.Add(groupOf{number, int8(kind)})
}

// groupNumber returns the number of the group key, and adds the group if necessary. The parent of
// an indicator's group is the group of the kind.
func (l *Log) groupNumber(key render.Group, parent int32) int32 {
	number, ok := l.numbers[key]
	if !ok {
		number = int32(len(l.groups))
		l.groups, l.parents, l.numbers[key] = append(l.groups, key), append(l.parents, parent), number
	}
	return number
}

// releaseOf returns the release of an event. It is the last member of an event written by this
// program. Consecutive events usually share the string.
func (l *Log) releaseOf(line []byte) string {
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

// buildEntries builds the lists that people read: events or, if there are too many, groups. Within
// a release, new records come after all other changes. Events about a kind are always listed
// themselves.
func (l *Log) buildEntries() {
	for n := range l.groupsOf.Len() { // small groups of an indicator are counted with the whole kind
		of := l.groupsOf.At(n)
		if parent := l.parents[of.group]; parent >= 0 && l.groups[of.group].Count <= maxOfIndicator {
			l.groups[parent].Count++
			of.group = parent
		}
	}
	left := make([]int, len(l.groups))
	for i := range l.groups {
		left[i] = l.groups[i].Count
	}
	for start := 0; start < l.groupsOf.Len(); {
		release, end := l.groups[l.groupsOf.At(start).group].Release, start+1
		for end < l.groupsOf.Len() && l.groups[l.groupsOf.At(end).group].Release == release {
			end++
		}
		for _, created := range []bool{true, false} { // the last entries of a release are shown first
			for n := start; n < end; n++ {
				of := l.groupsOf.At(n)
				if g := &l.groups[of.group]; (g.Change == string(record.ChangeCreated)) == created {
					l.addEntry(int32(n), of, left)
				}
			}
		}
		start = end
	}
	l.groupsOf, l.numbers, l.parents = chunked.List[groupOf]{}, nil, nil
}

// addEntry adds event n to the entries. If the event's group is listed instead, it adds the group
// once. left is the number of events of each group that were not added yet.
func (l *Log) addEntry(n int32, of *groupOf, left []int) {
	entry, g := n, &l.groups[of.group]
	if many := g.Indicator != "" || g.Count > maxSingle; many && !record.ChangeType(g.Change).OfKind() {
		if left[of.group]--; left[of.group] > 0 {
			return
		}
		entry = -1 - of.group
	}
	if l.entries.Add(entry); of.kind >= 0 {
		l.entriesOfKind[of.kind].Add(entry)
	}
}

// EndArchives marks the end of the events in archives. Those added later are in the collection.
func (l *Log) EndArchives() { l.archived, l.asOf = l.refs.Len(), "" }

// Flush completes the log. No more events may be added.
func (l *Log) Flush() error {
	l.buildEntries()
	return l.lines.Flush()
}

// Close closes the file of the events.
func (l *Log) Close() error { return l.lines.Close() }

// Len returns the number of events in the collection.
func (l *Log) Len() int { return l.refs.Len() - l.archived }

// AsOf returns the latest date in the collection, or "" if it is empty.
func (l *Log) AsOf() record.Date { return l.asOf }

// Line reads the JSON of the event at index into buf. Indexes count the events in the collection.
func (l *Log) Line(index int64, buf []byte) ([]byte, error) {
	return l.lines.Read(l.refs.At(l.archived+int(index)).line(), buf)
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

// lazyList reads events and groups for renderers. at reads item i, counted from the latest.
type lazyList[T any] struct {
	*Log
	count int
	at    func(r *reader, i int) (T, error)
}

func (l lazyList[T]) Len() int { return l.count }

func (l lazyList[T]) From(n int) iter.Seq2[T, error] {
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

// Entries returns the changes to the records of k, or of all kinds if k is nil, as people read
// them.
func (l *Log) Entries(k *record.Kind) render.Entries {
	shown := &l.entries
	if k != nil {
		shown = &l.entriesOfKind[slices.Index(record.Kinds, k)]
	}
	last := shown.Len() - 1
	return lazyList[render.Entry]{l, shown.Len(), func(r *reader, i int) (e render.Entry, err error) {
		if number := *shown.At(last - i); number < 0 {
			e.Group = &l.groups[-1-number]
		} else {
			e.Event, err = r.read(l.refs.At(int(number)).line())
		}
		return e, err
	}}
}

func (l *Log) events(count int, at func(i int) lists.Ref) render.Events {
	read := func(r *reader, i int) (*record.ChangeEvent, error) { return r.read(at(i)) }
	return lazyList[*record.ChangeEvent]{l, count, read}
}

func (l *Log) All() render.Events {
	last := l.refs.Len() - 1
	return l.events(l.refs.Len(), func(i int) lists.Ref { return l.refs.At(last - i).line() })
}

// OfKind returns the events about the records of k.
func (l *Log) OfKind(k *record.Kind) render.Events {
	numbers := &l.ofKind[slices.Index(record.Kinds, k)]
	last := numbers.Len() - 1
	return l.events(numbers.Len(), func(i int) lists.Ref { return l.refs.At(int(*numbers.At(last - i))).line() })
}

// OfRecord returns the events about the record with this number.
func (l *Log) OfRecord(number int32) render.Events {
	var of []lists.Ref
	for n := l.latest[number]; n > 0; n = l.refs.At(int(n - 1)).earlier {
		of = append(of, l.refs.At(int(n-1)).line())
	}
	return l.events(len(of), func(i int) lists.Ref { return of[i] })
}
