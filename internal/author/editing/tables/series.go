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
	for _, c := range p.values {
		if slices.Contains(p.bounds, c) {
			continue
		}
		list := tokens(c.name, p.time == nil)
		has := slices.ContainsFunc(list, func(t token) bool { return t.group == "time_period" })
		periods += one(has)
		if !slices.ContainsFunc(list, func(t token) bool { return t.group != "" }) {
			list = []token{{"", c.name}}
		}
		key := frame(list)
		s := byFrame[key]
		if s == nil || ends[c] != [2]*column{} {
			words := wordsOf(list)
			if slices.ContainsFunc(list, func(t token) bool { return t.group != "" }) == (words == "") || words == "" {
				words = firstOf(words, strings.TrimSuffix(p.file, "."+extension(p.file)))
			}
			s = &measured{name: c.name, headMarks: map[string]Example{}}
			s.title, s.unit, s.label = unitOf(words)
			s.lower, s.upper = ends[c][0], ends[c][1]
			byFrame[key] = s
			p.measured = append(p.measured, s)
		}
		s.columns, s.tokens = append(s.columns, c), append(s.tokens, list)
		s.figures.merge(&c.figures)
	}
	if periods > 0 {
		p.dropTotals()
	}
	for _, s := range p.measured {
		for _, c := range []*column{s.lower, s.upper} {
			if c != nil {
				s.figures.merge(&c.figures)
			}
		}
	}
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
			p.left[s.columns[0]] = "a total of the others"
		}
		return drop
	})
	p.values = slices.DeleteFunc(p.values, func(c *column) bool { return p.left[c] != "" })
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
