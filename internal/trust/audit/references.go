package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stele/internal/base/fold"
	"stele/record"
)

// dangling is what leads nowhere of the references that one kind's records make by one name.
type dangling struct {
	example // the first, in the order of records
	count   int
}

// judgeReferences finds references that lead to nothing that was read.
func (a *audit) judgeReferences() {
	total, good := map[string]int{}, map[string]int{}
	loose := make([]map[string]dangling, len(a.kinds))
	for i, c := range a.kinds {
		if !c.there || c.list == nil {
			continue
		}
		loose[i] = map[string]dangling{}
		for ref, at := range c.refs {
			known, resolves := a.resolve(ref)
			if !known {
				continue
			}
			total[ref.to]++
			if resolves {
				good[ref.to]++
				continue
			}
			d := loose[i][ref.to]
			if d.count++; d.count == 1 || cmp.Or(
				cmp.Compare(at.record, d.record), cmp.Compare(at.member, d.member), cmp.Compare(at.text, d.text)) < 0 {
				d.example = at
			}
			loose[i][ref.to] = d
		}
	}
	for to, n := range total {
		if asserted(to, good[to], n) {
			a.book[refsResolve].Tried += n
		}
	}
	for i, c := range a.kinds {
		for _, to := range slices.Sorted(maps.Keys(loose[i])) {
			if asserted(to, good[to], total[to]) {
				a.dangles(c, to, loose[i][to])
			}
		}
	}
}

// asserted reports whether members of a name have to lead to records: the specification names them,
// or most of them do.
func asserted(to string, good, total int) bool {
	return isNamed(to) || good*2 >= total
}

func (a *audit) dangles(c *collection, to string, d dangling) {
	verdict := Warn
	if isNamed(to) || to == edgeEnd {
		verdict = Fail
	}
	message := fmt.Sprintf("%s of %q is %q, which no collection has", d.member, cut(d.record), d.text)
	if d.count > 1 {
		message += fmt.Sprintf("; so are %d more", d.count-1)
	}
	a.book.found(refsResolve, verdict, message, c.answer)
}

// resolve finds what a reference leads to. It is not known where a collection could not be read.
func (a *audit) resolve(ref reference) (known, resolves bool) {
	known = true
	for _, k := range referred[ref.to] {
		c := a.kinds[slices.Index(record.Kinds, k)]
		if !c.there || c.list == nil || c.nameless > 0 {
			known = false
		} else if c.ids[ref.id] {
			return true, true
		}
	}
	return known, false
}

// isNamed reports whether the specification itself calls the IDs of a kind so.
func isNamed(to string) bool {
	return slices.ContainsFunc(record.Kinds, func(k *record.Kind) bool {
		return k.HasSingle() && to == fold.Letters(k.IDMember())
	})
}
