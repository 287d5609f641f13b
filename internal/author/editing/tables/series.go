package tables

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/sheet"
)

var (
	lowEnd  = regexp.MustCompile(`(?i)^(.*?)[\s_.\-(/]*(?:\b95 ?% ?(?:ci|ui)?[ ,:_-]*)?(?:\b|_)(?:lo|low|lower|lb|lower bound|lower limit|lci|untere grenze)\)?$`)
	highEnd = regexp.MustCompile(`(?i)^(.*?)[\s_.\-(/]*(?:\b95 ?% ?(?:ci|ui)?[ ,:_-]*)?(?:\b|_)(?:hi|high|upper|ub|upper bound|upper limit|uci|obere grenze)\)?$`)
)

// findSeries groups the columns of figures into series: those with one heading, but for periods,
// sexes and ages in it.
func (p *proposal) findSeries() {
	ends := p.findBounds()
	byFrame := map[string]*measured{}
	periods := 0
	all := p.headings()
	for _, c := range slices.Clone(p.values) {
		list := all[c]
		if slices.Contains(p.bounds, c) || list == nil {
			continue
		}
		has := slices.ContainsFunc(list, func(t token) bool { return t.group == "time_period" })
		periods += one(has)
		if !slices.ContainsFunc(list, func(t token) bool { return t.group != "" }) {
			list = []token{{"", c.name}}
		}
		key := frame(list)
		s := byFrame[key]
		if s == nil || ends[c] != [2]*column{} {
			words := strings.TrimSpace(strings.ReplaceAll(wordsOf(list), "_", " "))
			s = &measured{name: c.name, heading: words, headMarks: map[string]Example{}}
			s.rest = symbolAtEnd.FindString(words)
			s.title, s.unit, s.label = unitOf(strings.TrimSuffix(words, strings.TrimLeft(s.rest, ")]")))
			s.lower, s.upper = ends[c][0], ends[c][1]
			byFrame[key] = s
			p.measured = append(p.measured, s)
		}
		s.columns, s.tokens = append(s.columns, c), append(s.tokens, list)
		s.figures.merge(&c.figures)
	}
	if periods > 0 {
		p.dropTotals()
		p.askWithoutPeriod()
	}
	p.askHeadings()
	p.askNames()
	for _, c := range p.columns { // columns without a figure in this edition
		list := tokens(c.name, p.time == nil)
		if s := byFrame[frame(list)]; s != nil && !p.isTaken(c) && c.filled == c.missing && len(list) > 1 {
			p.values = append(p.values, c)
			s.columns, s.tokens = append(s.columns, c), append(s.tokens, list)
		}
	}
	for _, s := range p.measured {
		for _, c := range []*column{s.lower, s.upper} {
			if c != nil {
				s.figures.merge(&c.figures)
			}
		}
	}
}

// headings divides the headings of all columns of figures. A heading that differs from another only
// in what there is a sex, age or period has one too, such as a total; or it is asked about.
func (p *proposal) headings() map[*column][]token {
	all, group := map[*column][]token{}, map[string]string{}
	around := func(parts []string, i int) string {
		return strings.Join(parts[:i], "\x00") + "\x01" + strings.Join(parts[i+1:], "\x00")
	}
	for _, c := range p.values {
		all[c] = tokens(c.name, p.time == nil)
		for i, parts := 0, strings.Split(c.name, " / "); i < len(parts) && len(parts) > 1; i++ {
			if list := tokens(parts[i], p.time == nil); len(list) == 1 && list[0].group != "" {
				group[around(parts, i)] = list[0].group
			}
		}
	}
	for _, c := range slices.Clone(p.values) {
		parts := strings.Split(c.name, " / ")
		for i, part := range parts {
			list := tokens(part, p.time == nil)
			of := group[around(parts, i)]
			switch {
			case of == "" || len(parts) == 1 || len(list) == 1 && list[0].group != "":
			case totals.MatchString(part) || strings.HasPrefix(strings.ToLower(part), "both"):
				var list []token
				if i > 0 {
					list = tokens(strings.Join(parts[:i], " / ")+" / ", p.time == nil)
				}
				list = append(list, token{of, part})
				if i < len(parts)-1 {
					list = append(list, tokens(" / "+strings.Join(parts[i+1:], " / "), p.time == nil)...)
				}
				all[c] = list
			default:
				delete(all, c)
				p.values = slices.DeleteFunc(p.values, func(v *column) bool { return v == c })
				p.askFigures(c, fmt.Sprintf("what is %q in the heading %q? Others like it name a %s there", part, c.name, strings.ReplaceAll(of, "_", " ")))
			}
		}
	}
	return all
}

