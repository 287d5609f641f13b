package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the page of planned publications.
var (
	calendarForm = markup.Parse(`
		{heading}
		<p>{?follow}<a href="/` + layout.CalendarICS + `">{=CalendarFollow}</a> · {/}<a href="/` + layout.CalendarPath + `">JSON</a></p>
		<ol class="latest">{plans}</ol><p class="quiet">{=Release} {day}</p>`)
	planForm = markup.Parse(`
		<li><b{lang}>{what}</b><br>{when} · <b>{status}</b>{?published} {published}{/}
			{?note}<p{lang}>{note}</p>{/}{?cancelled}<p{lang}>{cancelled}</p>{/}{moved}</li>`)
	movedForm    = markup.Parse(`<p>{=CalendarMoved} {when}: <span{lang}>{reason}</span></p>`)
	nextPlanForm = markup.Parse(`<p>{head}: {when} <a href="/calendar/"{lang}>{what}</a></p>`)
	momentForm   = markup.Parse(`<time datetime="{at}">{day}{?hour} <bdi>{hour}</bdi>{/}</time>`)
)

// writeCalendar writes the page of planned publications and the files for programs, if any
// publications are planned.
func (s *site) writeCalendar() error {
	if len(s.Settings.Calendar) == 0 {
		return nil
	}
	if err := s.Put(layout.CalendarPage, (*page).writeCalendar); err != nil {
		return err
	}
	data, err := s.calendarJSON()
	if err != nil {
		return err
	}
	if err := s.Out.Put(layout.CalendarPath, data); err != nil {
		return err
	}
	if s.Base == "" { // programs identify entries by URL
		return nil
	}
	return s.Out.Put(layout.CalendarICS, s.iCalendar())
}

// day returns the date of the release. Open plans with earlier dates are late.
func (s *site) day() record.Date { return record.Date(s.Records.Release().Date) }

// writeCalendar writes the page: open plans first, then past ones, newest first.
func (p *page) writeCalendar() {
	open, over := []settings.Plan{}, []settings.Plan{}
	for _, plan := range p.Settings.Plans() {
		if plan.Published == "" && plan.Cancelled == "" {
			open = append(open, plan)
		} else {
			over = append(over, plan)
		}
	}
	slices.Reverse(over)
	p.Open(frame.Head{Title: p.Words.Calendar, Description: p.Words.CalendarText})
	p.Fill(calendarForm, markup.By("heading", func() { p.WriteHeading(p.Words.Calendar, p.Words.CalendarText, nil) }),
		markup.ShowIf("follow", p.Base != ""), markup.Each("plans", append(open, over...), p.writePlan),
		markup.By("day", func() { p.WriteDate(p.of.day()) }))
	p.Close()
}

func (p *page) writePlan(plan settings.Plan) {
	p.Fill(planForm, markup.With("what", plan.What), markup.By("when", func() { p.writeMoment(plan.Planned) }),
		markup.With("status", p.Words.PlanStatus[plan.Status(p.of.day())]),
		markup.When(plan.Published != "", "published", func() { p.WriteDate(plan.Published) }),
		markup.With("note", plan.Note), markup.With("cancelled", plan.Cancelled),
		markup.Each("moved", plan.Moved, func(m settings.Move) {
			p.Fill(movedForm, markup.By("when", func() { p.writeMoment(m.From) }), markup.With("reason", m.Reason))
		}))
}

// writeMoment writes a day, or an hour with its time zone.
func (p *page) writeMoment(m record.Moment) {
	day, hour := record.Date(m), ""
	if m.HasHour() {
		day, hour = record.Date(m[:10]), string(m[11:16])+" UTC"+strings.TrimPrefix(string(m[16:]), "Z")
	}
	p.Fill(momentForm, markup.With("at", string(m)), markup.With("day", p.Words.Day(day)), markup.With("hour", hour))
}

