package check

import "iter"

// Links finds the edges of the graph that end at a record or begin there, whoever asserts them.
type Links struct {
	c     *Checker
	start []int32         // by record: where in refs those begin that lead to it
	refs  []int32         // numbers of references, by the record that they lead to
	edges map[int32][]int // by number of an ID: edges that a publisher wrote
}

// Links prepares the search, once all records are there.
func (c *Checker) Links() *Links {
	l := &Links{c: c, start: make([]int32, c.entries.Len()+1), refs: make([]int32, c.refs.Len()), edges: map[int32][]int{}}
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

// Of are the edges at record n: those that it asserts itself, those that others do, and those that a publisher wrote. An edge may come more than once.
func (l *Links) Of(n int32) iter.Seq[Relation] {
	return func(yield func(Relation) bool) {
		var room [8]Relation // enough for most, without asking for memory
		for _, r := range l.c.Relations(n, room[:0]) {
			if !yield(r) {
				return
			}
		}
		for _, i := range l.refs[l.start[n]:l.start[n+1]] {
			ref := l.c.refs.At(int(i))
			relation, forward := l.c.meaning(ref)
			if relation == "" || ref.from == n || !isEnd(l.c.kind(ref.from)) || !isEnd(l.c.kind(n)) {
				continue
			}
			r := Relation{l.c.id(ref.from), l.c.id(n), relation}
			if !forward {
				r.Source, r.Target = r.Target, r.Source
			}
			if !yield(r) {
				return
			}
		}
		for _, i := range l.edges[l.c.entry(n).name] {
			e := l.c.edges[i]
			if !yield(Relation{l.c.text(e.source), l.c.text(e.target), e.relation}) {
				return
			}
		}
	}
}