func extension(file string) string {
	_, after, _ := strings.Cut(file, ".")
	return after
}

// dropTotals leaves out columns of totals beside columns of periods.
func (p *proposal) dropTotals() {
	p.measured = slices.DeleteFunc(p.measured, func(s *measured) bool {
		drop := len(s.columns) == 1 && totals.MatchString(s.name) && len(s.tokens[0]) == 1
		if drop {
			p.leave(s.columns[0], "a total of the others")
		}
		return drop
	})
}

// leave leaves out a column of figures.
func (p *proposal) leave(c *column, why string) {
	p.left[c] = why
	p.values = slices.DeleteFunc(p.values, func(v *column) bool { return v == c })
}

// askWithoutPeriod asks about columns of figures beside others whose headings have periods.
func (p *proposal) askWithoutPeriod() {
	for _, s := range slices.Clone(p.measured) {
		if !slices.ContainsFunc(s.tokens[0], func(t token) bool { return t.group == "time_period" }) {
			for _, c := range s.columns {
				p.ask(Question{
					ID: "column " + c.name, Choices: []Choice{{Value: "ignore", Label: "do not take it"}},
					Text: fmt.Sprintf("the heading %q names no period, and others do: mend the heading, or leave the column out", c.name),
				})
			}
			p.dropSeries(s)
		}
	}
}

// symbolAtEnd is a sign at the end of a heading that may refer to a note.
var symbolAtEnd = regexp.MustCompile(`([*†‡§¹²³⁴⁵#^°]+|[)\]]\pL{1,3})$`)

// saysNothing is a heading that does not say what is counted.
var saysNothing = regexp.MustCompile(`(?i)^(values?|obs_value|observation|amounts?|numbers?|counts?|figures?|wert|anzahl|valeur|nombre|valor|número|значение|число|القيمة|العدد|数值|值|数量)$`)

// askNames asks what series count whose headings do not say it, or say what others do.
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
		q := Question{
			ID: "name " + s.name, Free: "the name of what is counted",
			Choices: []Choice{{Value: "ignore", Label: "do not take these figures"}},
		}
		switch {
		case s.heading == "" && !some:
			s.title = strings.TrimSuffix(p.file, "."+extension(p.file))
			continue
		case s.heading == "", other, saysNothing.MatchString(s.title):
			q.Text = fmt.Sprintf("what do the figures below %q count? The heading does not say it", s.name)
		case seen[strings.ToLower(s.title)]:
			q.Text = fmt.Sprintf("what do the figures below %q count? Others have the name %q too", s.name, s.title)
		default:
			seen[strings.ToLower(s.title)] = true
			continue
		}
		switch answer, open := p.ask(q); {
		case open:
		case answer == "ignore":
			p.dropSeries(s)
		default:
			s.title, s.unit, s.label = unitOf(answer)
		}
	}
}

// dropSeries leaves out the columns of a series.
func (p *proposal) dropSeries(s *measured) {
	for _, c := range s.columns {
		p.leave(c, "as answered")
	}
	p.measured = slices.DeleteFunc(p.measured, func(o *measured) bool { return o == s })
}

