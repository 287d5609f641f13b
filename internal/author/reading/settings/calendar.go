package settings

import (
	"cmp"
	"slices"

	"stele/record"
)

// Plan is a planned publication. Its text identifies it from release to release. Plans are not
// promises.
type Plan struct {
	What      string        `json:"what" max:"160" doc:"The planned publication. This text identifies the plan from release to release."`
	Planned   record.Moment `json:"planned" doc:"The day, such as 2026-12-10, or the time with its zone, such as 2026-12-10T09:30+01:00."`
	Note      string        `json:"note,omitempty" max:"2000" doc:"A note for readers."`
	Moved     []Move        `json:"moved,omitempty" doc:"Earlier dates, the oldest first."`
	Published record.Date   `json:"published,omitempty" doc:"The day of the release that contains it."`
	Cancelled string        `json:"cancelled,omitempty" max:"2000" doc:"The reason why it was cancelled."`
}

// Move is an earlier date of a plan.
type Move struct {
	From   record.Moment `json:"from" doc:"The earlier date."`
	Reason string        `json:"reason" max:"2000" doc:"The reason for the change."`
}

// EachText calls f with each free text of a plan.
func (p *Plan) EachText(f func(text *string)) {
	f(&p.Note)
	f(&p.Cancelled)
	for i := range p.Moved {
		f(&p.Moved[i].Reason)
	}
}

// MostPlans is the maximum number of plans in a calendar.
const MostPlans = 1000

// The states of a plan.
const (
	PlanPlanned   = "planned"
	PlanLate      = "late"
	PlanPublished = "published"
	PlanCancelled = "cancelled"
)

// Status returns the state of a plan on the day of a release.
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

// Dates returns all dates of a plan, the latest last.
func (p *Plan) Dates() (list []record.Moment) {
	for _, m := range p.Moved {
		list = append(list, m.From)
	}
	return append(list, p.Planned)
}

// Plans returns the calendar sorted by date.
func (s *Settings) Plans() []Plan {
	list := slices.Clone(s.Calendar)
	slices.SortStableFunc(list, func(a, b Plan) int {
		return cmp.Or(a.Planned.Time().Compare(b.Planned.Time()), cmp.Compare(a.What, b.What))
	})
	return list
}

// NextPlan returns the next plan after the day of a release, or nil.
func (s *Settings) NextPlan(day record.Date) *Plan {
	for _, p := range s.Plans() {
		if p.Status(day) == PlanPlanned {
			return &p
		}
	}
	return nil
}
