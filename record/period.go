package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/schema"
)

// Period is the time that a value is for: a year (2016), half-year (2016-S1), quarter (2016-Q3),
// month (2016-07), ISO week (2016-W29), day (2016-07-14), or a start and a duration
// (2016-07-01/P18M).
type Period string

// Valid reports whether p has one of the forms of a period.
func (p Period) Valid() bool {
	start, duration, spans := strings.Cut(string(p), "/")
	if spans {
		return (len(start) == 4 || len(start) == 7 || len(start) == 10) &&
			isPlainPeriod(start) && isValidDuration(duration)
	}
	return isPlainPeriod(start) || hasFraction(start)
}

// Start returns the first day of p, which must be valid.
func (p Period) Start() Date {
	first, _ := p.startAndMonths()
	return dateOf(first)
}

// End returns the last day of p, which must be valid.
func (p Period) End() Date {
	first, months := p.startAndMonths()
	_, duration, spans := strings.Cut(string(p), "/")
	switch {
	case spans:
		return dateOf(addDuration(first, duration).AddDate(0, 0, -1))
	case months < 0:
		return dateOf(first.AddDate(0, 0, 6))
	case months == 0:
		return dateOf(first)
	}
	return dateOf(first.AddDate(0, months, -1))
}

// startAndMonths returns the first day of p, which is valid, and its number of months if it has no
// duration: 0 for a day, and -1 for a week.
func (p Period) startAndMonths() (first time.Time, months int) {
	start, _, _ := strings.Cut(string(p), "/")
	year, _ := digits(start[:4])
	first, months = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), 12
	switch {
	case len(start) == 4:
	case start[5] == 'W':
		week, _ := digits(start[6:])
		monday := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
		monday = monday.AddDate(0, 0, -(int(monday.Weekday())+6)%7)
		first, months = monday.AddDate(0, 0, 7*(week-1)), -1
	case start[5] == 'S' || start[5] == 'Q':
		part, _ := digits(start[6:])
		if months = 3; start[5] == 'S' {
			months = 6
		}
		first = first.AddDate(0, months*(part-1), 0)
	default:
		month, _ := digits(start[5:7])
		first, months = first.AddDate(0, month-1, 0), 1
		if len(start) == 10 {
			day, _ := digits(start[8:])
			first, months = first.AddDate(0, 0, day-1), 0
		}
	}
	return first, months
}

// dateOf returns the day of t. A year with five digits becomes the last day of year 9999.
func dateOf(t time.Time) Date {
	if t.Year() > 9999 {
		return "9999-12-31"
	}
	return Date(t.Format(time.DateOnly))
}

// addDuration returns the day t plus duration, which is valid.
func addDuration(t time.Time, duration string) time.Time {
	n := 0
	for _, r := range duration[1:] {
		switch r {
		case 'Y':
			t = addMonths(t, 12*n)
		case 'M':
			t = addMonths(t, n)
		case 'W':
			t = t.AddDate(0, 0, 7*n)
		case 'D':
			t = t.AddDate(0, 0, n)
		default:
			n = n*10 + int(r-'0')
			continue
		}
		n = 0
	}
	return t
}

// addMonths returns the day t plus n months, or the last day of that month if the month is shorter.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(t.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// isOver reports whether p, which is valid, has ended by d.
func (p Period) isOver(d Date) bool {
	if len(p) <= 7 && string(p[:4]) < string(d[:4]) { // fast path: neither a week nor a duration
		return true
	}
	return p.End() <= d
}

// isPlainPeriod reports whether s is a year, month or day.
func isPlainPeriod(s string) bool {
	switch len(s) {
	case 4:
		_, ok := digits(s)
		return ok
	case 7:
		return Date(s + "-01").Valid()
	case 10:
		return Date(s).Valid()
	}
	return false
}

