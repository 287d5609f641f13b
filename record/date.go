package record

import (
	"time"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Date is a calendar date, YYYY-MM-DD. Valid dates compare as text in the order of time.
type Date string

// Valid reports whether d exists in the calendar.
func (d Date) Valid() bool {
	if len(d) != 10 || d[4] != '-' || d[7] != '-' {
		return false
	}
	year, ok1 := digits(string(d[:4]))
	month, ok2 := digits(string(d[5:7]))
	day, ok3 := digits(string(d[8:]))
	return ok1 && ok2 && ok3 && 1 <= month && month <= 12 && 1 <= day && (day <= 28 || day <= daysIn(year, month))
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// digits parses a text of ASCII digits only.
func digits(s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}

// dateProblem returns the fault of the date s and the remedy, or two empty texts if s is valid.
func dateProblem(s string) (message, fix string) {
	if Date(s).Valid() {
		return "", ""
	}
	// Unambiguous ways to write a date. 01/02/2026 is ambiguous.
	for _, layout := range []string{"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", time.RFC3339, time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return schema.Quote(s) + " is not a valid date", "write " + t.Format(time.DateOnly)
		}
	}
	if fix := slashedDate(s); fix != "" {
		return schema.Quote(s) + " is not a valid date", fix
	}
	if len(s) == 10 && s[4] == '-' && s[7] == '-' {
		year, ok1 := digits(s[:4])
		month, ok2 := digits(s[5:7])
		_, ok3 := digits(s[8:])
		if ok1 && ok2 && ok3 && 1 <= month && month <= 12 {
			return schema.Quote(s) + " does not exist in the calendar", "that month has " + itoa(int64(daysIn(year, month))) + " days"
		}
	}
	return schema.Quote(s) + " is not a date", "write year, month and day: YYYY-MM-DD"
}

// Programs write dates before these for missing dates, such as 0001-01-01, 1900-01-01 or
// 1970-01-01.
const (
	earliest       Date = "1400-01-01" // of dates in records, such as the publication of a source
	earliestRecord Date = "1990-01-01" // of records themselves
)

// dateRule checks that a date is between the earliest date and the release date, and keeps the
// latest date of the record.
func dateRule(d *schema.Decoder, i int32, m *schema.Member, text string) bool {
	switch {
	case text < string(earliest):
		d.ReportValue(codes.ImpossibleDate, i, m.Name+" is "+text+", which is before "+string(earliest), "write the correct day")
		return false
	case d.Date != "" && text > d.Date:
		d.ReportValue(codes.AfterRelease, i, m.Name+" is "+text+", after the release date "+d.Date, lateFix(Date(text), Date(d.Date)))
		return false
	case text > d.Latest.Date && m.Name != "published_date" && m.Name != "verification_date":
		d.Latest = schema.LatestDate{Date: text, Member: d.CurrentMember()}
	}
	return true
}

// lateFix returns a likely correction for a date after the release date.
func lateFix(d, release Date) string {
	swapped := d[:2] + d[3:4] + d[2:3] + d[4:] // 2062 for 2026
	for _, other := range []Date{swapped, release[:4] + d[4:]} {
		if other.Valid() && other <= release && d[:4] > release[:4] {
			return "did you mean " + string(other) + "?"
		}
	}
	return "write the day on which it happened: a release cannot contain future events"
}

// slashedDate returns the remedy for a date such as 31/12/2020, which begins with the day or the
// month, or "".
func slashedDate(s string) (fix string) {
	day, errDay := time.Parse("2/1/2006", s)
	month, errMonth := time.Parse("1/2/2006", s)
	switch {
	case errDay == nil && errMonth == nil && !day.Equal(month):
		return "if the day is first, write " + day.Format(time.DateOnly) + "; if the month is first, " + month.Format(time.DateOnly)
	case errDay == nil:
		return "write " + day.Format(time.DateOnly)
	case errMonth == nil:
		return "write " + month.Format(time.DateOnly)
	}
	return ""
}
