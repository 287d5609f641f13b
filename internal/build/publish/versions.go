package publish

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"stele/internal/build/render"
	"stele/record"
	"stele/release"
)

// Superseded finds the versions in the events: each has the one that it ended, and in which
// release. What was superseded before histories were kept is in none of them.
func (v *view) Superseded(k *record.Kind) ([]render.Superseded, error) {
	if !k.HasPage() || v.histories.none() {
		return nil, nil
	}
	kept := map[string]bool{}
	for i := range v.past[1:] {
		kept[v.past[i+1].Release] = true
	}
	var list []render.Superseded
	place := int32(-1)
	for e, err := range v.events.OfKind(k).From(0) {
		if err != nil {
			return nil, err
		}
		place++
		if e.Before != nil && kept[e.Release] && (e.After == nil || *e.After != *e.Before) &&
			e.ChangeType != record.ChangeReverified { // which says the same again
			// the text of the event must not be kept
			id := strings.Clone(string(e.RecordID))
			list = append(list, render.Superseded{ID: id, Version: e.Before.Version, Event: place})
		}
	}
	// the newest event comes first, so that of a version that came back the last end counts
	slices.SortStableFunc(list, func(x, y render.Superseded) int {
		return cmp.Or(strings.Compare(x.ID, y.ID), cmp.Compare(x.Version, y.Version))
	})
	same := func(x, y render.Superseded) bool { return x.ID == y.ID && x.Version == y.Version }
	return withPages(slices.CompactFunc(list, same)), nil
}

// mostSuperseded is how many versions of a record have pages: the first, so that a page that is
// there stays. The histories have all of them.
const mostSuperseded = 20

// withPages keeps so many versions of each record.
func withPages(list []render.Superseded) []render.Superseded {
	kept := list[:0]
	for _, s := range list {
		if n := len(kept) - mostSuperseded; n < 0 || kept[n].ID != s.ID {
			kept = append(kept, s)
		}
	}
	return kept
}

func (v *view) Versions(k *record.Kind, id string) iter.Seq2[release.Version, error] {
	return v.histories.of(k, id)
}
