package tables

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"stele/record"
)

// periodForms are the ways in which tables write periods that records write otherwise.
var periodForms = []struct {
	form *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^YR(\d{4})$`), "$1"},                      // the World Bank's
	{regexp.MustCompile(`^(\d{4})\.0+$`), "$1"},                    // a year that went through a spreadsheet
	{regexp.MustCompile(`^(\d{4})-?M(\d{2})$`), "$1-$2"},           // 2024M05, and SDMX's 2024-M05
	{regexp.MustCompile(`^(\d{4}) ?Q([1-4])$`), "$1-Q$2"},          // 2024Q1
	{regexp.MustCompile(`^Q([1-4])[ /-]?(\d{4})$`), "$2-Q$1"},      // Q1 2024
	{regexp.MustCompile(`^(\d{4})-?[Ww](\d{2})$`), "$1-W$2"},       // 2024W07
	{regexp.MustCompile(`^(\d{4})-?[SH]([12])$`), "$1-S$2"},        // 2024S1, 2024-H1
	{regexp.MustCompile(`^(\d{4})-A1$`), "$1"},                     // SDMX
	{regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})T00:00:00Z?$`), "$1"}, // a day with a time
}

// split is a year that is named by two, as those of finance and of schools are: 2016/17.
var split = regexp.MustCompile(`^(?:FY ?)?(\d{4})\s*[-–—/]\s*(?:\d{2})?(\d{2})$`)

// splitYear is the first of the two years that a text names.
func splitYear(text string) (first string, ok bool) {
	m := split.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	return m[1], (from+1)%100 == to
}

// isSplit reports whether a text can only be such a year.
func isSplit(text string) bool {
	_, ok := splitYear(text)
	return ok && !record.Period(text).Valid() && !years.MatchString(text)
}

var years = regexp.MustCompile(`^(\d{4})\s*[-–—/]\s*(\d{4})$`)

// period is a period as records write it. What may be a month, such as 2011-12, is a year only
// where the map says when years begin.
func (l *Layout) period(text string) (string, error) {
	text = trim(text)
	if first, ok := splitYear(text); ok {
		switch {
		case l.Year != "":
			return first + "-" + l.Year + "/P1Y", nil
		case isSplit(text):
			return "", fmt.Errorf("%q does not show on which day the year begins: write below table in the map, for one that begins in April, year: 04-01", text)
		}
	}
	for _, f := range periodForms {
		if f.form.MatchString(text) {
			text = f.form.ReplaceAllString(text, f.to)
			break
		}
	}
	if m := years.FindStringSubmatch(text); m != nil {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		if from > to {
			return "", fmt.Errorf("%q ends before it begins", text)
		}
		text = fmt.Sprintf("%s-01-01/P%dY", m[1], to-from+1)
	}
	if !record.Period(text).Valid() {
		return "", fmt.Errorf("%q is not a period: records write 2024, 2024-05, 2024-05-01, 2024-Q1, 2024-S1, 2024-W07 or 2024-01-01/P2Y", strings.TrimSpace(text))
	}
	return text, nil
}
