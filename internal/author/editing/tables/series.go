package tables

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/sheet"
)

var (
	lowEnd    = regexp.MustCompile(`(?i)^(.*?)[\s_.\-(/]*(?:\b95 ?% ?(?:ci|ui)?[ ,:_-]*)?(?:\b|_)(?:lo|low|lower|lb|lower bound|lower limit|lci|untere grenze)\)?$`)
	highEnd   = regexp.MustCompile(`(?i)^(.*?)[\s_.\-(/]*(?:\b95 ?% ?(?:ci|ui)?[ ,:_-]*)?(?:\b|_)(?:hi|high|upper|ub|upper bound|upper limit|uci|obere grenze)\)?$`)
	camelCase = regexp.MustCompile(`(\p{Ll})(\p{Lu})`) // as in ValueLow
)

// estimate matches words after the name of a measure, above the figures that bounds belong to.
var estimate = regexp.MustCompile(`(?i), (values?|estimates?|point estimates?|means?|medians?|central|best|rates?|wert|schätzwert|valeur|estimation|valor|estimación|значение|оценка)$`)

// findSeries groups columns of figures into series: those with the same heading, except for
// periods, sexes and ages in it.
func (p *proposal) findSeries() {
	byFrame := map[string]*measured{}
	periods, all := 0, p.splitHeadings()
	ends := p.findBounds(all)
	for _, c := range slices.Clone(p.values) {
		list := all[c]
		if slices.Contains(p.bounds, c) || list == nil {
			continue
		}
		periods += boolToInt(slices.ContainsFunc(list, func(t token) bool { return strings.HasPrefix(t.group, "time_") }))
		grouped := slices.ContainsFunc(list, func(t token) bool { return t.group != "" })
		if !grouped {
			list = []token{{"", c.name}}
		}
		var bounds [2]string
		for i, end := range ends[c] {
			if end != nil && grouped {
				bounds[i] = headingTemplate(all[end])
			} else if end != nil {
				bounds[i] = end.name
			}
		}
		key := strings.Join(append(bounds[:], headingTemplate(list)), "\x00")
		s := byFrame[key]
		if s == nil {
			s = newMeasured(c.name, list, bounds[0] != "")
			s.ends = bounds
			byFrame[key] = s
			p.measured = append(p.measured, s)
		}
		s.columns, s.tokens, s.seen = append(s.columns, c), append(s.tokens, list), append(s.seen, c)
		s.figures.merge(&c.figures)
		if low, high := ends[c][0], ends[c][1]; low != nil {
			s.lower, s.upper = append(s.lower, low), append(s.upper, high)
			s.figures.merge(&low.figures)
			s.figures.merge(&high.figures)
		}
	}
	if periods > 0 {
		p.dropTotals()
		p.askWithout("time_", "period")
	}
	if p.hasAreaHeadings() {
		p.dropTotals()
		p.askWithout("ref_area", "area")
	}
	p.askHeadings()
	p.askNames()
	p.useEmptyColumns(byFrame)
}

// useEmptyColumns adds columns that have no figures in this edition, but a heading like those of a
// series.
func (p *proposal) useEmptyColumns(byFrame map[string]*measured) {
	for _, c := range p.columns {
		list := p.splitHeading(c.name)
		if s := byFrame["\x00\x00"+headingTemplate(list)]; s != nil && !p.isTaken(c) && c.filled == c.missing && len(list) > 1 {
			p.values = append(p.values, c)
			s.columns, s.tokens = append(s.columns, c), append(s.tokens, list)
		}
	}
}

// newMeasured returns a series without columns, with the title and unit from a heading.
func newMeasured(name string, list []token, bounded bool) *measured {
	words := strings.TrimSpace(strings.ReplaceAll(headingWords(list), "_", " "))
	if bounded {
		words = estimate.ReplaceAllString(words, "")
	}
	s := &measured{name: name, heading: words, headMarks: map[string]Example{}, rest: symbolAtEnd.FindString(words)}
	s.title, s.unit, s.label = splitUnit(strings.TrimSuffix(words, strings.TrimLeft(s.rest, ")]")))
	return s
}

