package check

import (
	"slices"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Relation is an edge of the graph that follows from what a record refers to.
type Relation struct {
	Source, Target string // record IDs
	Relation       record.Relation
}

// Relations returns the edges that follow from what record n refers to, in the order of its
// references, each once. They are put into list, whose memory is used again.
func (c *Checker) Relations(n int32, list []Relation) []Relation {
	list = list[:0]
	var room [16]end // enough for most, without asking for memory
	for _, e := range c.own(n, room[:0]) {
		r := Relation{c.ID(n), c.text(e.other), e.relation}
		if !e.out {
			r.Source, r.Target = r.Target, r.Source
		}
		list = append(list, r)
	}
	return list
}

// end is an edge as it is seen from one of its records.
type end struct {
	relation record.Relation
	out      bool
	other    int32 // the number of its ID
}

// own adds the edges that follow from what record n refers to, each once.
func (x *index) own(n int32, list []end) []end {
	for i, last := x.refsOf(n); i < last; i++ {
		ref := x.refs.At(int(i))
		relation, forward := x.meaning(ref)
		to := x.definedBy(ref.to)
		if relation == "" || ref.to == x.entry(n).name || to < 0 || !x.kind(to).CanEndEdge() {
			continue
		}
		if e := (end{relation, forward, ref.to}); !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// InGraph reports of each record, by its number, whether it is a node of the graph. Of records that
// have no pages, which are statistics, those are nodes that another node leads to, or what the
// publisher wrote into the graph; all of them only if every is true. There are many, and the
// entities of their indicators and areas stand for them.
func (c *Checker) InGraph(every bool) []bool {
	nodes := make([]bool, c.entries.Len())
	var next []int32 // records whose references are still to be followed
	for n := range nodes {
		switch k := c.kind(int32(n)); {
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
		for i, to := c.refsOf(n); i < to; i++ {
			l := c.refs.At(int(i))
			relation, _ := c.meaning(l)
			end := c.definedBy(l.to)
			if end < 0 || nodes[end] || !c.kind(end).HasNode() || nodes[n] && relation == "" {
				continue
			}
			nodes[end], next = true, append(next, end)
		}
	}
	return nodes
}

// refsOf says which references are those of record n: from one number up to another.
func (x *index) refsOf(n int32) (from, to int32) {
	to = int32(x.refs.Len())
	if int(n)+1 < x.entries.Len() {
		to = x.entry(n + 1).refs
	}
	return x.entry(n).refs, to
}

// Kind returns the kind of record n, as its number in the table.
func (c *Checker) Kind(n int32) int { return int(c.entry(n).kind) }

// Problem makes a problem with record n, which stands where the record does.
func (c *Checker) Problem(code codes.Code, n int32, pointer, message, fix string) schema.Problem {
	return c.problem(code, n, pointer, schema.Pos{}, message, fix)
}
