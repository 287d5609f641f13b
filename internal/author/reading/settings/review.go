package settings

import (
	"strconv"
	"strings"
	"time"

	"stele/record"
)

// Span is a length of time in days or months. The zero Span is none.
type Span struct{ days, months int }

// maxSpan is the maximum number of any unit.
const maxSpan = 1000

// ParseSpan parses a length of time such as 18 months or 1 year.
func ParseSpan(text string) (s Span, ok bool) {
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxSpan {
		return s, false
	}
	switch strings.TrimSuffix(unit, "s") {
	case "day":
		s.days = n
	case "week":
		s.days = 7 * n
	case "month":
		s.months = n
	case "year":
		s.months = 12 * n
	default:
		return s, false
	}
	return s, true
}

// After returns the day one Span after d, or "". A month after 31 January is the last day of
// February.
func (s Span) After(d record.Date) record.Date {
	t, err := time.Parse(time.DateOnly, string(d))
	if s == (Span{}) || err != nil {
		return ""
	}
	first := time.Date(t.Year(), t.Month()+time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return record.Date(first.AddDate(0, 0, min(t.Day(), last)-1+s.days).Format(time.DateOnly))
}

// ReviewSpan returns the time after which records of a kind must be verified again.
func (s *Settings) ReviewSpan(k *record.Kind) Span {
	span, _ := ParseSpan(s.ReviewAfter.Get(k.Name)) // a malformed value was reported
	return span
}