// hasFraction reports whether s is a half-year, quarter or week.
func hasFraction(s string) bool {
	if len(s) < 7 || s[4] != '-' {
		return false
	}
	year, ok := digits(s[:4])
	n, ok2 := digits(s[6:])
	if !ok || !ok2 {
		return false
	}
	switch {
	case s[5] == 'S' && len(s) == 7:
		return 1 <= n && n <= 2
	case s[5] == 'Q' && len(s) == 7:
		return 1 <= n && n <= 4
	case s[5] == 'W' && len(s) == 8:
		return 1 <= n && n <= weeksIn(year)
	}
	return false
}

// weeksIn returns 53 for years whose 1 January or 31 December is a Thursday, otherwise 52.
func weeksIn(year int) int {
	p := func(y int) int { return (y + y/4 - y/100 + y/400) % 7 } // weekday of 31 December
	if p(year) == 4 || p(year-1) == 3 {
		return 53
	}
	return 52
}

// isValidDuration reports whether s is an ISO 8601 duration of years, months, weeks and days, such
// as P1Y6M, of at least one day.
func isValidDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || !strings.ContainsAny(s, "123456789") {
		return false
	}
	for _, unit := range "YMWD" {
		n, rest, found := strings.Cut(s, string(unit))
		if _, ok := digits(n); found && ok && len(n) <= 6 {
			s = rest
		}
	}
	return s == ""
}

func periodProblem(s string) (message, fix string) {
	if Period(s).Valid() {
		return "", ""
	}
	for _, other := range []string{
		strings.ToUpper(s), strings.ReplaceAll(s, "/", "-"),
		strings.Replace(strings.ToUpper(s), "Q", "-Q", 1), strings.Replace(s, " ", "", -1),
	} {
		if Period(other).Valid() {
			return schema.Quote(s) + " is not a valid time period", "write " + other
		}
	}
	if from, to, ok := parseYears(s); ok {
		if to == from+1 && !strings.Contains(s[5:], strconv.Itoa(to)) {
			return schema.Quote(s) + " does not say on which day the year begins", fmt.Sprintf("from July, write %[1]d-07-01/P1Y; from April, %[1]d-04-01/P1Y", from)
		}
		return schema.Quote(s) + " is not a valid time period", fmt.Sprintf("write %d/P%dY", from, to-from+1)
	}
	return schema.Quote(s) + " is not a time period", "write 2016, 2016-07, 2016-07-14, 2016-Q3, 2016-S1, 2016-W29, or a start and duration: 2016-07-01/P18M"
}

// parseYears parses two years, of which the second may have two digits: 2016-2020, FY 2016/17.
func parseYears(s string) (from, to int, ok bool) {
	s = strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(s), "FY"))
	at := strings.IndexAny(s, "-/–—")
	if at != 4 {
		return 0, 0, false
	}
	end := strings.TrimLeft(s[at:], "-/–— ")
	from, ok1 := digits(s[:at])
	to, ok2 := digits(end)
	if len(end) == 2 {
		to += from / 100 * 100
	}
	return from, to, ok1 && ok2 && (len(end) == 2 || len(end) == 4) && to > from
}

// Key returns the same text for all forms of the same valid period: 2024 for 2024-01-01/P1Y.
func (p Period) Key() string {
	start, _, spans := strings.Cut(string(p), "/")
	if !spans || !p.Valid() {
		return string(p)
	}
	first, last := start+"-01-01"[min(len(start)-4, 6):], p.End()
	begins, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return string(p)
	}
	month, day := int(begins.Month()), begins.Day()
	year, week := begins.ISOWeek()
	for _, plain := range []struct {
		period string
		begins bool
	}{
		{first[:4], month == 1 && day == 1},
		{fmt.Sprintf("%s-S%d", first[:4], (month+5)/6), month%6 == 1 && day == 1},
		{fmt.Sprintf("%s-Q%d", first[:4], (month+2)/3), month%3 == 1 && day == 1},
		{first[:7], day == 1},
		{fmt.Sprintf("%04d-W%02d", year, week), begins.Weekday() == time.Monday},
		{first, true},
	} {
		if plain.begins && Period(plain.period).End() == last {
			return plain.period
		}
	}
	return first + "/" + string(last)
}
