package check

import (
	"iter"
	"slices"

	"stele/internal/render"
)

// Edges finds the edges of the graph that end at a record or begin there, whoever asserts them.
type Edges struct {
	c     *Checker
	start []int32         // by record: where in refs those begin that lead to it
	refs  []int32         // numbers of references, by the record that they lead to
	edges map[int32][]int // by number of an ID: edges that a publisher wrote
}

// Edges prepares the search, once all records are there.
func (c *Checker) Edges() *Edges {
	x := &Edges{
		c:     c,
		start: make([]int32, c.entries.Len()+1),
		refs:  make([]int32, c.refs.Len()),
		edges: map[int32][]int{},
	}
	for r := range c.refs.All {
		if to := c.definedBy(r.to); to >= 0 {
			x.start[to+1]++
		}
	}
	for i := range c.entries.Len() {
		x.start[i+1] += x.start[i]
	}
	next := append([]int32(nil), x.start...)
	number := int32(0)
	for r := range c.refs.All {
		if to := c.definedBy(r.to); to >= 0 {
			x.refs[next[to]] = number
			next[to]++
		}
		number++
	}
	for i, e := range c.edges {
		x.edges[e.source] = append(x.edges[e.source], i)
		if e.target != e.source {
			x.edges[e.target] = append(x.edges[e.target], i)
		}
	}
	return x
}

// Of returns the edges at record n: those that it asserts itself, those that others do, and those
// that a publisher wrote. An edge may come more than once.
func (x *Edges) Of(n int32) iter.Seq[render.Edge] {
	return func(yield func(render.Edge) bool) { _ = x.own(n, yield) && x.ofOthers(n, yield) && x.written(n, yield) }
}

// own yields the edges that follow from what record n refers to, each once. All three report
// whether more are wanted.
func (x *Edges) own(n int32, yield func(render.Edge) bool) bool {
	var room [16]render.Edge // enough for most, without asking for memory
	given := room[:0]
	from, to := x.c.refsOf(n)
	for i := from; i < to; i++ {
		ref := x.c.refs.At(int(i))
		relation, forward := x.c.meaning(ref)
		if relation == "" || ref.to == x.c.entry(n).name || x.c.definedBy(ref.to) < 0 ||
			!x.c.kind(x.c.definedBy(ref.to)).CanEndEdge() {
			continue
		}
		edge := render.Edge{Relation: relation, Out: forward, ID: x.c.text(ref.to)}
		if slices.Contains(given, edge) {
			continue
		}
		given = append(given, edge)
		if !yield(edge) {
			return false
		}
	}
	return true
}

// ofOthers yields the edges that follow from what other records say of record n.
func (x *Edges) ofOthers(n int32, yield func(render.Edge) bool) bool {
	for _, i := range x.refs[x.start[n]:x.start[n+1]] {
		ref := x.c.refs.At(int(i))
		relation, forward := x.c.meaning(ref)
		if relation == "" || ref.from == n || !x.c.kind(ref.from).CanEndEdge() || !x.c.kind(n).CanEndEdge() {
			continue
		}
		if !yield(render.Edge{Relation: relation, Out: !forward, ID: x.c.id(ref.from)}) {
			return false
		}
	}
	return true
}

// written yields the edges that a publisher wrote.
func (x *Edges) written(n int32, yield func(render.Edge) bool) bool {
	name := x.c.entry(n).name
	for _, i := range x.edges[name] {
		e := x.c.edges[i]
		edge := render.Edge{Relation: e.relation, Out: true, ID: x.c.text(e.target)}
		if e.source != name {
			edge.Out, edge.ID = false, x.c.text(e.source)
		}
		if !yield(edge) {
			return false
		}
	}
	return true
}
