package tables

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/sheet"
)

// decideTime chooses how periods are read, in a column or in headings, and finds the rows without
// one.
func (p *proposal) decideTime() {
	if p.time != nil {
		p.decidePeriods(p.time.name, p.time.name, &p.time.period)
		var odd []Phrase
		for _, text := range sortedTexts(p.time.known) {
			switch w := p.time.known[text]; {
			case w.period:
			case totals.MatchString(text):
				p.ignoreRows(p.time, text)
			default:
				odd = append(odd, say("cell", text, w.line))
			}
		}
		if len(odd) > 0 {
			p.askForCorrection("period cells", say("period cells", odd[:min(len(odd), 5)], p.time.name))
		}
		return
	}
	var heads spans
	name := ""
	for _, s := range p.measured {
		for i, list := range s.tokens {
			for _, t := range list {
				if t.group != "time_period" {
					continue
				}
				name = cmp.Or(name, s.columns[i].name)
				line := p.header[0]
				if front, mark := splitMark(t.text); !heads.addText(t.text, line) && heads.addText(front, line) {
					s.headMarks[mark] = Example{Line: p.header[0], Text: t.text}
				}
			}
		}
	}
	if heads.read == 0 {
		answer, open := p.ask(Question{ID: "time", Text: say("time none"), Free: say("time other")})
		if _, ok := parsePeriod(mixedPeriods, answer); ok && !open {
			p.set = append(p.set, "time_period: "+quoteText(answer))
		}
		return
	}
	p.decidePeriods(name, "time_period", &heads)
}

// financialChoices are the days on which financial years usually begin or end.
var financialChoices = []string{
	financialYears + "01-01", financialYears + "04-01", financialYears + "07-01", financialYears + "10-01",
	financialYearTo + "03-31", financialYearTo + "06-30", financialYearTo + "09-30",
}

var monthsFromTo = regexp.MustCompile(`(\pL{3,})\.?\s*(?:to|–|-|—)\s*\pL{3,}`)

// possibleReadings returns the readings that are possible for the cells and the words of the
// heading. If only one is left, why is the evidence.
func (s *spans) possibleReadings(name string) (left []string, why Phrase) {
	left = s.acceptedReadings()
	m := monthsFromTo.FindStringSubmatch(name)
	switch {
	case slices.Contains(left, "financial years") && m != nil && parseMonthName(m[1]) > 0:
		return []string{fmt.Sprintf("%s%02d-01", financialYears, parseMonthName(m[1]))}, say("why heading")
	case slices.Equal(left, []string{"years"}) && fiscal.MatchString(name):
		return []string{"years", "financial years"}, why
	case len(left) > 1 && fiscal.MatchString(name) && slices.Contains(left, "financial years"):
		return []string{"financial years"}, why
	case len(left) > 1 && monthHead.MatchString(name) && slices.Contains(left, "months"):
		return []string{"months"}, say("why heading")
	case len(left) == 0 && !s.unclear:
		return []string{mixedPeriods}, say("why forms")
	case len(left) == 1:
		why = s.decided[left[0]].decided()
	}
	return left, why
}

// decidePeriods chooses how periods are read, in a column or in headings.
func (p *proposal) decidePeriods(name, member string, s *spans) {
	if s.read == 0 {
		return
	}
	left, why := s.possibleReadings(name)
	if len(left) == 1 && left[0] != "financial years" {
		p.noteReading(member, left[0], why)
		return
	}
	q := Question{ID: "period", Free: say("period other")}
	var names []string
	for _, r := range left {
		if r == "financial years" {
			names = append(names, financialChoices...)
		} else {
			names = append(names, r)
		}
	}
	for _, r := range names {
		c := Choice{Value: r, Label: readingWords(r)}
		for _, e := range s.seen[:min(len(s.seen), 2)] {
			e.Result, _ = parsePeriod(r, e.Text)
			c.Examples = append(c.Examples, e)
		}
		_, one, split := parseFinancialYear(s.seen[0].Text)
		if one || !split || !strings.HasPrefix(r, financialYearTo) {
			q.Choices = append(q.Choices, c)
		}
	}
	switch q.Text = say("period", name, s.seen[0].Text); {
	case len(left) == 0:
		var seen []Phrase
		for _, e := range s.seen[:min(len(s.seen), 5)] {
			seen = append(seen, say("cell", e.Text, e.Line))
		}
		q.Text, q.Free = say("period forms", name, "", seen), Phrase{}
	case len(left) == 1:
		q.Text.name = "period begins"
	}
	answer, open := p.ask(q)
	if open || !isPeriodReading(answer) {
		answer = openReading
	}
	p.noteReading(member, answer, say("why answered"))
}

