package tables

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/fold"
	"stele/record"
)

// periodReading is a reading of periods. It reads all of a text, or rejects it.
type periodReading struct {
	name string
	read func(text string) (period string, ok bool)
}

// Readings of financial years need a day: financial years from 04-01, financial years to 03-31. A
// text with one year, such as FY2017, means the year of that day.
const (
	financialYears  = "financial years from "
	financialYearTo = "financial years to "
)

// mixedPeriods accepts a text if exactly one reading accepts it.
const mixedPeriods = "periods"

// recordPeriods reads periods as in records, in which 2011-12 is a month. It reads other texts as
// mixedPeriods does.
const recordPeriods = "periods as records write them"

// periodReadings lists the readings in order of preference, if several give the same results.
// Financial years are here without their day.
var periodReadings = []periodReading{
	{"years", newReading(`(?:YR)?((?:1[5-9]|20|21)\d\d)(?:\.0+|-A1| ?年| ?г\.?)?`, func(m []string) string { return m[1] })},
	{"months", parseMonth},
	{"quarters", newReading(`(\d{4})[- ]?[QqTt]([1-4])|[QqTt]([1-4])[ /-]?(\d{4})`, func(m []string) string { return m[1] + m[4] + "-Q" + m[2] + m[3] })},
	{"half-years", newReading(`(\d{4})[- ]?[SHsh]([12])|[SHsh]([12])[ /-]?(\d{4})`, func(m []string) string { return m[1] + m[4] + "-S" + m[2] + m[3] })},
	{"weeks", newReading(`(\d{4})[- ]?[Ww](\d{2})`, func(m []string) string { return m[1] + "-W" + m[2] })},
	{"financial years", func(text string) (string, bool) { first, _, ok := parseFinancialYear(text); return first, ok }},
	{"spans of years", newReading(`(\d{4})\s*[-–—/]\s*(\d{4})`, yearSpan)},
	{"spans of months", newReading(`(\pL{3,})\.? ?(?:[-–—/]|to) ?(\pL{3,})\.? (\d{4})`, monthSpan)},
	{"years to a month", newReading(`(?i:12 months|twelve months|years?) (?i:to|ended|ending)(?: (\d\d?))? (\pL{3,}) (\d{4})`, endYear)},
	{"days year-month-day", newReading(`(\d{4})([-/.]?)(\d\d?)([-/.]?)(\d\d?)`, func(m []string) string {
		if m[2] != m[4] || m[2] == "" && len(m[0]) != 8 {
			return ""
		}
		return formatDay(m[1], m[3], m[5])
	})},
	{"days day-month-year", newDayReading(false)},
	{"days month-day-year", newDayReading(true)},
	{recordPeriods, func(text string) (string, bool) {
		return text, strings.Contains(text, "/P") && record.Period(text).Valid()
	}},
}

// newReading returns a reading of texts that a pattern matches completely. It rejects periods that
// are not allowed in records.
func newReading(pattern string, write func(groups []string) string) func(string) (string, bool) {
	whole := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return func(text string) (string, bool) {
		m := whole.FindStringSubmatch(text)
		if m == nil {
			return "", false
		}
		period := write(m)
		return period, period != "" && record.Period(period).Valid()
	}
}

func yearSpan(m []string) string {
	from, _ := strconv.Atoi(m[1]) // both are digits
	to, _ := strconv.Atoi(m[2])
	if from >= to {
		return ""
	}
	return fmt.Sprintf("%s-01-01/P%dY", m[1], to-from+1)
}

// monthSpan returns the months from the first to the second, in the same year.
func monthSpan(m []string) string {
	from, to := parseMonthName(m[1]), parseMonthName(m[2])
	if from == 0 || to <= from {
		return ""
	}
	return fmt.Sprintf("%s-%02d-01/P%dM", m[3], from, to-from+1)
}

