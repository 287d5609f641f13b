package record

import "strings"

// Period is a span of time that a value is for: a year (2016), half-year (2016-S1), quarter
// (2016-Q3), month (2016-07), ISO week (2016-W29), day (2016-07-14), or a start and a duration
// (2016-07-01/P18M).
type Period string

// Valid reports whether p is a period in one of those forms.
func (p Period) Valid() bool {
	start, duration, spans := strings.Cut(string(p), "/")
	if spans {
		return (len(start) == 4 || len(start) == 7 || len(start) == 10) && plainPeriod(start) && validDuration(duration)
	}
	return plainPeriod(start) || fraction(start)
}

// plainPeriod reads a year, month or day.
func plainPeriod(s string) bool {
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

// fraction reads a half-year, quarter or week.
func fraction(s string) bool {
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

// weeksIn is 53 for the years whose 1 January or 31 December is a Thursday, else 52.
func weeksIn(year int) int {
	p := func(y int) int { return (y + y/4 - y/100 + y/400) % 7 } // weekday of 31 December
	if p(year) == 4 || p(year-1) == 3 {
		return 53
	}
	return 52
}

// validDuration reads an ISO 8601 duration of years, months, weeks and days: P1Y6M.
func validDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
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
	for _, other := range []string{strings.ToUpper(s), strings.ReplaceAll(s, "/", "-"), strings.Replace(strings.ToUpper(s), "Q", "-Q", 1), strings.Replace(s, " ", "", -1)} {
		if Period(other).Valid() {
			return quote(s) + " is not written as a time period", "write " + other
		}
	}
	return quote(s) + " is not a time period", "write 2016, 2016-07, 2016-07-14, 2016-Q3, 2016-S1, 2016-W29, or a start and duration: 2016-07-01/P18M"
}
