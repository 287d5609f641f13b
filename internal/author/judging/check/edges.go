package check

import (
	"iter"
	"slices"
	"strings"

	"stele/internal/base/parallel/chunked"
	"stele/internal/trust/standing"
)

// Edges finds the edges of the graph at a record, in both directions: written and derived ones.
type Edges struct {
	c     *Checker
	start chunked.List[int32] // by record: index in refs of the first reference to it
	refs  chunked.List[int32] // numbers of references, sorted by the record they refer to
	edges map[int32][]int     // edges that a publisher wrote, by number of an ID
}

// Edges prepares the search, after all records are added. order yields the numbers of all records,
// in the order in which Of yields neighbors.
func (c *Checker) Edges(order iter.Seq[int32]) *Edges {
	x := &Edges{c: c, edges: map[int32][]int{}}
	x.start.UseMemory(c.memory)
	x.refs.UseMemory(c.memory)
	for range c.entries.Len() + 2 {
		x.start.Add(0)
	}
	for range c.refs.Len() {
		x.refs.Add(0)
	}
	leading := func(yield func(ref, to int32) bool) {
		for n := range order {
			for i, end := c.referenceRange(n); i < end; i++ {
				if to := c.definerOf(c.refs.At(int(i)).to); to >= 0 && !yield(i, to) {
					return
				}
			}
		}
	}
	add := func(at, n int32) int32 {
		sum := *x.start.At(int(at)) + n
		x.start.Set(int(at), sum)
		return sum
	}
	for _, to := range leading {
		add(to+2, 1)
	}
	for i, sum := int32(0), int32(0); int(i) < x.start.Len(); i++ {
		sum = add(i, sum)
	}
	// now start[i+1] is the start of record i; after the loop it is its end
	for ref, to := range leading {
		x.refs.Set(int(add(to+1, 1))-1, ref)
	}
	written := make([]int, len(c.edges)) // sorted by ID
	for i := range written {
		written[i] = i
	}
	slices.SortFunc(written, func(a, b int) int {
		return strings.Compare(c.ID(c.edges[a].entry), c.ID(c.edges[b].entry))
	})
	for _, i := range written {
		e := c.edges[i]
		x.edges[e.source] = append(x.edges[e.source], i)
		if e.target != e.source {
			x.edges[e.target] = append(x.edges[e.target], i)
		}
	}
	return x
}

// Of yields each edge at record n once: those of its own references, those of other records'
// references, and those that a publisher wrote and that do not follow from a record (GRA02).
func (x *Edges) Of(n int32) iter.Seq[standing.Neighbor] {
	return func(yield func(standing.Neighbor) bool) {
		var room [16]end // enough for most records, without an allocation
		own := x.c.ownEdges(n, room[:0])
		for _, e := range own {
			if !yield(x.neighborOf(e)) {
				return
			}
		}
		_ = x.yieldIncoming(n, own, yield) && x.yieldWritten(n, yield)
	}
}

func (x *Edges) neighborOf(e end) standing.Neighbor {
	return standing.Neighbor{Relation: e.relation, Out: e.out, ID: x.c.idText(e.other)}
}

// yieldIncoming yields the edges from other records' references to n, unless n has the same edge
// itself. It returns false if yield does.
func (x *Edges) yieldIncoming(n int32, own []end, yield func(standing.Neighbor) bool) bool {
	if !x.c.kindOf(n).CanEndEdge() {
		return true
	}
	var room [8]end
	last, given := int32(-1), room[:0] // edges of the previous record
	for at := *x.start.At(int(n)); at < *x.start.At(int(n) + 1); at++ {
		ref := x.c.refs.At(int(*x.refs.At(int(at))))
		relation, forward := x.c.relationOf(ref)
		if relation == "" || ref.from == n || !x.c.kindOf(ref.from).CanEndEdge() {
			continue
		}
		if ref.from != last {
			last, given = ref.from, given[:0]
		}
		e := end{relation, !forward, x.c.entry(ref.from).name}
		if slices.Contains(given, e) || slices.Contains(own, e) {
			continue
		}
		given = append(given, e)
		if !yield(x.neighborOf(e)) {
			return false
		}
	}
	return true
}

// yieldWritten yields the edges that a publisher wrote. It returns false if yield does.
func (x *Edges) yieldWritten(n int32, yield func(standing.Neighbor) bool) bool {
	name := x.c.entry(n).name
	for _, i := range x.edges[name] {
		e := x.c.edges[i]
		seen := end{e.relation, true, e.target}
		if e.source != name {
			seen.out, seen.other = false, e.source
		}
		if !yield(x.neighborOf(seen)) {
			return false
		}
	}
	return true
}
