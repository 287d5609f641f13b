package record

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const genericPeriod = "write 2016, 2016-07"

var periodCases = []formatCase{
	{"2016", right},
	{"2016-07", right},
	{"2016-07-14", right},
	{"2016-02-29", right},
	{"2016-S1", right},
	{"2016-S2", right},
	{"2016-Q1", right},
	{"2016-Q4", right},
	{"2016-W01", right},
	{"2016-W52", right},
	{"2015-W53", right},
	{"2020-W53", right},
	{"2016-07-01/P18M", right},
	{"2016/P10Y", right},
	{"2016-07/P1Y6M", right},
	{"2016/P1Y2M3W4D", right},
	{"2016/P999999D", right},
	{"2016-W53", otherPeriod}, // 2016 has 52 weeks
	{"2016-W00", otherPeriod},
	{"2016-W1", otherPeriod},
	{"2016-S0", otherPeriod},
	{"2016-S3", otherPeriod},
	{"2016-Q0", otherPeriod},
	{"2016-Q5", otherPeriod},
	{"2016-Q12", otherPeriod},
	{"2016-13", otherPeriod},
	{"2016-00", otherPeriod},
	{"2015-02-29", otherPeriod},
	{"2016/P", otherPeriod},
	{"2016/P6M1Y", otherPeriod},
	{"2016/P1M1M", otherPeriod},
	{"2016/PT1H", otherPeriod},
	{"2016/P1000000D", otherPeriod},
	{"2016/1Y", otherPeriod},
	{"2016-Q1/P1Y", otherPeriod},
	{"2016/2018", "write 2016/P3Y"},
	{"2016–2017", "write 2016/P2Y"},
	{"2016/17", "from July, write 2016-07-01/P1Y; from April, 2016-04-01/P1Y"},
	{"FY 2016-17", "from July, write 2016-07-01/P1Y; from April, 2016-04-01/P1Y"},
	{"2018/2016", otherPeriod},
	{"16", otherPeriod},
	{"20167", otherPeriod},
	{"", otherPeriod},
	{"last year", otherPeriod},
	{"2016-q3", "write 2016-Q3"},
	{"2016-w29", "write 2016-W29"},
	{"2016Q3", "write 2016-Q3"},
	{"2016q3", "write 2016-Q3"},
	{"2016/07", "write 2016-07"},
	{"2016/07/14", "write 2016-07-14"},
	{"2016 ", "write 2016"},
	{"2016-07-01 / P18M", "write 2016-07-01/P18M"},
}

const otherPeriod = "write 2016, 2016-07, 2016-07-14, 2016-Q3, 2016-S1, 2016-W29, or a start and duration: 2016-07-01/P18M"

func TestPeriod(t *testing.T) { checkFormat(t, periodCases, periodProblem) }

func TestWeeksOfYears(t *testing.T) {
	for year := 1; year <= 3000; year++ {
		// 28 December is always in the last week
		if _, weeks := time.Date(year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek(); weeksIn(year) != weeks {
			t.Errorf("weeksIn(%d) = %d, but ISOWeek says %d", year, weeksIn(year), weeks)
		}
	}
}

var (
	periodPart     = regexp.MustCompile(`^[0-9]{4}-(?:Q[1-4]|S[12]|W([0-9]{2}))$`)
	periodDuration = regexp.MustCompile(`^P(?:[0-9]{1,6}Y)?(?:[0-9]{1,6}M)?(?:[0-9]{1,6}W)?(?:[0-9]{1,6}D)?$`)
)

// isPeriod reads periods by another way.
func isPeriod(s string) bool {
	start, duration, spans := strings.Cut(s, "/")
	if spans && (strings.Trim(duration, "P0YMWD") == "" || !periodDuration.MatchString(duration)) {
		return false
	}
	for _, layout := range []string{"2006", "2006-01", time.DateOnly} {
		if _, err := time.Parse(layout, start); err == nil {
			return true
		}
	}
	part := periodPart.FindStringSubmatch(start)
	if spans || part == nil || part[1] == "" {
		return !spans && part != nil
	}
	year, _ := strconv.Atoi(start[:4])
	week, _ := strconv.Atoi(part[1])
	_, last := time.Date(year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	return 1 <= week && week <= last
}

// periodProperty: Go, another reading and the schema agree, and what is proposed is a period.
// The schema cannot know which years are long, so it accepts 29 February and week 53 in each; and
// it accepts no time at all.
func periodProperty(t *testing.T, s string) (valid bool) {
	message, fix := periodProblem(s)
	valid = Period(s).Valid()
	if valid != (message == "") || valid != isPeriod(s) {
		t.Errorf("Period(%q).Valid() = %v, want %v; the message is %q", s, valid, isPeriod(s), message)
	}
	bySchema := periodSchema(t).Validate(s) == nil
	nothing := strings.HasSuffix(strings.TrimRight(s, "0YMWD"), "/P")
	if valid != bySchema && (valid || !strings.Contains(s, "-02-29") && !strings.Contains(s, "-W53") && !nothing) {
		t.Errorf("Period(%q).Valid() = %v, but the schema says %v", s, valid, bySchema)
	}
	if p := proposal(fix, genericPeriod); p != "" && !Period(p).Valid() {
		t.Errorf("%q: %q is proposed, which is no period", s, p)
	}
	return valid
}

func TestPeriodEnd(t *testing.T) {
	for period, want := range map[Period]Date{
		"2016": "2016-12-31", "2016-02": "2016-02-29", "2016-02-28": "2016-02-28", "2016-S1": "2016-06-30", "2016-S2": "2016-12-31",
		"2016-Q1": "2016-03-31", "2016-Q4": "2016-12-31", "2016-W01": "2016-01-10", "2020-W53": "2021-01-03", "2018-W01": "2018-01-07",
		"2016-07-01/P18M": "2017-12-31", "2016/P1Y": "2016-12-31", "2016-03/P2W": "2016-03-14", "2016-07-14/P1Y2M1W3D": "2017-09-23",
		"2016/P999999Y": "9999-12-31", "9999": "9999-12-31", "2015-01-31/P1M": "2015-02-27", "2016-02-29/P1Y": "2017-02-27",
	} {
		if !period.Valid() {
			t.Errorf("%s is not valid", period)
		}
		if got := period.End(); got != want {
			t.Errorf("%s ends on %s, want %s", period, got, want)
		}
		if period.isOver(want) != true || want < "9999" && period.isOver(dateOf(want.time().AddDate(0, 0, -1))) {
			t.Errorf("%s is not over on %s, or was before", period, want)
		}
	}
}

func (d Date) time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

// TestPeriodKey: a period has one key, however it is written.
func TestPeriodKey(t *testing.T) {
	for p, want := range map[Period]string{
		"2024": "2024", "2024-01-01/P1Y": "2024", "2024/P1Y": "2024", "2024-01/P12M": "2024", "2024-01-01/P366D": "2024",
		"2023-01-01/P366D": "2023-01-01/2024-01-01", "2024-07/P6M": "2024-S2", "2024-04-01/P3M": "2024-Q2",
		"2024-02-01/P29D": "2024-02", "2016-07-18/P1W": "2016-W29", "2016-07-18/P7D": "2016-W29", "2016-07-14/P1D": "2016-07-14",
		"2016-07-01/P18M": "2016-07-01/2017-12-31", "2016-W29": "2016-W29", "nonsense/P1Y": "nonsense/P1Y",
	} {
		if got := p.Key(); got != want {
			t.Errorf("the key of %s is %s, want %s", p, got, want)
		}
	}
}