// splitHeadings splits the headings of all columns of figures. A heading that differs from another
// only by lacking a sex, age or period may be a total, so findSeries asks about it.
func (p *proposal) splitHeadings() map[*column][]token {
	all, group := map[*column][]token{}, map[string]string{}
	around := func(parts []string, i int) string {
		return strings.Join(parts[:i], "\x00") + "\x01" + strings.Join(parts[i+1:], "\x00")
	}
	p.findParts()
	for _, c := range p.values {
		all[c] = p.splitHeading(c.name)
		for i, parts := 0, strings.Split(c.name, " / "); i < len(parts) && len(parts) > 1; i++ {
			if list := p.splitHeading(parts[i]); len(list) == 1 && list[0].group != "" {
				group[around(parts, i)] = list[0].group
			}
		}
	}
	for _, c := range slices.Clone(p.values) {
		parts := strings.Split(c.name, " / ")
		for i, part := range parts {
			list := p.splitHeading(part)
			of := group[around(parts, i)]
			switch {
			case of == "" || len(parts) == 1 || len(list) == 1 && list[0].group != "":
			case totals.MatchString(part) && strings.HasPrefix(of, "time_") && !p.isWanted(c):
				p.ignoreColumn(c, say("left total"))
				delete(all, c)
			case totals.MatchString(part) || strings.HasPrefix(strings.ToLower(part), "both"):
				var list []token
				if i > 0 {
					list = p.splitHeading(strings.Join(parts[:i], " / ") + " / ")
				}
				list = append(list, token{of, part})
				if i < len(parts)-1 {
					list = append(list, p.splitHeading(" / "+strings.Join(parts[i+1:], " / "))...)
				}
				all[c] = list
			default:
				delete(all, c)
				p.values = slices.DeleteFunc(p.values, func(v *column) bool { return v == c })
				p.askFigures(c, say("heading group", part, c.name, say("group "+of)))
			}
		}
	}
	return all
}

// dropTotals ignores columns of totals next to columns of periods.
func (p *proposal) dropTotals() {
	p.measured = slices.DeleteFunc(p.measured, func(s *measured) bool {
		drop := len(s.columns) == 1 && !p.isWanted(s.columns[0]) && totals.MatchString(s.name) && len(s.tokens[0]) == 1
		if drop {
			p.ignoreColumn(s.columns[0], say("left total"))
		}
		return drop
	})
}

func (p *proposal) ignoreColumn(c *column, reason Phrase) {
	p.left[c] = reason
	p.values = slices.DeleteFunc(p.values, func(v *column) bool { return v == c })
}

// askWithout asks about columns whose headings lack a group of the given kind, if other headings
// have one.
func (p *proposal) askWithout(group, kind string) {
	for _, s := range slices.Clone(p.measured) {
		if !slices.ContainsFunc(s.tokens[0], func(t token) bool { return strings.HasPrefix(t.group, group) }) {
			for _, c := range s.columns {
				p.askChoice("column "+c.name, say("heading without", c.name, say("group "+kind)), "ignore")
			}
			p.dropSeries(s)
		}
	}
}

// symbolAtEnd matches a sign at the end of a heading that may refer to a note.
var symbolAtEnd = regexp.MustCompile(`([*†‡§¹²³⁴⁵#^°]+|[)\]]\pL{1,3})$`)

// saysNothing matches headings that do not say what is counted.
var saysNothing = regexp.MustCompile(`(?i)^(values?|obs_value|observation|amounts?|numbers?|counts?|figures?|wert|anzahl|valeur|nombre|valor|número|значение|число|القيمة|العدد|数值|值|数量)$`)

