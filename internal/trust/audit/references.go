package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stele/internal/base/fold"
	"stele/record"
)

// dangling describes the unresolved references of one kind's records under one name.
type dangling struct {
	example // the first one, in the order of records
	count   int
}

// checkReferences finds references to records that were not read.
func (a *audit) checkReferences() {
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
		if mustResolve(to, good[to], n) {
			a.findings[refsResolve].Tried += n
		}
	}
	for i, c := range a.kinds {
		for _, to := range slices.Sorted(maps.Keys(loose[i])) {
			if mustResolve(to, good[to], total[to]) {
				a.reportDangling(c, to, loose[i][to])
			}
		}
	}
}

// mustResolve reports whether references under the name to must resolve. They must if the
// specification uses that name, or if most of them (good of total) resolve.
func mustResolve(to string, good, total int) bool {
	return isNamed(to) || good*2 >= total
}

func (a *audit) reportDangling(c *collection, to string, d dangling) {
	verdict := Warn
	if isNamed(to) || to == edgeEnd {
		verdict = Fail
	}
	message := fmt.Sprintf("%s of %q is %q, which is in no collection", d.member, truncate(d.record), d.text)
	if d.count > 1 {
		message += fmt.Sprintf("; %d more like this", d.count-1)
	}
	a.findings.add(refsResolve, verdict, message, c.answer)
}

// resolve reports whether ref resolves. known is false if a collection that may contain the record
// could not be read.
func (a *audit) resolve(ref reference) (known, resolves bool) {
	known = true
	for _, k := range kindsByIDName[ref.to] {
		c := a.kinds[slices.Index(record.Kinds, k)]
		if !c.there || c.list == nil || c.nameless > 0 {
			known = false
		} else if c.ids[ref.id] {
			return true, true
		}
	}
	return known, false
}

// isNamed reports whether the specification itself uses the name to for the IDs of a kind.
func isNamed(to string) bool {
	return slices.ContainsFunc(record.Kinds, func(k *record.Kind) bool {
		return k.HasSingle() && to == fold.Letters(k.IDMember())
	})
}
