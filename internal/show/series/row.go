package series

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"stele/internal/trust/standing"
	"stele/record"
)

// row is a row of the table: one value of the indicator.
type row struct {
	area        int
	number      int32 // index of the record
	boundary    int32 // counted from 1; 0 for none
	object      int32 // index in the records of its area, while they are read
	standing    standing.Entry
	updated     record.Date
	cells       []string // by column
	breakdown   []string // names of dimensions, each with its text
	dimensions  []string // the texts, by dimension; empty without a breakdown
	sources     []int32  // counted from 1
	corrections []string // one sentence each
	updates     []string
}

// appendTo appends the encoded row to b.
func (r *row) appendTo(b []byte) []byte {
	for _, n := range append([]int32{r.number, r.boundary, int32(len(r.sources))}, r.sources...) {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, list := range [][]string{r.cells, r.breakdown, r.corrections, r.updates, {string(r.updated)}} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
	}
	return b
}

// decodeRow decodes row i into r.
func (t *table) decodeRow(i int, r *row) {
	k := rowDecoder{t.stored.At(2 * i)}
	r.number, r.boundary = int32(k.number()), int32(k.number())
	r.sources = r.sources[:0]
	for range k.number() {
		r.sources = append(r.sources, int32(k.number()))
	}
	r.cells, r.breakdown = k.texts(r.cells), k.texts(r.breakdown)
	r.corrections, r.updates = k.texts(r.corrections), k.texts(r.updates)
	r.updated = record.Date(k.texts(nil)[0])
	r.area = sort.Search(len(t.areas), func(n int) bool { return t.areas[n].to > i })
	r.standing = t.w.Standing(t.w.kind, int(r.number))
	r.dimensions = r.dimensions[:0]
	if len(r.breakdown) == 0 {
		return
	}
	r.dimensions = slices.Grow(r.dimensions, len(t.dimensions))[:len(t.dimensions)]
	clear(r.dimensions)
	for pair := range slices.Chunk(r.breakdown, 2) {
		if at, ok := slices.BinarySearch(t.dimensions, pair[0]); ok {
			r.dimensions[at] = pair[1]
		}
	}
}

// rowDecoder decodes the fields of a row one after another.
type rowDecoder struct{ rest string }

func (k *rowDecoder) number() int {
	n, size := binary.Uvarint([]byte(k.rest[:min(len(k.rest), binary.MaxVarintLen32)])) // copies to the stack
	k.rest = k.rest[size:]
	return int(n)
}

func (k *rowDecoder) texts(list []string) []string {
	list = list[:0]
	for range k.number() {
		n := k.number()
		list, k.rest = append(list, k.rest[:n]), k.rest[n:]
	}
	return list
}

// summary summarizes rows.
type summary struct {
	count       int
	updated     record.Date // the day of the last change
	first, last record.Period
	statuses    []string // sorted, without duplicates
	example     bool     // whether any row is an example
	boundaries  []int32  // numbers of boundaries
	sources     []int32
	remarked    []int32 // rows that are not valid as they are, or have notes
}

// add merges o into s.
func (s *summary) add(o *summary) {
	s.count += o.count
	s.updated, s.example = max(s.updated, o.updated), s.example || o.example
	if s.first == "" || o.first < s.first {
		s.first = o.first
	}
	if s.last == "" || o.last.Valid() && s.last.Valid() && o.last.End() > s.last.End() {
		s.last = o.last
	}
	s.statuses = union(s.statuses, o.statuses)
	s.boundaries, s.sources = union(s.boundaries, o.boundaries), union(s.sources, o.sources)
	s.remarked = append(s.remarked, o.remarked...)
}

// union returns the sorted elements of list and more. Usually, list already contains them all.
func union[T cmp.Ordered](list, more []T) []T {
	for _, x := range more {
		if at, ok := slices.BinarySearch(list, x); !ok {
			list = slices.Insert(list, at, x)
		}
	}
	return list
}

// part contains the rows of a file: all rows of an indicator, or those of one area.
type part struct {
	*table
	*summary
	area     *area // nil for all
	from, to int
}

func (t *table) newPart(a *area) *part { return &part{t, &a.summary, a, a.from, a.to} }

// rows yields the rows of the part with their indexes. A row is valid until the next.
func (p *part) rows(yield func(int, *row) bool) {
	var r row
	for i := p.from; i < p.to; i++ {
		if p.decodeRow(i, &r); !yield(i, &r) {
			return
		}
	}
}

// remarkedRows yields the rows whose records are not valid as they are, or have corrections or
// source updates.
func (p *part) remarkedRows(yield func(*row) bool) {
	var r row
	for _, i := range p.remarked {
		if p.decodeRow(int(i), &r); !yield(&r) {
			return
		}
	}
}