// askNames asks what is counted by series whose headings do not say it or are not unique.
func (p *proposal) askNames() {
	if p.indicators != nil {
		return
	}
	some := slices.ContainsFunc(p.measured, func(s *measured) bool { return s.heading != "" })
	seen := map[string]bool{}
	for _, s := range slices.Clone(p.measured) {
		other := slices.ContainsFunc(p.columns, func(c *column) bool {
			return c.name == s.heading && !slices.Contains(p.values, c)
		})
		q := newQuestion("name "+s.name, say("name", s.name, s.title), "ignore")
		q.Free = say("name other")
		switch {
		case s.heading == "" && !some:
			file, _, _ := strings.Cut(p.file, ".")
			s.title, s.unit, s.label = splitUnit(cmp.Or(p.title, file))
			continue
		case s.heading == "", other, saysNothing.MatchString(s.title):
		case seen[strings.ToLower(s.title)]:
			q.Text.name = "name twice"
		default:
			seen[strings.ToLower(s.title)] = true
			continue
		}
		switch answer, open := p.ask(q); {
		case open:
		case answer == "ignore":
			p.dropSeries(s)
		default:
			s.title, s.unit, s.label = splitUnit(answer)
		}
	}
}

func (p *proposal) dropSeries(s *measured) {
	for _, c := range s.columns {
		p.ignoreColumn(c, say("left answered"))
	}
	p.measured = slices.DeleteFunc(p.measured, func(o *measured) bool { return o == s })
}

// askHeadings asks about words in brackets and signs at the end of headings, unless they are a
// known unit.
func (p *proposal) askHeadings() {
	for _, s := range slices.Clone(p.measured) {
		rest := strings.TrimLeft(s.rest, ")]")
		if m := unitAtEnd.FindStringSubmatch(s.title); s.unit == "" && m != nil && m[1] != "" {
			rest = m[2]
		}
		if rest == "" || rest == unnamedColumn(s.columns[0].at) {
			continue
		}
		answer := p.askChoice("heading "+rest, say("heading", rest, s.name), "name", "unit", "nothing", "ignore")
		bare := strings.TrimSpace(strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(s.title), ")"), " "))
		bare = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(bare, "]"), rest), " ([")
		switch answer {
		case "unit":
			s.title, s.unit, s.label = bare, strings.ReplaceAll(slug(rest), "-", "_"), rest
		case "nothing":
			s.title = bare
		case "ignore":
			p.dropSeries(s)
		}
	}
}

// findBounds finds the columns with the interval of another column: those with its heading and a
// word for low or high, or with only such a word, for the same period, sex and age.
func (p *proposal) findBounds(all map[*column][]token) map[*column][2]*column {
	found := map[*column][2]*column{}
	before := map[string]*column{} // by what it is for
	var lone []*column             // bounds without figures
	for _, c := range p.values {
		groups, words := headingSubject(all[c])
		at, match := 0, lowEnd.FindStringSubmatch(words)
		if match == nil {
			at, match = 1, highEnd.FindStringSubmatch(words)
		}
		if match == nil {
			before[groups] = c
			continue
		}
		owner := before[groups]
		if base := strings.Trim(match[1], " _-.(/,"); base != "" && base != "ci" && base != "confidence interval" {
			owner = nil
			for _, o := range p.values {
				its, name := headingSubject(all[o])
				rest, named := strings.CutPrefix(name, base)
				if owner == nil && its == groups && named && rest == estimate.FindString(rest) {
					owner = o
				}
			}
		}
		if owner == nil || found[owner][at] != nil {
			lone = append(lone, c)
			continue
		}
		pair := found[owner]
		pair[at] = c
		found[owner] = pair
	}
	for owner, pair := range found {
		for i, end := range pair {
			if end != nil && pair[1-i] == nil {
				delete(found, owner)
				lone = append(lone, end)
			} else {
				p.bounds = append(p.bounds, end)
			}
		}
	}
	p.askLoneBounds(lone)
	return found
}

