package tables

import (
	"strings"
	"testing"
)

// TestSplitYears: a year that is named by two begins on the day that the map names, and nobody
// guesses it.
func TestSplitYears(t *testing.T) {
	april := &Layout{Year: "04-01"}
	for _, c := range []struct {
		layout     *Layout
		text, want string
	}{
		{april, "2016/17", "2016-04-01/P1Y"},
		{april, "FY 2016-17", "2016-04-01/P1Y"},
		{april, "2016/2017", "2016-04-01/P1Y"},
		{april, "1999–00", "1999-04-01/P1Y"},
		{april, "2011-12", "2011-04-01/P1Y"},
		{april, "2016", "2016"},
		{april, "2016-2019", "2016-01-01/P4Y"},
		{&Layout{}, "2011-12", "2011-12"}, // a month
		{&Layout{}, "2016/2017", "2016-01-01/P2Y"},
		{&Layout{}, "2016/17", ""},
		{april, "2016/18", ""},
	} {
		got, err := c.layout.period(c.text)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q from %q: %q, %v; want %q", c.text, c.layout.Year, got, err, c.want)
		}
		if c.text == "2016/17" && err != nil && !strings.Contains(err.Error(), "year: 04-01") {
			t.Error(err)
		}
	}
	if _, err := ReadMap(strings.NewReader("table: {year: 13-01}\nseries: [{folder: a, value: v}]\n")); err == nil {
		t.Error("a year begins in a thirteenth month")
	}
}
