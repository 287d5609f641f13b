package settings

import (
	"testing"

	"stele/record"
)

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		span      string
		from, due record.Date
	}{
		{"1 day", "2026-02-28", "2026-03-01"},
		{"3 weeks", "2026-01-10", "2026-01-31"},
		{"1 month", "2026-01-31", "2026-02-28"},
		{"18 months", "2024-08-31", "2026-02-28"},
		{"2 years", "2024-02-29", "2026-02-28"},
		{"1 year", "2026-11-15", "2027-11-15"},
	} {
		span, ok := ParseSpan(c.span)
		if due := span.After(c.from); !ok || due != c.due {
			t.Errorf("%s after %s is %s (%v), want %s", c.span, c.from, due, ok, c.due)
		}
	}
	for _, text := range []string{"", "year", "0 days", "-1 day", "1001 days", "1.5 years", "2  years", "P2Y", "2 fortnights"} {
		if _, ok := ParseSpan(text); ok {
			t.Errorf("%q is read as a span", text)
		}
	}
	if due := (Span{}).After("2026-01-01"); due != "" {
		t.Errorf("due on %s after no time", due)
	}
}
