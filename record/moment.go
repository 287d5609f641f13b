package record

import (
	"strings"
	"time"

	"stele/internal/base/schema"
)

// Moment is a future day, YYYY-MM-DD, or an hour with its offset from UTC, YYYY-MM-DDThh:mm+hh:mm.
// Names of time zones are not allowed, because their offsets change.
type Moment string

const momentLayout = "2006-01-02T15:04Z07:00"

// Time returns the beginning of the moment in UTC: midnight for a day, and the zero time for an
// invalid one.
func (m Moment) Time() time.Time {
	layout := time.DateOnly
	switch len(m) {
	case len("2006-01-02T15:04Z"), len("2006-01-02T15:04+01:00"): // hours have two digits
		layout = momentLayout
	}
	t, err := time.Parse(layout, string(m))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Day returns the day of m in UTC, as for releases, or "" if m is invalid.
func (m Moment) Day() Date {
	if t := m.Time(); !t.IsZero() {
		return Date(t.Format(time.DateOnly))
	}
	return ""
}

// HasHour reports whether m contains an hour.
func (m Moment) HasHour() bool { return len(m) > len(time.DateOnly) }

// momentProblem returns the fault of the moment s and the remedy, or two empty texts if s is valid.
func momentProblem(s string) (message, fix string) {
	if day := Moment(s).Day(); day >= earliestRecord {
		return "", ""
	} else if day != "" || Date(s).Valid() {
		return schema.Quote(s) + " is before " + string(earliestRecord), "write the correct day"
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00", "2006-01-02 15:04 -0700", "2006-01-02T15Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return schema.Quote(s) + " is not an hour with its time zone", "write " + t.Format(momentLayout)
		}
	}
	day, rest, hour := strings.Cut(strings.Replace(s, " ", "T", 1), "T")
	if !Date(day).Valid() || !hour {
		return dateProblem(s)
	}
	clock, _, _ := strings.Cut(rest, " ")
	if t, err := time.Parse("15:04", clock); err == nil {
		clock = t.Format("15:04")
	} else {
		clock = "09:30"
	}
	return schema.Quote(s) + " is not a day, or an hour with its time zone",
		"write " + day + ", or " + day + "T" + clock + "+01:00 for an hour in a zone one hour ahead of UTC (Z for UTC)"
}