// askHeadings asks what the words in brackets and signs at the end of headings mean, if they name
// no unit that is known.
func (p *proposal) askHeadings() {
	for _, s := range slices.Clone(p.measured) {
		rest := strings.TrimLeft(s.rest, ")]")
		if m := unitAtEnd.FindStringSubmatch(s.title); s.unit == "" && m != nil && m[1] != "" {
			rest = m[2]
		}
		if rest == "" || rest == unnamed(s.columns[0].at) {
			continue
		}
		answer, _ := p.ask(Question{
			ID: "heading " + rest, Text: fmt.Sprintf("what does %q say in the heading %q?", rest, s.name),
			Choices: []Choice{
				{Value: "name", Label: "it belongs to the name of what is counted"},
				{Value: "unit", Label: "it is the unit"},
				{Value: "nothing", Label: "nothing that readers need to know"},
				{Value: "ignore", Label: "these figures are not wanted, such as targets"},
			},
		})
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

// findBounds finds the columns that have the interval of another: its name and a word for low and
// high, or such words alone after it.
func (p *proposal) findBounds() map[*column][2]*column {
	found := map[*column][2]*column{}
	var before *column
	for _, c := range p.values {
		low, high := lowEnd.FindStringSubmatch(c.name), highEnd.FindStringSubmatch(c.name)
		if low == nil && high == nil {
			before = c
			continue
		}
		at, of := 0, low
		if low == nil {
			at, of = 1, high
		}
		owner := before
		if base := strings.ToLower(strings.Trim(of[1], " _-.(/")); base != "" && base != "ci" && base != "confidence interval" {
			named := func(o *column) bool { return strings.EqualFold(strings.Trim(o.name, " _-.(/"), base) }
			i := slices.IndexFunc(p.values, named)
			if owner = nil; i >= 0 {
				owner = p.values[i]
			}
		}
		if owner != nil && found[owner][at] == nil {
			pair := found[owner]
			pair[at] = c
			found[owner] = pair
		}
	}
	for owner, pair := range found {
		if pair[0] == nil || pair[1] == nil {
			delete(found, owner)
			continue
		}
		p.bounds = append(p.bounds, pair[0], pair[1])
	}
	return found
}

// splitByIndicator makes a series of each word of the column of indicators.
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
			one.title, one.unit, one.label = unitOf(word)
			if len(p.measured) > 1 {
				one.title += ", " + s.title
			}
			all = append(all, &one)
			by[s.name+"\x00"+word] = newColumn(0, s.name)
		}
	}
	err := p.body(func(row sheet.Row) bool {
		word := trim(row.At(p.indicators.at).Text)
		for _, s := range p.measured {
			into := by[s.name+"\x00"+word]
			for _, c := range slices.Concat(s.columns, []*column{s.lower, s.upper}) {
				if c != nil && into != nil {
					into.look(row.At(c.at), row.Line)
				}
			}
		}
		return true
	})
	for _, s := range all {
		s.figures = by[s.name+"\x00"+s.words].figures
	}
	p.measured = all
	return err
}

// sampleFigures keeps the first figure of each series, the smallest and the largest, as they are
// read.
func (p *proposal) sampleFigures() error {
	for _, s := range p.measured {
		s.folder = p.folder(s)
		for to, id := range map[*string]string{&s.title: "title ", &s.unit: "unit ", &s.label: "unit_label "} {
			*to = cmp.Or(p.answers[id+s.folder], *to)
		}
	}
	n := 0
	return p.body(func(row sheet.Row) bool {
		for _, s := range p.measured {
			numbers, fraction, ok := numberingNamed(s.reading)
			if !ok || s.words != "" && trim(row.At(p.indicators.at).Text) != s.words {
				continue
			}
			for _, c := range s.columns {
				s.sample(row.At(c.at), numbers, fraction)
			}
		}
		n++
		return n < someRows
	})
}

func (s *measured) sample(cell sheet.Cell, numbers *numbering, fraction bool) {
	text := trim(cell.Text)
	if text == "" || len(text) > maxFigure {
		return
	}
	front, _ := splitMark(parts(text)[0])
	bare, percent := strings.CutSuffix(trim(front), "%")
	if cell.Kind == sheet.Number {
		numbers = &numberings[0]
	}
	number, ok := numbers.read(trim(bare))
	if !ok {
		return
	}
	if fraction && !percent && !cell.Percent {
		number, _ = times100(number)
	}
	value, _ := strconv.ParseFloat(number, 64)
	this := func() *sample { return &sample{strings.Clone(text), strings.Clone(number), value} }
	if s.first == nil {
		s.first = this()
		s.low, s.high = s.first, s.first
	} else if value < s.low.value {
		s.low = this()
	} else if value > s.high.value {
		s.high = this()
	}
}

// samples are figures of a series as people write them and as they are read.
func (s *measured) samples() string {
	var list []string
	for _, e := range []*sample{s.first, s.low, s.high} {
		if e == nil {
			continue
		}
		if part := e.text + " → " + e.number; !slices.Contains(list, part) {
			list = append(list, part)
		}
	}
	return strings.Join(list, ", ")
}

// folder is the name of the folder of a series, which no other has.
func (p *proposal) folder(s *measured) string {
	base := cmp.Or(slug(s.title), slug(s.words), "values")
	name := base
	for n := 2; slices.ContainsFunc(p.measured, func(o *measured) bool { return o != s && o.folder == name }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}
