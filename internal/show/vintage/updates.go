package vintage

import (
	"cmp"
	"slices"
	"strings"

	"stele/record"
)

// Update is what a release did to figures of an indicator for one reason.
type Update struct {
	Release  int               // its place among all
	Change   record.ChangeType // created, corrected, source_updated, updated, retracted or removed
	Reason   string            // in the publisher's words; "" if none was given
	Count    int               // of figures
	Areas    int
	From, To record.Period // the first and the last period of the figures
	Examples []Step        // the first of them
}

// Step is a figure before and after a change; nil for none.
type Step struct{ Before, After *Row }

// now returns the figure that the step is about, as it is after it if it is still there.
func (s *Step) now() *Row { return cmp.Or(s.After, s.Before) }

// mostExamples is how many examples an update has.
const mostExamples = 3

// Updates returns what happened to the figures, the newest release first; of a release first what
// it revised, and then what it added. The rows are those that Of returns.
func Updates(rows []Row) (list []Update) {
	type key struct {
		release int
		change  record.ChangeType
		reason  string
	}
	number, areas := map[key]int{}, map[key]map[string]bool{}
	add := func(release int, s Step) {
		change, reason := s.kind()
		k, now := key{release, change, reason}, s.now()
		n, known := number[k]
		if !known {
			n = len(list)
			number[k], areas[k] = n, map[string]bool{}
			list = append(list, Update{
				Release: release, Change: change, Reason: reason, From: now.TimePeriod, To: now.TimePeriod,
			})
		}
		u := &list[n]
		u.Count++
		if areas[k][now.RefAreaScheme.Key(now.RefArea)] = true; len(u.Examples) < mostExamples {
			u.Examples = append(u.Examples, s)
		}
		u.From, u.To, u.Areas = min(u.From, now.TimePeriod), max(u.To, now.TimePeriod), len(areas[k])
	}
	for i := range rows {
		r := &rows[i]
		last := i == len(rows)-1 || rows[i+1].ID != r.ID
		switch follows := i > 0 && rows[i-1].ID == r.ID; {
		case follows && rows[i-1].Until == r.From:
			add(r.From, Step{&rows[i-1], r})
		case r.From > 0:
			add(r.From, Step{nil, r})
		}
		if r.Until > 0 && (last || rows[i+1].From != r.Until) {
			add(r.Until, Step{r, nil})
		}
	}
	order := func(u Update) int { return slices.Index([]record.ChangeType{record.ChangeCreated}, u.Change) }
	slices.SortStableFunc(list, func(a, b Update) int {
		return cmp.Or(b.Release-a.Release, order(a)-order(b), b.Count-a.Count)
	})
	return list
}

// kind returns the sort of change that a step is, and why it was made, as far as the record says
// so.
func (s *Step) kind() (change record.ChangeType, reason string) {
	if s.After == nil {
		return record.ChangeRemoved, ""
	}
	if s.Before == nil {
		return record.ChangeCreated, ""
	}
	change = record.ChangeUpdated
	var reasons []string
	for _, u := range s.After.SourceUpdates {
		if u.InVersion == s.After.Version {
			change, reasons = record.ChangeSourceUpdated, append(reasons, u.Summary)
		}
	}
	for _, c := range s.After.Corrections {
		if c.InVersion == s.After.Version {
			change, reasons = record.ChangeCorrected, append(reasons, c.Summary)
		}
	}
	if s.After.Standing.Lost() {
		change = record.ChangeRetracted
	}
	return change, strings.Join(reasons, " ")
}
