package check

import (
	"slices"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Relation is an edge of the graph that follows from a reference.
type Relation struct {
	Source, Target string // record IDs
	Relation       record.Relation
}

// Relations appends each edge that follows from the references of record n once, in their order, to
// list[:0].
func (c *Checker) Relations(n int32, list []Relation) []Relation {
	list = list[:0]
	var room [16]end // enough for most records, without an allocation
	for _, e := range c.ownEdges(n, room[:0]) {
		r := Relation{c.ID(n), c.idText(e.other), e.relation}
		if !e.out {
			r.Source, r.Target = r.Target, r.Source
		}
		list = append(list, r)
	}
	return list
}

// end is an edge, seen from one of its records.
type end struct {
	relation record.Relation
	out      bool
	other    int32 // ID number of the other record
}

// ownEdges appends each edge that follows from the references of record n once.
func (x *index) ownEdges(n int32, list []end) []end {
	for i, last := x.referenceRange(n); i < last; i++ {
		ref := x.refs.At(int(i))
		relation, forward := x.relationOf(ref)
		to := x.definerOf(ref.to)
		if relation == "" || ref.to == x.entry(n).name || to < 0 || !x.kindOf(to).CanEndEdge() {
			continue
		}
		if e := (end{relation, forward, ref.to}); !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// GraphNodes reports for each record number whether the record is a node of the graph. Statistics,
// which have no pages, are nodes only if another node refers to them or the publisher added them to
// the graph, or if every is set. There are many, and the entities of their indicators and areas
// represent them.
func (c *Checker) GraphNodes(every bool) []bool {
	nodes := make([]bool, c.entries.Len())
	var next []int32 // records whose references must still be followed
	for n := range nodes {
		switch k := c.kindOf(int32(n)); {
		case every && k.HasNode():
			nodes[n] = true
		case k.HasPage():
			nodes[n], next = true, append(next, int32(n))
		case k.Name == record.KindGraphNode || k.Name == record.KindGraphEdge:
			next = append(next, int32(n))
		}
	}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		for i, to := c.referenceRange(n); i < to; i++ {
			l := c.refs.At(int(i))
			relation, _ := c.relationOf(l)
			end := c.definerOf(l.to)
			if end < 0 || nodes[end] || !c.kindOf(end).HasNode() || nodes[n] && relation == "" {
				continue
			}
			nodes[end], next = true, append(next, end)
		}
	}
	return nodes
}

// referenceRange returns the range of the references of record n in the list.
func (x *index) referenceRange(n int32) (from, to int32) {
	to = int32(x.refs.Len())
	if int(n)+1 < x.entries.Len() {
		to = x.entry(n + 1).refs
	}
	return x.entry(n).refs, to
}

// Kind returns the index of the kind of record n.
func (c *Checker) Kind(n int32) int { return int(c.entry(n).kind) }

// Problem returns a problem of record n, at its position.
func (c *Checker) Problem(code codes.Code, n int32, pointer, message, fix string) schema.Problem {
	return c.newProblem(code, n, pointer, schema.Pos{}, message, fix)
}
