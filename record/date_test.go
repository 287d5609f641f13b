package record

import (
	"fmt"
	"testing"
	"time"
)

const genericDate = "write year"

var dateCases = []formatCase{
	{"2026-11-14", right},
	{"2024-02-29", right},
	{"2000-02-29", right},
	{"0001-01-01", right},
	{"9999-12-31", right},
	{"2026-02-30", "that month has 28 days"},
	{"2023-02-29", "that month has 28 days"},
	{"1900-02-29", "that month has 28 days"},
	{"2024-02-30", "that month has 29 days"},
	{"2026-04-31", "that month has 30 days"},
	{"2026-01-00", "that month has 31 days"},
	{"2026-13-01", "write year, month and day: YYYY-MM-DD"},
	{"2026-00-01", "write year, month and day: YYYY-MM-DD"},
	{"2026-11-xx", "write year, month and day: YYYY-MM-DD"},
	{"14.11.2026", "write 2026-11-14"},
	{"4.1.2026", "write 2026-01-04"},
	{"2026-1-4", "write 2026-01-04"},
	{"2026/11/14", "write 2026-11-14"},
	{"2026.11.14", "write 2026-11-14"},
	{"20261114", "write 2026-11-14"},
	{"14 November 2026", "write 2026-11-14"},
	{"November 14, 2026", "write 2026-11-14"},
	{"14 Nov 2026", "write 2026-11-14"},
	{"Nov 4, 2026", "write 2026-11-04"},
	{"2026-11-14T10:30:00Z", "write 2026-11-14"},
	{"2026-11-14T23:30:00+01:00", "write 2026-11-14"},
	{"2026-11-14 10:30:00", "write 2026-11-14"},
	{"01/02/2026", "if the day is first, write 2026-02-01; if the month is first, 2026-01-02"},
	{"31/12/2020", "write 2020-12-31"},
	{"12/31/2020", "write 2020-12-31"},
	{"32/12/2020", "write year, month and day: YYYY-MM-DD"},
	{"2026-11", "write year, month and day: YYYY-MM-DD"},
	{"2026", "write year, month and day: YYYY-MM-DD"},
	{"today", "write year, month and day: YYYY-MM-DD"},
	{"", "write year, month and day: YYYY-MM-DD"},
	{"2026-11-14 ", "write year, month and day: YYYY-MM-DD"},
	{"２０２６-11-14", "write year, month and day: YYYY-MM-DD"},
}

func TestDate(t *testing.T) { checkFormat(t, dateCases, dateProblem) }

// TestDateAgainstTheCalendar goes through every day that could be, and some that could not.
func TestDateAgainstTheCalendar(t *testing.T) {
	years := []int{0, 1, 4, 100, 400, 1582, 1600, 1700, 1900, 1999, 2000, 2023, 2024, 2100, 2400, 9999}
	for _, year := range years {
		for month := range 14 {
			for day := range 33 {
				s := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				_, err := time.Parse(time.DateOnly, s)
				if Date(s).Valid() != (err == nil) {
					t.Errorf("Date(%q).Valid() = %v, but time.Parse: %v", s, Date(s).Valid(), err)
				}
			}
		}
	}
}

// dateProperty: Go, time.Parse and the schema agree, and what is proposed is a date.
func dateProperty(t *testing.T, s string) (valid bool) {
	message, fix := dateProblem(s)
	valid = Date(s).Valid()
	if valid != (message == "") {
		t.Errorf("%q is valid: %v, but the message is %q", s, valid, message)
	}
	if _, err := time.Parse(time.DateOnly, s); valid != (err == nil) {
		t.Errorf("Date(%q).Valid() = %v, but time.Parse: %v", s, valid, err)
	}
	if bySchema := dateSchema(t).Validate(s) == nil; valid != bySchema {
		t.Errorf("Date(%q).Valid() = %v, but the schema says %v", s, valid, bySchema)
	}
	if p := proposal(fix, genericDate); message != "" && fix[:5] == "write" && p != "" && !Date(p).Valid() {
		t.Errorf("%q: %q is proposed, which is no date", s, p)
	}
	return valid
}
