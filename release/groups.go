package release

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"stele/internal/base/layout"
)

// GroupsPath is the path of the listing of groups, which is there if a release ever changed very
// many records at once.
const GroupsPath = layout.GroupsPath

// Group is change events that are told together: those of a release that happened to records of one
// kind in one way, divided by what the records are about as long as that gives few groups. The
// events say the same one by one.
type Group struct {
	ID        string `json:"id"` // the ID of the release, a hyphen and a number
	Release   string `json:"release"`
	Date      string `json:"date"`
	Kind      string `json:"record_kind"`
	Change    string `json:"change_type"`
	Indicator string `json:"indicator,omitempty"` // of all records, if they have one and it is the same
	Source    string `json:"source_id,omitempty"` // the source that all records name first, likewise
	Count     int    `json:"count"`               // events
}

// Bulk is what groups are made of: what a release did to records of a kind.
type Bulk struct{ Release, Kind, Change string }

// Bulk returns what the group is a part of.
func (g *Group) Bulk() Bulk { return Bulk{g.Release, g.Kind, g.Change} }

// maxGroups is how many groups there can be.
const maxGroups = 1 << 20

// Groups reads the listing of groups, the oldest first. Those of a bulk stand together.
func (r *Release) Groups() iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		if r.Manifest.File(GroupsPath) == nil {
			return
		}
		count := 0
		for line, err := range r.Lines(GroupsPath) {
			var g Group
			if err == nil {
				if err = json.Unmarshal(line.Text, &g); err == nil {
					err = g.check(count)
				}
				count++
			}
			if err != nil {
				yield(g, fmt.Errorf("%s: %w", GroupsPath, err))
				return
			}
			if !yield(g, nil) {
				return
			}
		}
	}
}

func (g *Group) check(count int) error {
	switch {
	case count == maxGroups:
		return damaged(GroupsPath, "there are more than %d groups", maxGroups)
	case !layout.ValidID(g.ID) || !layout.ValidID(g.Release) || !validDate(g.Date) || g.Count < 1:
		return damaged(GroupsPath, "group %.40q of release %.40q is none", g.ID, g.Release)
	}
	return nil
}

// bulks counts the events that belong to groups, to hold the listing to them.
type bulks map[Bulk]int

// bulks reads how many events there should be.
func (v *verifier) bulks() bulks {
	left := bulks{}
	for g, err := range v.Release.Groups() {
		if err != nil {
			v.failed(GroupsPath, err)
			return bulks{}
		}
		left[g.Bulk()] += g.Count
	}
	return left
}

// take notes an event.
func (b bulks) take(release, kind, change string) {
	key := Bulk{release, kind, change}
	if _, ok := b[key]; ok {
		b[key]--
	}
}

// check finds those that are not as many as their groups say.
func (b bulks) check(v *verifier) {
	var list []string
	for key, left := range b {
		if left != 0 {
			list = append(list, fmt.Sprintf("records of kind %s that release %s says were %s", key.Kind, key.Release, key.Change))
		}
	}
	slices.Sort(list)
	for _, what := range list {
		v.coded(wrongCount, GroupsPath, "%s does not count the events about %s", GroupsPath, what)
	}
}
