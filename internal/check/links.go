package check

import (
	"iter"
	"slices"

	"stele/record"
)

// Links finds the edges of the graph that end at a record or begin there, whoever asserts them.
type Links struct {
	c     *Checker
	start []int32         // by record: where in refs those begin that lead to it
	refs  []int32         // numbers of references, by the record that they lead to
	edges map[int32][]int // by number of an ID: edges that a publisher wrote
}

// Links prepares the search, once all records are there.
func (c *Checker) Links() *Links {
	l := &Links{
		c:     c,
		start: make([]int32, c.entries.Len()+1),
		refs:  make([]int32, c.refs.Len()),
		edges: map[int32][]int{},
	}
	for r := range c.refs.All {
		if to := c.definedBy(r.to); to >= 0 {
			l.start[to+1]++
		}
	}
	for i := range c.entries.Len() {
		l.start[i+1] += l.start[i]
	}
	next := append([]int32(nil), l.start...)
	number := int32(0)
	for r := range c.refs.All {
		if to := c.definedBy(r.to); to >= 0 {
			l.refs[next[to]] = number
			next[to]++
		}
		number++
	}
	for i, e := range c.edges {
		l.edges[e.source] = append(l.edges[e.source], i)
		if e.target != e.source {
			l.edges[e.target] = append(l.edges[e.target], i)
		}
	}
	return l
}

// Link is an edge of the graph as one of its ends sees it.
type Link struct {
	Relation record.Relation
	Out      bool  // whether it leads away from this record
	other    int32 // number of the ID at the other end
}

// ID is that of the record at the other end of a link.
func (l *Links) ID(at Link) string { return l.c.text(at.other) }

// Of are the edges at record n: those that it asserts itself, those that others do, and those that
// a publisher wrote. An edge may come more than once.
func (l *Links) Of(n int32) iter.Seq[Link] {
	return func(yield func(Link) bool) { _ = l.own(n, yield) && l.ofOthers(n, yield) && l.written(n, yield) }
}

// own are the edges that follow from what record n refers to, each once. All three report whether
// more are wanted.
func (l *Links) own(n int32, yield func(Link) bool) bool {
	var room [16]Link // enough for most, without asking for memory
	given := room[:0]
	from, to := l.c.refsOf(n)
	for i := from; i < to; i++ {
		ref := l.c.refs.At(int(i))
		relation, forward := l.c.meaning(ref)
		if relation == "" || ref.to == l.c.entry(n).name || l.c.definedBy(ref.to) < 0 ||
			!l.c.kind(l.c.definedBy(ref.to)).CanEndEdge() {
			continue
		}
		link := Link{relation, forward, ref.to}
		if slices.Contains(given, link) {
			continue
		}
		given = append(given, link)
		if !yield(link) {
			return false
		}
	}
	return true
}

// ofOthers are the edges that follow from what other records say of record n.
func (l *Links) ofOthers(n int32, yield func(Link) bool) bool {
	for _, i := range l.refs[l.start[n]:l.start[n+1]] {
		ref := l.c.refs.At(int(i))
		relation, forward := l.c.meaning(ref)
		if relation == "" || ref.from == n || !l.c.kind(ref.from).CanEndEdge() || !l.c.kind(n).CanEndEdge() {
			continue
		}
		if !yield(Link{relation, !forward, l.c.entry(ref.from).name}) {
			return false
		}
	}
	return true
}

// written are the edges that a publisher wrote.
func (l *Links) written(n int32, yield func(Link) bool) bool {
	name := l.c.entry(n).name
	for _, i := range l.edges[name] {
		e := l.c.edges[i]
		link := Link{e.relation, true, e.target}
		if e.source != name {
			link.Out, link.other = false, e.source
		}
		if !yield(link) {
			return false
		}
	}
	return true
}