// askLoneBounds asks about bounds without their figures or without the other bounds.
func (p *proposal) askLoneBounds(lone []*column) {
	for _, c := range p.columns {
		if slices.Contains(lone, c) {
			p.ignoreColumn(c, say("left answered"))
			p.askFigures(c, say("bounds", c.name))
		}
	}
}

// headingSubject returns the groups and the words of a heading.
func headingSubject(list []token) (groups, words string) {
	for _, t := range list {
		if t.group != "" {
			groups += t.group + "\x00" + t.text + "\x00"
		}
	}
	return groups, strings.ToLower(strings.Trim(camelCase.ReplaceAllString(headingWords(list), "$1 $2"), " _-.(/"))
}

// splitByIndicator splits each series into one for each text in the column of indicators.
func (p *proposal) splitByIndicator() error {
	if p.indicators == nil {
		return nil
	}
	var all []*measured
	by := map[string]*column{} // by series and word
	for _, s := range p.measured {
		for _, word := range sortedTexts(p.indicators.known) {
			one := *s
			one.words = word
			one.title, one.unit, one.label = splitUnit(word)
			if len(p.measured) > 1 {
				one.title += ", " + s.title
			}
			all = append(all, &one)
			by[s.name+"\x00"+word] = newColumn(0, s.name)
		}
	}
	err := p.eachRow(func(row sheet.Row) bool {
		word := trimSpace(row.At(p.indicators.at).Text)
		for _, s := range p.measured {
			into := by[s.name+"\x00"+word]
			for _, c := range slices.Concat(s.columns, s.lower, s.upper) {
				if into != nil {
					into.addCell(row.At(c.at), row.Line)
				}
			}
		}
		return true
	})
	for _, s := range all {
		into := by[s.name+"\x00"+s.words]
		s.figures, s.seen = into.figures, []*column{into}
	}
	p.measured = all
	return err
}

// finishSeries names the folders of the series, and sets the titles and units from answers.
func (p *proposal) finishSeries() {
	for _, s := range p.measured {
		s.folder = p.uniqueFolder(s)
		for to, id := range map[*string]string{&s.title: "title ", &s.unit: "unit ", &s.label: "unit_label "} {
			*to = cmp.Or(p.answers[id+s.folder], *to)
		}
	}
}

// sampleText returns the first, smallest and largest figure of a series, as they are written and as
// they are read.
func (s *measured) sampleText() string {
	type sample struct {
		line  int
		text  string
		value *big.Rat
	}
	var all []sample
	numbers, fraction, ok := findNumbering(s.reading)
	for _, c := range s.seen {
		for _, text := range sortedTexts(c.known) {
			w, l := c.known[text], Layout{numbers: numbers, fraction: fraction}
			front, _ := splitMark(splitInterval(text)[0])
			v, is, err := value{}, false, error(nil)
			if ok && w.number {
				v, is, err = l.parseCell(sheet.Cell{Text: front, Kind: w.kind, Percent: w.percent})
			}
			if value, valid := new(big.Rat).SetString(v.number); is && err == nil && valid && v.bound == "" {
				all = append(all, sample{w.line, text + " → " + v.number, value})
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	byValue := func(a, b sample) int { return a.value.Cmp(b.value) }
	slices.SortStableFunc(all, func(a, b sample) int { return a.line - b.line })
	list := []string{all[0].text}
	for _, e := range []sample{slices.MinFunc(all, byValue), slices.MaxFunc(all, byValue)} {
		if !slices.Contains(list, e.text) {
			list = append(list, e.text)
		}
	}
	return strings.Join(list, ", ")
}

func (p *proposal) uniqueFolder(s *measured) string {
	base := cmp.Or(slug(s.title), slug(s.words), "values")
	name := base
	for n := 2; slices.ContainsFunc(p.measured, func(o *measured) bool { return o != s && o.folder == name }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}
