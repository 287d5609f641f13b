package trace

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/trust/standing"
)

// Cause is an event, and the records that need another check because of it.
type Cause struct {
	Cause   string `json:"cause"` // the event
	Record  string `json:"record,omitempty"`
	Since   string `json:"since,omitempty"`
	Count   int    `json:"count"`
	Records []Due  `json:"records"` // sorted by the number of dependents, descending
}

// Due is a record that needs another check.
type Due struct {
	Record
	Dependents int `json:"dependents"` // number of records that rest on it, directly or indirectly
}

// mostCounted is the maximum number of records whose dependents are counted.
const mostCounted = 2_000

// Review returns the records that need another check, grouped by cause: all records that are not
// valid, except retracted ones and open questions. Records with the most dependents come first.
func (f *Folder) Review() ([]Cause, error) {
	needed := map[int32]bool{}
	for n, is := range f.checker.Standings().All() {
		if is.Standing != standing.Stands && (is.Standing == standing.InQuestion || !is.Standing.IsSelfReported()) {
			needed[n] = true
		}
	}
	details, err := f.readDetails(needed)
	if err != nil {
		return nil, err
	}
	groups := map[[3]string]*Cause{}
	for n := range needed {
		r := f.newRecord(n, details)
		key := [3]string{r.Cause, "", string(r.Since)}
		if r.Standing == standing.Due.String() { // each was verified on a different day
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
			d.Dependents = len(f.dependentSteps(n))
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