// decidePeriods chooses how the periods of a column or of headings are read. For years named by two
// years, a map can give the first day for the whole table.
func (c *converter) decidePeriods(key, column string, s *spans) {
	left, _ := s.possibleReadings(key)
	switch {
	case s.read == 0 || len(left) == 0 || c.Table.Year != "":
		c.readings[key] = mixedPeriods
	case len(left) == 1 && left[0] != "financial years", left[0] == "years":
		c.readings[key] = left[0]
	default:
		e := s.seen[0]
		err := fmt.Errorf("%s does not show on which day the year begins: for example, if it begins in April, set year: 04-01 below table in the map, or readings: {%s: %s04-01}", e.Text, quoteText(key), financialYears)
		if len(left) > 1 {
			err = fmt.Errorf("%s can mean %s, and no cell shows which: set readings: {%s: %s} in the map; financial years need their first day, such as %s04-01", e.Text, strings.Join(left, " or "), quoteText(key), left[0], financialYears)
		}
		c.addFault(sheet.Row{Line: e.Line}, column, err)
	}
}

func isPeriodMember(member string) bool { return member == "time_period" || member == "vintage" }

// parsePeriod reads a period with the reading of its column or of the headings, and removes marks
// from it.
func (c *converter) parsePeriod(members map[string]string, from cellOf, text string) (string, error) {
	key := c.names[from.column]
	if slices.Contains(c.values, from.column) {
		key = from.member
	}
	reading := c.readings[key]
	period, ok := c.Table.parsePeriod(reading, text)
	if !ok {
		bare, set := c.Table.removeMarks(text)
		if period, ok = c.Table.parsePeriod(reading, bare); ok {
			maps.Copy(members, set)
		}
	}
	switch {
	case ok:
		return period, nil
	case reading == mixedPeriods:
		return "", say("fault period", cutText(text), key)
	}
	return "", say("fault reading", cutText(text), reading)
}

// parsePeriod parses text as a period. If the map does not say how periods are read, Year gives the
// first day of a span of two years, such as 2019/20.
func (l *Layout) parsePeriod(reading, text string) (string, bool) {
	if first, one, ok := parseFinancialYear(text); ok && !one && l.Year != "" && reading == mixedPeriods {
		return first + "-" + l.Year + "/P1Y", true
	}
	return parsePeriod(reading, text)
}

// partHeads matches headings of columns with months, quarters and weeks.
var partHeads = map[string]*regexp.Regexp{
	"time_month":   regexp.MustCompile(`(?i)^(months?( (no|number|name))?|monat|mois|mes|mese|mês|maand|месяц|الشهر|月|月份)$`),
	"time_quarter": regexp.MustCompile(`(?i)^(quarters?|quartal|trimestres?|kvartal|квартал|qtr)$`),
	"time_week":    regexp.MustCompile(`(?i)^((epi(demiological)? |calendar )?weeks?( (no|number))?|kw|woche|kalenderwoche|semaine|semana|неделя)$`),
}

// findPartOfYear finds the column with the month, quarter or week of each row. Each of its texts
// must be one of these, except for totals.
func (p *proposal) findPartOfYear() {
	heads := func(c *column) bool { return c.hasFigures() && yearFirst.MatchString(c.name) }
	if p.time == nil && !slices.ContainsFunc(p.columns, heads) ||
		p.time != nil && !slices.Equal(p.time.period.acceptedReadings(), []string{"years"}) {
		return
	}
	for _, part := range slices.Sorted(maps.Keys(partHeads)) {
		for _, c := range p.columns {
			if !partHeads[part].MatchString(c.name) || p.isTaken(c) || !c.isUnused() || c.filled == 0 || c.many {
				continue
			}
			var sums []string
			odd := false
			for _, text := range sortedTexts(c.known) {
				_, ok := parsePartOfYear("2020", part, text)
				if sum := totals.MatchString(text); sum && !ok {
					sums = append(sums, text)
				} else {
					odd = odd || !ok
				}
			}
			if !odd {
				p.takeColumn(part, c)
				c.divides = true
				p.ignored[c] = sums
				return
			}
		}
	}
}
