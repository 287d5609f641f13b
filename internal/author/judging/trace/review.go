package trace

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/trust/standing"
)

// Cause is something that happened, and the records that have to be looked at again because of it.
type Cause struct {
	Cause   string `json:"cause"` // what happened
	Record  string `json:"record,omitempty"`
	Since   string `json:"since,omitempty"`
	Count   int    `json:"count"`
	Records []Due  `json:"records"` // those that most rests on first
}

// Due is a record that has to be looked at again.
type Due struct {
	Record
	Dependents int `json:"dependents"` // how many records rest on it, however far away
}

// mostCounted bounds how many records are followed up to all that rests on them.
const mostCounted = 2_000

// Review returns what has to be looked at again: records that do not stand as they are, but for
// those that were retracted, also in part, and questions that are not decided; grouped by what
// happened. What most rests on comes first.
func (f *Folder) Review() ([]Cause, error) {
	needed := map[int32]bool{}
	for n, is := range f.checker.Standings().All() {
		if is.Standing != standing.Stands && (is.Standing == standing.InQuestion || !is.Standing.SelfReported()) {
			needed[n] = true
		}
	}
	details, err := f.read(needed)
	if err != nil {
		return nil, err
	}
	groups := map[[3]string]*Cause{}
	for n := range needed {
		r := f.record(n, details)
		key := [3]string{r.Cause, "", string(r.Since)}
		if r.Standing == standing.Due.String() { // each was verified on a day of its own
			key[2] = ""
		} else if len(r.Path) > 0 {
			key[1] = r.Path[len(r.Path)-1]
		} else {
			key[1] = r.ID
		}
		if groups[key] == nil {
			groups[key] = &Cause{Cause: key[0], Record: key[1], Since: key[2]}
		}
		d := Due{r, len(f.resting[n])}
		if len(needed) <= mostCounted {
			d.Dependents = len(f.above(n))
		}
		groups[key].Records = append(groups[key].Records, d)
	}
	list := []Cause{}
	for _, g := range groups {
		g.Count = len(g.Records)
		slices.SortFunc(g.Records, func(a, b Due) int {
			return cmp.Or(
				cmp.Compare(b.Dependents, a.Dependents), compareStandings(&b.Record, &a.Record),
				strings.Compare(a.ID, b.ID),
			)
		})
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(
			compareStandings(&b.Records[0].Record, &a.Records[0].Record),
			cmp.Compare(b.Records[0].Dependents, a.Records[0].Dependents),
			cmp.Compare(b.Count, a.Count), strings.Compare(a.Record, b.Record), strings.Compare(a.Since, b.Since),
		)
	})
	return list, nil
}
