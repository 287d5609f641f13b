package vintage

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/show/latest"
	"stele/internal/show/site/words"
	"stele/record"
)

// Update is a change that a release made to figures of an indicator for one reason.
type Update struct {
	Release  int               // index of the release
	Change   record.ChangeType // created, corrected, source_updated, updated, retracted or removed
	Reason   string            // in the publisher's words, or ""
	Count    int               // number of figures
	Areas    int
	From, To record.Period // first and last period of the figures
	Examples []Step        // the first ones
}

// Step is a figure before and after a change. Each is nil if there was no figure.
type Step struct{ Before, After *Row }

// Now returns the figure after the change, or the figure before it if the change removed it.
func (s *Step) Now() *Row { return cmp.Or(s.After, s.Before) }

// Differs reports whether readers see a difference.
func (s *Step) Differs() bool {
	if s.Before == nil || s.After == nil {
		return true
	}
	a, b := s.Before, s.After
	return a.Figure() != b.Figure() || a.ObsStatus != b.ObsStatus || a.Standing != b.Standing
}

// maxExamples is the maximum number of examples of an update.
const maxExamples = 3

// Updates returns the updates to the figures in rows, the result of Of: the newest release first,
// and within a release, revisions before additions.
func Updates(rows []Row) (list []Update) {
	type key struct {
		release int
		change  record.ChangeType
		reason  string
	}
	number, areas := map[key]int{}, map[key]map[string]bool{}
	add := func(release int, s Step) {
		change, reason := s.changeAndReason()
		k, now := key{release, change, reason}, s.Now()
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
		if areas[k][now.RefAreaScheme.Key(now.RefArea)] = true; len(u.Examples) < maxExamples {
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

// changeAndReason returns the type of the change and its reason, if the record gives one.
func (s *Step) changeAndReason() (change record.ChangeType, reason string) {
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
	if s.After.Standing.IsLost() {
		change = record.ChangeRetracted
	}
	return change, strings.Join(reasons, " ")
}

// Text returns the number of figures and their periods, with examples. area returns the area name
// and breakdown of a figure.
func (u *Update) Text(t *words.Set, area func(*record.HealthcareStatistic) string) string {
	periods := t.When(u.From)
	if u.From != u.To {
		periods += "–" + t.When(u.To)
	}
	areas := t.Counted(t.CountedAreas, u.Areas)
	if u.Change == record.ChangeCreated {
		return words.Fill(t.PastAdded, "periods", periods, "areas", areas)
	}
	var examples []string
	for _, s := range u.Examples {
		st := s.Now().HealthcareStatistic
		examples = append(examples, area(st)+t.Comma+t.When(st.TimePeriod)+": "+s.Text(t))
	}
	text := t.Counted(t.CountedFigures, u.Count) + t.Comma + areas + t.Comma + periods
	return text + ". " + strings.Join(examples, "; ")
}

// Text returns the figure before and after the change, such as 81 → 80, with remarks, or only the
// figure after it if there was none before.
func (s *Step) Text(t *words.Set) string {
	before, was := s.Before.figureAndRemark(t)
	after, is := s.After.figureAndRemark(t)
	switch {
	case s.Before == nil:
		return after + is
	case was == is: // the same remark once
		was = ""
	}
	return before + was + " " + t.Arrow + " " + after + is
}

// figureAndRemark returns a figure and a remark about it.
func (r *Row) figureAndRemark(t *words.Set) (figure, remark string) {
	if r == nil {
		return "–", ""
	}
	figure = cmp.Or(t.Replacement(r.HealthcareStatistic, nil), t.Figure(r.Value, r.Decimals))
	remark = t.Remark(latest.Value{Status: r.ObsStatus, Standing: r.Standing})
	if r.Standing.IsLost() || figure == "" {
		return remark, ""
	}
	return figure, strings.TrimSuffix(" ("+remark+")", " ()")
}