// endYear returns the year that ends on a day, or on the last day of a month.
func endYear(m []string) string {
	year, _ := strconv.Atoi(m[3])
	day, err := strconv.Atoi(m[1])
	month := time.Month(parseMonthName(m[2]))
	end := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
	if month == 0 || err == nil && day > end.Day() {
		return ""
	}
	if err == nil {
		end = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return end.AddDate(0, 0, 1).AddDate(-1, 0, 0).Format(time.DateOnly) + "/P1Y"
}

// midnight matches the time of day that programs add to days.
var midnight = regexp.MustCompile(`^(\d[^ T]*\d)(?:T| )(?:00:00(?::00(?:\.0+)?)?Z?|12:00:00 AM|0:00)$`)

// split matches a year that is written as two years, such as the financial or school year 2016/17,
// and years such as FY2017.
var split = regexp.MustCompile(`^(?:(?:FY ?)?(\d{4})\s*[-–—/]\s*(?:\d{2})?(\d{2})|FY ?(\d{4}))$`)

// parseFinancialYear returns the first of two years in text, or the only one if one is true.
func parseFinancialYear(text string) (first string, one, ok bool) {
	m := split.FindStringSubmatch(text)
	if m == nil {
		return "", false, false
	}
	if m[3] != "" {
		return m[3], true, true
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	return m[1], false, (from+1)%100 == to
}

// financialYearStart returns the financial year in text, as a period that begins on its first day.
// It also accepts a year alone.
func financialYearStart(reading, text string) (period string, ok bool) {
	first, one, ok := parseFinancialYear(text)
	if len(text) == 4 && isDigits(text) {
		first, one, ok = text, true, true
	}
	day, from := strings.CutPrefix(reading, financialYears)
	if !from {
		end, err := time.Parse(time.DateOnly, first+"-"+strings.TrimPrefix(reading, financialYearTo))
		if err != nil {
			return "", false
		}
		if one {
			end = end.AddDate(-1, 0, 0)
		}
		return end.AddDate(0, 0, 1).Format(time.DateOnly) + "/P1Y", ok
	}
	return first + "-" + day + "/P1Y", ok
}

// monthNames has the names of the months in common languages of tables, without accents, separated
// by bars.
var monthNames = strings.Fields(fold.Accents(`january|januar|janvier|enero|gennaio|janeiro|januari|январь|января|يناير
	february|februar|fevrier|febrero|febbraio|fevereiro|februari|февраль|февраля|فبراير march|marz|mars|marzo|marco|maart|март|марта|مارس
	april|avril|abril|aprile|апрель|апреля|أبريل|ابريل may|mai|mayo|maggio|maio|mei|май|мая|مايو june|juni|juin|junio|giugno|junho|июнь|июня|يونيو
	july|juli|juillet|julio|luglio|julho|июль|июля|يوليو august|aout|agosto|augustus|август|августа|أغسطس|اغسطس
	september|septembre|septiembre|settembre|setembro|сентябрь|сентября|سبتمبر october|oktober|octobre|octubre|ottobre|outubro|октябрь|октября|أكتوبر|اكتوبر
	november|novembre|noviembre|novembro|ноябрь|ноября|نوفمبر december|dezember|decembre|diciembre|dicembre|dezembro|декабрь|декабря|ديسمبر`))

// parseMonthName returns the month whose name begins with word, or 0 if there is none or several.
func parseMonthName(word string) (month int) {
	word = strings.TrimSuffix(fold.Accents(word), ".")
	if len([]rune(word)) < 3 {
		return 0
	}
	for i, names := range monthNames {
		for name := range strings.SplitSeq(names, "|") {
			if strings.HasPrefix(name, word) {
				if month != 0 && month != i+1 {
					return 0
				}
				month = i + 1
			}
		}
	}
	return month
}

var (
	monthInDigits = regexp.MustCompile(`^(?:(\d{4})(?:-?M|[-/.])(\d{2})|(\d\d?)[-/.](\d{4})|(\d{4})年(\d\d?)月)$`)
	monthInWords  = regexp.MustCompile(`^(?:(\pL{3,}\.?)(?: |-|/|, | de | of )(\d{4})|(\d{4})[ -](\pL{3,}\.?))$`)
	dayInDigits   = regexp.MustCompile(`^(\d\d?)([-/.])(\d\d?)([-/.])(\d{4})$`)
	dayInWords    = regexp.MustCompile(`^(?:(\d\d?)\.?(?: |-| de )(\pL{3,}\.?)(?: |-| de )(\d{4})|(\pL{3,}\.?) (\d\d?),? (\d{4}))$`)
)

func parseMonth(text string) (string, bool) {
	if m := monthInDigits.FindStringSubmatch(text); m != nil {
		month, _ := strconv.Atoi(m[2] + m[3] + m[6])
		return formatMonth(m[1]+m[4]+m[5], month)
	}
	if m := monthInWords.FindStringSubmatch(text); m != nil {
		return formatMonth(m[2]+m[3], parseMonthName(m[1]+m[4]))
	}
	return "", false
}

func formatMonth(year string, month int) (string, bool) {
	return fmt.Sprintf("%s-%02d", year, month), month > 0 && month < 13 && year >= "1500" && year < "2200"
}

// newDayReading returns a reading of days with the month or the day first. It accepts both orders
// if the month is a name.
func newDayReading(monthFirst bool) func(string) (string, bool) {
	return func(text string) (string, bool) {
		day := ""
		if m := dayInDigits.FindStringSubmatch(text); m != nil && m[2] == m[4] {
			if monthFirst {
				m[1], m[3] = m[3], m[1]
			}
			day = formatDay(m[5], m[3], m[1])
		} else if m := dayInWords.FindStringSubmatch(text); m != nil {
			day = formatDay(m[3]+m[6], strconv.Itoa(parseMonthName(m[2]+m[4])), m[1]+m[5])
		}
		return day, day != ""
	}
}

// formatDay returns a day as in records, or "" if the day does not exist.
func formatDay(year, month, day string) string {
	t, err := time.Parse("2006-1-2", year+"-"+strings.TrimPrefix(month, "0")+"-"+strings.TrimPrefix(day, "0"))
	if err != nil || year < "1500" || year >= "2200" {
		return ""
	}
	return t.Format(time.DateOnly)
}

// partsOfYears maps members for parts of a year to functions that format the part.
var partsOfYears = map[string]func(text string) string{
	"time_month": func(text string) string {
		n, err := strconv.Atoi(strings.TrimLeft(text, "Mm"))
		if err != nil {
			n = parseMonthName(text)
		}
		return fmt.Sprintf("-%02d", n)
	},
	"time_quarter": func(text string) string { return "-Q" + strings.TrimLeft(text, "QqTt ") },
	"time_week": func(text string) string {
		n, _ := strconv.Atoi(strings.TrimLeft(text, "WwKk"))
		return fmt.Sprintf("-W%02d", n)
	},
}

// parsePartOfYear returns the period for text, a part of year, and whether the period is valid.
func parsePartOfYear(year, member, text string) (string, bool) {
	period := year + partsOfYears[member](toASCII(text))
	return period, len(year) == 4 && record.Period(period).Valid()
}

// joinPeriod joins a year and its month, quarter or week into one period.
func joinPeriod(members map[string]string) error {
	for part := range partsOfYears {
		text, given := members[part]
		if !given {
			continue
		}
		delete(members, part)
		period, ok := parsePartOfYear(members["time_period"], part, text)
		if !ok {
			return fmt.Errorf("%q with %q is not a period: correct the cells, or add the rows to ignore", members["time_period"], text)
		}
		members["time_period"] = period
	}
	return nil
}

// parsePeriod reads a text with the reading that a map names. Mixed periods accept a text if all
// readings that accept it agree.
func parsePeriod(reading, text string) (string, bool) {
	switch {
	case strings.HasPrefix(reading, "financial years "):
		return financialYearStart(reading, toASCII(text))
	case reading == recordPeriods && record.Period(text).Valid():
		return text, true
	case reading == recordPeriods:
		reading = mixedPeriods
	}
	found, text := "", plainPeriod(text)
	for i := range periodReadings {
		r := &periodReadings[i]
		if r.name != reading && reading != mixedPeriods {
			continue
		}
		period, ok := r.read(text)
		switch {
		case !ok:
		case found != "" && found != period || strings.HasPrefix(r.name, "financial") && reading == mixedPeriods:
			return "", false
		default:
			found = period
		}
	}
	return found, found != ""
}

// plainPeriod returns a text in ASCII, without a midnight at its end.
func plainPeriod(text string) string { return midnight.ReplaceAllString(toASCII(text), "$1") }

// isPeriodReading reports whether name is a reading of periods that a map may name.
func isPeriodReading(name string) bool {
	day, from := strings.CutPrefix(name, financialYears)
	day, to := strings.CutPrefix(day, financialYearTo)
	if from || to {
		return record.Period("2001-"+day).Valid() && len(day) == 5
	}
	is := func(r periodReading) bool { return r.name == name && name != "financial years" }
	return name == mixedPeriods || slices.ContainsFunc(periodReadings, is)
}

// spans records which readings accept all periods of a column.
type spans struct {
	read    int
	dead    uint16 // readings that do not accept all of them, as bits
	unclear bool   // whether the reading of mixed periods does not
	differ  [16][16]bool
	seen    []Example          // texts, first those that readings read differently
	decided map[string]Example // for each reading, a text that not all readings accept
}

// addText records a text. It reports whether any reading accepts the text.
func (s *spans) addText(text string, line int) bool {
	if s.decided == nil {
		s.decided = map[string]Example{}
	}
	var periods [16]string
	plain := plainPeriod(text)
	var mask uint16
	for i := range periodReadings {
		if p, ok := periodReadings[i].read(plain); ok {
			periods[i], mask = p, mask|1<<i
		}
	}
	if mask == 0 {
		return false
	}
	s.read++
	s.dead |= ^mask
	_, one := parsePeriod(mixedPeriods, text)
	s.unclear = s.unclear || !one
	several := false
	for i := range periodReadings {
		for j := range i {
			if mask&(1<<i) != 0 && mask&(1<<j) != 0 && periods[i] != periods[j] {
				s.differ[i][j], several = true, true
			}
		}
		if name := periodReadings[i].name; mask&(1<<i) != 0 && s.decided[name].Text == "" {
			s.decided[name] = Example{Line: line, Text: strings.Clone(text)}
		}
	}
	if e := (Example{Line: line, Text: strings.Clone(text)}); several && len(s.seen) < 8 {
		s.seen = append([]Example{e}, s.seen...)
	} else if len(s.seen) < 4 {
		s.seen = append(s.seen, e)
	}
	return true
}

// acceptedReadings returns the readings that accept every text. Of several with the same results,
// it returns only the first. If it returns none because the forms differ, s.unclear reports whether
// a text has several meanings.
func (s *spans) acceptedReadings() (names []string) {
	for i := range periodReadings {
		same := false
		for j := range i {
			same = same || s.dead&(1<<j) == 0 && !s.differ[i][j]
		}
		if s.dead&(1<<i) == 0 && !same {
			names = append(names, periodReadings[i].name)
		}
	}
	return names
}
