package check

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// edge is an edge that the publisher wrote.
type edge struct {
	entry          int32
	source, target int32 // numbers of IDs
	relation       record.Relation
	directed       bool
}

// line identifies an edge: equal lines are duplicate edges.
type line struct {
	source, target int32
	relation       record.Relation
}

func (x *index) checkRepeatedEdges(report func(...schema.Problem)) {
	// to the entry that has the edge; undirected edges are added in both directions
	seen := make(map[line]int32, len(x.edges))
	for _, e := range x.edges {
		there, back := line{e.source, e.target, e.relation}, line{e.target, e.source, e.relation}
		first, ok := seen[there]
		if !ok && !e.directed {
			first, ok = seen[back]
		}
		if ok {
			report(x.newProblem(codes.RedundantEdge, e.entry, "", schema.Pos{}, "duplicate edge, also in "+x.locationOf(first), "delete one of the two"))
			continue
		}
		if seen[there] = e.entry; !e.directed {
			seen[back] = e.entry
		}
	}
	if len(seen) == 0 {
		return
	}
	for l := range x.refs.All {
		relation, forward := x.relationOf(l)
		key := line{x.entry(l.from).name, l.to, relation}
		if !forward {
			key.source, key.target = key.target, key.source
		}
		if e, ok := seen[key]; ok && relation != "" {
			delete(seen, key)
			delete(seen, line{key.target, key.source, relation}) // the reverse of an undirected edge
			report(x.newProblem(codes.RedundantEdge, e, "", schema.Pos{}, "the edge already follows from "+
				quoteText(x.ID(l.from))+" ("+x.locationOf(l.from)+")", "delete it: references between records become edges automatically"))
		}
	}
}

// relationOf returns the relation that reference r means in the graph, or "". forward is true if
// the relation leads from the record to the target.
func (x *index) relationOf(r *refEntry) (relation record.Relation, forward bool) {
	bond := x.positionOf(r).bond.Bond()
	return bond.Relation, !bond.Backward
}

// checkCircles reports circles in relations in which nothing can precede itself.
func (x *index) checkCircles(report func(...schema.Problem)) {
	for _, relation := range []record.Relation{
		record.RelationReplaces, record.RelationPartOf, record.RelationDerivedFrom,
	} {
		next := map[int32][]int32{}
		at := map[line]int32{} // the entry with the edge
		add := func(from, to, entry int32) {
			next[from] = append(next[from], to)
			at[line{from, to, relation}] = entry
		}
		for _, e := range x.edges {
			if e.relation == relation && e.source != e.target {
				add(e.source, e.target, e.entry)
			}
		}
		if relation == record.RelationDerivedFrom {
			for l := range x.refs.All {
				if x.positionOf(l).bond.Bond().Relation == relation &&
					x.kindOf(l.from).Name == record.KindSourceObject &&
					x.entry(l.from).name != l.to {
					add(x.entry(l.from).name, l.to, l.from)
				}
			}
		}
		if relation == record.RelationReplaces {
			for l := range x.replacements() {
				if to := x.definerOf(l.to); to >= 0 && to != l.from {
					add(l.to, x.entry(l.from).name, l.from)
				}
			}
		}
		for _, circle := range findCircles(next) {
			entry := at[line{circle[0], circle[1%len(circle)], relation}]
			names := make([]string, 0, len(circle)+1)
			for _, n := range append(circle, circle[0]) {
				names = append(names, x.idText(n))
			}
			report(x.newProblem(codes.CircularRelations, entry, "", schema.Pos{}, string(relation)+" forms a circle: "+joinChain(names), "remove the wrong relation"))
		}
	}
}

// replacedBy is the member that names the replacement of a record.
const replacedBy = "replaced_by"

// replacements yields the references in replaced_by. Most folders have none.
func (x *index) replacements() iter.Seq[*refEntry] {
	return func(yield func(*refEntry) bool) {
		isOne := make([]bool, len(x.declOf))
		for i, decl := range x.declOf {
			isOne[i] = decl.Path[0] == replacedBy
		}
		if !slices.Contains(isOne, true) {
			return
		}
		for l := range x.refs.All {
			if isOne[x.positionOf(l).decl] && !yield(l) {
				return
			}
		}
	}
}

func joinChain(names []string) string {
	if len(names) > 8 {
		names = append(append(names[:6:6], "…"), names[len(names)-1])
	}
	return strings.Join(names, " → ")
}

// findCircles finds one circle for each edge that closes one. It does not recurse, so that long
// chains need no stack.
func findCircles(next map[int32][]int32) [][]int32 {
	const (
		open = 1
		done = 2
		most = 100 // more circles would not be more useful
	)
	state := map[int32]uint8{}
	var circles [][]int32
	type step struct {
		node int32
		at   int
	}
	for _, start := range slices.Sorted(maps.Keys(next)) {
		if state[start] != 0 {
			continue
		}
		path := []step{{start, 0}}
		state[start] = open
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.at == len(next[top.node]) {
				state[top.node] = done
				path = path[:len(path)-1]
				continue
			}
			to := next[top.node][top.at]
			top.at++
			switch state[to] {
			case open:
				if len(circles) == most {
					return circles
				}
				from := slices.IndexFunc(path, func(s step) bool { return s.node == to })
				circle := make([]int32, 0, len(path)-from)
				for _, s := range path[from:] {
					circle = append(circle, s.node)
				}
				circles = append(circles, circle)
			case 0:
				state[to] = open
				path = append(path, step{to, 0})
			}
		}
	}
	return circles
}
