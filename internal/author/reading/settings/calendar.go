package settings

import (
	"cmp"
	"slices"

	"stele/record"
)

// Plan is something that is planned to be published. It is known by what it is called from release
// to release, and is planned, not promised.
type Plan struct {
	What      string        `json:"what" max:"160" doc:"What is planned. It is known by these words from release to release."`
	Planned   record.Moment `json:"planned" doc:"The day, such as 2026-12-10, or the hour with its zone, such as 2026-12-10T09:30+01:00."`
	Note      string        `json:"note,omitempty" max:"2000" doc:"What readers should know of it."`
	Moved     []Move        `json:"moved,omitempty" doc:"When it was planned before, the oldest first."`
	Published record.Date   `json:"published,omitempty" doc:"The day of the release that had it."`
	Cancelled string        `json:"cancelled,omitempty" max:"2000" doc:"Why it will not come."`
}

// Move is a date that does not hold any more.
type Move struct {
	From   record.Moment `json:"from" doc:"When it was planned before."`
	Reason string        `json:"reason" max:"2000" doc:"Why that does not hold."`
}

// Sentences calls f with each text of a plan that is free to say anything.
func (p *Plan) Sentences(f func(text *string)) {
	f(&p.Note)
	f(&p.Cancelled)
	for i := range p.Moved {
		f(&p.Moved[i].Reason)
	}
}

// MostPlans is how many a calendar may have.
const MostPlans = 1000

// What becomes of a plan.
const (
	PlanPlanned   = "planned"
	PlanLate      = "late"
	PlanPublished = "published"
	PlanCancelled = "cancelled"
)

// Status is what has become of a plan by the day of a release.
func (p *Plan) Status(day record.Date) string {
	switch {
	case p.Cancelled != "":
		return PlanCancelled
	case p.Published != "":
		return PlanPublished
	case p.Planned.Day() < day:
		return PlanLate
	}
	return PlanPlanned
}

// Dates are all that it was ever planned for, the newest last.
func (p *Plan) Dates() (list []record.Moment) {
	for _, m := range p.Moved {
		list = append(list, m.From)
	}
	return append(list, p.Planned)
}

// Plans returns the calendar in the order of time.
func (s *Settings) Plans() []Plan {
	list := slices.Clone(s.Calendar)
	slices.SortStableFunc(list, func(a, b Plan) int {
		return cmp.Or(a.Planned.Time().Compare(b.Planned.Time()), cmp.Compare(a.What, b.What))
	})
	return list
}

// NextPlan returns what is planned next on the day of a release, or nil.
func (s *Settings) NextPlan(day record.Date) *Plan {
	for _, p := range s.Plans() {
		if p.Status(day) == PlanPlanned {
			return &p
		}
	}
	return nil
}
