package publish

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"stele/internal/check"
	"stele/record"
)

// derived are the records of a kind that follow from the others.
type derived struct {
	count int
	asOf  record.Date // the newest date of the records whose versions are in it
	write func(*file) error
}

// derived is what the program adds to a kind that the publisher may write too; nil for other kinds.
func (b *builder) derived(k *record.Kind) *derived {
	switch k.Name {
	case record.KindGraphNode:
		return b.derivedNodes()
	case record.KindGraphEdge:
		return b.derivedEdges()
	}
	return nil
}

// eachRecord visits the records that have nodes, kind by kind, in the order of their IDs.
func (b *builder) eachRecord(visit func(n int32) error) error {
	for i, k := range record.Kinds {
		if !k.HasNode() {
			continue
		}
		for _, n := range b.order[i] {
			if err := visit(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) derivedNodes() *derived {
	d := &derived{}
	for i, k := range record.Kinds {
		if k.HasNode() {
			d.count += len(b.order[i])
			d.asOf = max(d.asOf, b.asOf[i])
		}
	}
	d.write = func(f *file) error {
		return b.eachRecord(func(n int32) error {
			line, err := b.spool.node(n)
			if err == nil {
				f.line(line)
			}
			return err
		})
	}
	return d
}

// derivedEdges renders the edges on all cores, because there are several for each record, and
// writes them in order.
func (b *builder) derivedEdges() *derived {
	const batch = 512
	var numbers []int32
	b.eachRecord(func(n int32) error { // collecting does not fail
		numbers = append(numbers, n)
		return nil
	})
	d := &derived{}
	var list []check.Relation
	for _, n := range numbers {
		list = b.checker.Relations(n, list) // their order does not matter here
		d.count += len(list)
	}
	d.write = func(f *file) error {
		parts := (len(numbers) + batch - 1) / batch
		idle := make(chan []byte, parts) // memory of lines that were used, to be used again
		inOrder(parts, func(part int) []byte {
			var lines []byte
			select {
			case lines = <-idle:
			default:
			}
			var list []check.Relation
			for _, n := range numbers[part*batch : min(len(numbers), (part+1)*batch)] {
				list = b.relations(n, list)
				for _, r := range list {
					lines = appendEdge(append(lines, ",\n"...), r, b.checker.ID(n))
				}
			}
			return lines
		}, func(lines []byte) {
			if len(lines) > 0 {
				f.lined(lines)
			}
			idle <- lines[:0]
		})
		return nil
	}
	return d
}

// relations are what a record refers to, in an order that does not depend on that of the members in
// the publisher's file.
func (b *builder) relations(n int32, list []check.Relation) []check.Relation {
	list = b.checker.Relations(n, list)
	slices.SortFunc(list, func(x, y check.Relation) int {
		return cmp.Or(
			strings.Compare(x.Source, y.Source),
			strings.Compare(string(x.Relation), string(y.Relation)),
			strings.Compare(x.Target, y.Target),
		)
	})
	return list
}

// inOrder makes parts on all cores and uses them in their order.
func inOrder[T any](parts int, makePart func(int) T, use func(T)) {
	workers := runtime.GOMAXPROCS(0)
	results := make([]chan T, parts)
	for i := range results {
		results[i] = make(chan T, 1)
	}
	ahead := make(chan struct{}, 2*workers) // how many may be made before they are used
	go func() {
		for i := range parts {
			ahead <- struct{}{}
			go func() { results[i] <- makePart(i) }()
		}
	}()
	for i := range parts {
		use(<-results[i])
		<-ahead
	}
}