// writeNextPlans writes late plans and the next plan on the start page.
func (p *page) writeNextPlans() {
	const mostLate = 3
	late := 0
	for _, plan := range p.Settings.Plans() {
		status := plan.Status(p.of.day())
		if status != settings.PlanLate && status != settings.PlanPlanned {
			continue
		}
		head := p.Words.CalendarNext
		if status == settings.PlanLate {
			if late++; late > mostLate {
				continue
			}
			head = words.Capital(p.Words.PlanStatus[status])
		}
		p.Fill(nextPlanForm, markup.With("head", head), markup.With("what", plan.What),
			markup.By("when", func() { p.writeMoment(plan.Planned) }))
		if status == settings.PlanPlanned {
			return
		}
	}
}

func (s *site) calendarJSON() ([]byte, error) {
	type entry struct {
		settings.Plan
		Status string `json:"status"`
	}
	list := []entry{}
	for _, plan := range s.Settings.Plans() {
		list = append(list, entry{plan, plan.Status(s.day())})
	}
	data, err := json.MarshalIndent(struct {
		AsOf  record.Date `json:"as_of"`
		Text  string      `json:"text"`
		Next  string      `json:"next_planned,omitempty"`
		Count int         `json:"count"`
		Plans []entry     `json:"plans"`
	}{s.day(), "Planned, not promised.", s.Records.Release().NextPlanned, len(list), list}, "", " ")
	return append(data, '\n'), err
}

// eventStatus contains the iCalendar status of plans that are no longer open.
var eventStatus = map[string]string{settings.PlanCancelled: "CANCELLED", settings.PlanPublished: "CONFIRMED"}

// iCalendar returns the calendar in the iCalendar format (RFC 5545). Times are in UTC, so that it
// needs no time zone definitions.
func (s *site) iCalendar() (b []byte) {
	host := cmp.Or(s.At.Hostname(), "stele")
	line := func(name, value string) { b = appendFolded(b, name+":"+value) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//Stele//Calendar//EN")
	line("X-WR-CALNAME", calendarText(s.Settings.Title))
	for _, plan := range s.Settings.Plans() {
		line("BEGIN", "VEVENT")
		line("UID", fmt.Sprintf("%.16x@%s", sha256.Sum256([]byte(plan.What)), host))
		line("DTSTAMP", strings.ReplaceAll(string(s.day()), "-", "")+"T000000Z")
		if plan.Planned.HasHour() {
			line("DTSTART", plan.Planned.Time().Format("20060102T150405Z"))
		} else {
			line("DTSTART;VALUE=DATE", strings.ReplaceAll(string(plan.Planned), "-", ""))
		}
		line("SEQUENCE", fmt.Sprint(len(plan.Moved)))
		status := plan.Status(s.day())
		line("STATUS", cmp.Or(eventStatus[status], "TENTATIVE"))
		line("TRANSP", "TRANSPARENT")
		line("SUMMARY", calendarText(plan.What))
		line("DESCRIPTION", calendarText(s.planText(plan, status)))
		line("URL", s.Base+layout.Address(layout.CalendarPage))
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return b
}

// planText returns the text of plan without its date.
func (s *site) planText(plan settings.Plan, status string) string {
	w := s.Words
	lines := []string{strings.TrimSpace(w.PlanStatus[status] + " " + string(plan.Published)), plan.Note, plan.Cancelled}
	for _, m := range plan.Moved {
		lines = append(lines, w.CalendarMoved+" "+string(m.From)+": "+m.Reason)
	}
	lines = append(lines, w.CalendarText)
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	return strings.Join(lines, "\n")
}

var calendarEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// calendarText escapes a text for iCalendar.
func calendarText(text string) string {
	return calendarEscapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.TrimSpace(text)))
}

// appendFolded appends line to b, folded after at most 75 bytes without splitting characters.
func appendFolded(b []byte, line string) []byte {
	most := 75
	for len(line) > most {
		end := most
		for !utf8.RuneStart(line[end]) {
			end--
		}
		b = append(append(b, line[:end]...), "\r\n "...)
		line, most = line[end:], 74
	}
	return append(append(b, line...), "\r\n"...)
}
