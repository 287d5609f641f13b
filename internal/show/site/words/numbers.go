package words

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"stele/internal/show/latest"
	"stele/internal/trust/standing"
	"stele/record"
)

// Scripts format numbers and dates with part-numbers.js; a test compares the two.

// Localize converts the English digits and marks of text, a number, to the language.
func (t *Set) Localize(text string) string {
	if t.Tag == "en" || !strings.ContainsAny(text, "0123456789") {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteString(t.localMark(r))
	}
	return b.String()
}

// localMark converts r, a digit or mark, to the language. It returns other characters unchanged.
func (t *Set) localMark(r rune) string {
	switch r {
	case ',':
		return t.Group
	case '.':
		return t.Point
	case '−', '-':
		return t.Minus
	}
	if '0' <= r && r <= '9' {
		return string([]rune(t.Digits)[r-'0'])
	}
	return string(r)
}

// Int formats a whole number.
func (t *Set) Int(n int64) string { return t.Localize(groupDigits(strconv.FormatInt(n, 10))) }

// Figure formats n with at most the given decimals or, if decimals is nil, with its author's.
func (t *Set) Figure(n record.Number, decimals *int64) string {
	text := string(n)
	if decimals != nil && *decimals < 12 {
		if f := n.Float(); !math.IsNaN(f) && math.Abs(f) < 1e15 {
			text = strconv.FormatFloat(f, 'f', int(*decimals), 64)
		}
	}
	if strings.ContainsAny(text, "eE") {
		return text
	}
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "−", text[1:]
	}
	return t.Localize(sign + groupDigits(text))
}

// Brief formats a value as Figure does or, if it is very small, in millionths or billionths.
func (t *Set) Brief(n record.Number, decimals *int64) string {
	f, form, by := n.Float(), t.Millionths, 1e6
	if size := math.Abs(f); !(size > 0 && size < 1e-4) {
		return t.Figure(n, decimals)
	} else if size < 1e-7 {
		form, by = t.Billionths, 1e9
	}
	rounded := record.Number(strconv.FormatFloat(f*by, 'e', 3, 64))
	return Fill(form, "n", t.Figure(record.Number(strconv.FormatFloat(rounded.Float(), 'f', -1, 64)), nil))
}

// UnitOf returns unit, in the publisher's words, as pages show it next to value. Next to 1 it is in
// parentheses, because its words may be a plural.
func (t *Set) UnitOf(value, unit string) string {
	if value != t.Int(1) || unit == "" {
		return unit
	}
	return "(" + unit + ")"
}

// Replacement returns the text that replaces a missing value: a bound or the meaning of a code. It
// returns "" if st has neither.
func (t *Set) Replacement(st *record.HealthcareStatistic, codes record.Terms) string {
	switch {
	case st.LessThan != "":
		return "<" + t.Figure(st.LessThan, st.Decimals)
	case st.GreaterThan != "":
		return ">" + t.Figure(st.GreaterThan, st.Decimals)
	case st.Code != "":
		return cmp.Or(codes.Get(st.Code), st.Code)
	}
	return ""
}

// Remark returns a remark that readers must know about v, or "" for a normal value.
func (t *Set) Remark(v latest.Value) string {
	text := ""
	if v.Status != record.StatusNormal && v.Status != "" && !v.Standing.IsLost() {
		text = strings.ToLower(t.Written(ObsStatuses, string(v.Status)))
	}
	if v.Standing > standing.Due {
		text += t.Comma + strings.ToLower(t.Written(Standings, v.Standing.String()))
	}
	return strings.TrimPrefix(text, t.Comma)
}

// groupDigits inserts commas between thousands.
func groupDigits(text string) string {
	whole, fraction, dot := strings.Cut(text, ".")
	if len(whole) <= 3 {
		return text
	}
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 && whole[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if dot {
		return b.String() + "." + fraction
	}
	return b.String()
}

// tick contains the abbreviation of round numbers that are at least a minimum.
type tick struct {
	least, by float64
	form      string
}

func (t *Set) ticks() [4]tick {
	return [4]tick{{1e9, 1e9, t.Billions}, {1e6, 1e6, t.Millions}, {1e4, 1e3, t.Thousands}, {0, 1, "{n}"}}
}

// Tick formats v, a round number, briefly. It removes the rounding errors of floats.
func (t *Set) Tick(v float64) string {
	for _, tick := range t.ticks() {
		if math.Abs(v) >= tick.least {
			n := strconv.FormatFloat(math.Round(v/tick.by*1e6)/1e6, 'f', -1, 64)
			if strings.HasPrefix(n, "-") {
				n = "−" + n[1:]
			}
			return Fill(tick.form, "n", t.Localize(n))
		}
	}
	return "" // not a number
}

// Per formats a percentage.
func (t *Set) Per(n record.Number) string { return Fill(t.Percent, "n", t.Localize(string(n))) }

// Day formats a date.
func (t *Set) Day(d record.Date) string { return t.fillDate(t.Date, string(d)) }

// When formats a period: years, months, quarters, weeks and days in words, and others unchanged.
func (t *Set) When(p record.Period) string {
	text := string(p)
	switch {
	case len(text) == len("2006"):
		return t.Localize(text)
	case len(text) == len("2006-01") && text[5] <= '1':
		return t.fillDate(t.Month, text)
	case len(text) == len("2006-Q1") && text[5] == 'Q':
		return Fill(t.Quarter, "n", t.Localize(text[6:]), "year", t.Localize(text[:4]))
	case len(text) == len("2006-W01") && text[5] == 'W':
		return Fill(t.Week, "n", t.Localize(strings.TrimPrefix(text[6:], "0")), "year", t.Localize(text[:4]))
	case len(text) == len("2006-01-02") && text[4] == '-':
		return t.fillDate(t.Date, text)
	case t.Tag == "en":
		return text
	}
	return "\u2066" + text + "\u2069" // a code, from left to right
}

// fillDate fills form, a pattern, with the parts of date, a date or month.
func (t *Set) fillDate(form, date string) string {
	if len(date) < len("2006-01") {
		return date
	}
	month, name, day := date[5:7], "", ""
	if n, err := strconv.Atoi(month); err == nil && 0 < n && n <= len(t.Months) {
		name = t.Months[n-1]
	}
	if len(date) > 8 {
		day = date[8:]
	}
	return Fill(form, "year", t.Localize(date[:4]), "mm", t.Localize(month), "month", name,
		"dd", t.Localize(day), "d", t.Localize(strings.TrimPrefix(day, "0")))
}
