package tables

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/fold"
	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
	"stele/internal/base/suggest"
	"stele/record"
)

// ownReading reads the areas of a column as the codes or the names in a publisher's scheme. A name
// refers to the area that has it in the period of the row. If two areas have the name in that
// period, day chooses between those of the period's first and last day.
type ownReading struct {
	scheme *areas.Scheme
	named  map[string][]*areas.Code // by folded name; nil if codes are read
	heads  map[string]bool          // headings that announce the scheme: its name, title and levels
	width  int                      // the length of all codes, if they are digits
	day    string                   // firstDay, lastDay or ""

	compared int // number of unknown texts that were compared with all names
}

const (
	codesOf  = "codes of "
	namesOf  = "names of "
	firstDay = " on the first day"
	lastDay  = " on the last day"
)

// ownReadings returns the readings of the schemes: codes before names.
func ownReadings(schemes []*areas.Scheme) (list []*ownReading) {
	for _, s := range schemes {
		heads := map[string]bool{nameKey(s.Name): true, nameKey(s.Title): true}
		r := &ownReading{scheme: s, named: map[string][]*areas.Code{}, heads: heads}
		for i := range s.Codes {
			c := &s.Codes[i]
			if r.heads[nameKey(c.Level)] = c.Level != ""; i == 0 {
				r.width = len(c.Code)
			}
			if len(c.Code) != r.width || !isDigits(c.Code) {
				r.width = 0
			}
			for _, n := range append(slices.Clone(c.Names), areas.Name{Text: c.Name}) {
				if key := nameKey(n.Text); !slices.Contains(r.named[key], c) {
					r.named[key] = append(r.named[key], c)
				}
			}
		}
		list = append(list, &ownReading{scheme: s, heads: r.heads, width: r.width}, r)
	}
	slices.SortStableFunc(list, func(a, b *ownReading) int {
		return boolToInt(a.named != nil) - boolToInt(b.named != nil)
	})
	return list
}

// nameKey returns a name without capitals and accents. Import asks about areas with equal keys.
func nameKey(name string) string { return fold.Accents(strings.Join(strings.Fields(name), " ")) }

// String returns the reading as a map writes it.
func (r *ownReading) String() string {
	if r.named == nil {
		return codesOf + r.scheme.Name
	}
	return namesOf + r.scheme.Name + r.day
}

// ownReadingNamed returns the reading in list called name, or nil.
func ownReadingNamed(list []*ownReading, name string) *ownReading {
	for _, r := range list {
		day := strings.TrimPrefix(name, r.String())
		switch {
		case day == "" && name != "":
			return r
		case r.named != nil && (day == firstDay || day == lastDay):
			dated := *r
			dated.day = day
			return &dated
		}
	}
	return nil
}

// isOwnReading reports whether name is the form of a scheme's reading. The scheme may not exist.
func isOwnReading(name string) bool {
	return strings.HasPrefix(name, codesOf) || strings.HasPrefix(name, namesOf)
}

// find returns the areas in all editions that text names.
func (r *ownReading) find(text string) []*areas.Code {
	if r.named != nil {
		return r.named[nameKey(text)]
	}
	c := r.scheme.Code(text)
	if c == nil && r.width > len(text) && isDigits(text) { // a spreadsheet has removed zeros
		c = r.scheme.Code(strings.Repeat("0", r.width-len(text)) + text)
	}
	if c == nil {
		return nil
	}
	return []*areas.Code{c}
}

// sharedName is a name that several areas have in a period.
type sharedName struct {
	text, period string
	line         int
	list         []*areas.Code
}

func (e *sharedName) Error() string {
	var list []string
	for _, c := range e.list {
		list = append(list, areas.Describe(c))
	}
	return fmt.Sprintf("in %s, %q is the name of %s: add the right code to areas in the map", e.period, e.text, strings.Join(list, ", and "))
}

// at returns the area that text names in period. It returns an error unless text names exactly one.
func (r *ownReading) at(text string, period record.Period) (*areas.Code, error) {
	all := r.find(text)
	if len(all) == 0 {
		return nil, r.unknown(text)
	}
	list, first, last := all, string(period.Start()), string(period.End())
	if period != "" {
		from, to := first, last
		switch r.day {
		case firstDay:
			to = first
		case lastDay:
			from = last
		}
		list = slices.DeleteFunc(slices.Clone(all), func(c *areas.Code) bool { return !c.Overlaps(from, to) })
	}
	switch len(list) {
	case 0:
		message, fix := r.scheme.OutsideProblem(all[0], string(period), first, last)
		return nil, fmt.Errorf("%s: %s", message, fix)
	case 1:
		return list[0], nil
	}
	return nil, &sharedName{text: text, period: string(period), list: list}
}

// unknown returns the error for a text that names no area of any edition.
func (r *ownReading) unknown(text string) error {
	hint := "add its meaning to areas in the map; if the row is a total or a note, add it to ignore"
	for _, c := range r.near(text) {
		hint += "; did you mean " + areas.Describe(c) + "?"
	}
	return fmt.Errorf("%q is not among the %s: %s", text, r, hint)
}

// near returns the areas whose code or name is closest to text. It compares only the first texts
// with all names, because a table may have as many unknown texts as a scheme has names.
func (r *ownReading) near(text string) []*areas.Code {
	if r.named == nil {
		if c := r.scheme.Nearest(text); c != nil {
			return []*areas.Code{c}
		}
		return nil
	}
	const most = 100
	if r.compared++; r.compared > most {
		return nil
	}
	list := make([]string, len(r.scheme.Codes))
	for i := range r.scheme.Codes {
		list[i] = r.scheme.Codes[i].Name
	}
	if near := suggest.Closest(text, list); near != "" {
		return r.find(near)
	}
	return nil
}

// ownWay returns the scheme's reading for the column of areas, or nil. If another reading accepts
// equally many texts, a heading that announces the scheme decides, or a second column that only the
// scheme can read. Otherwise, ownWay asks.
func (p *proposal) ownWay() *ownReading {
	c := p.area
	way := c.area.bestReading()
	var others []string
	for _, other := range slices.Concat(areaReadings, ownNames(p.own)) {
		if c.area.ways[other] == c.area.ways[way] && c.area.ways[way] > 0 {
			others = append(others, other)
		}
	}
	if i := slices.IndexFunc(others, isOwnReading); i >= 0 && len(others) > 1 {
		r := ownReadingNamed(p.own, others[i])
		if r.heads[nameKey(c.name)] || slices.ContainsFunc(p.areasToo, func(also *column) bool {
			other := ownReadingNamed(p.own, also.area.bestReading()) // which no reading of countries equals
			return other != nil && other.scheme == r.scheme
		}) {
			return r // ownAgreement compares the two columns
		}
		q := Question{ID: "areas", Text: say("areas are", c.name)}
		for _, other := range others {
			examples := []Example{c.area.example[other]}
			q.Choices = append(q.Choices, Choice{Value: other, Label: readingWords(other), Examples: examples})
		}
		way, _ = p.ask(q)
	}
	return ownReadingNamed(p.own, way)
}

func ownNames(list []*ownReading) (names []string) {
	for _, r := range list {
		names = append(names, r.String())
	}
	return names
}

// decideOwnAreas reads the areas with r, and asks about texts that the scheme does not contain.
func (p *proposal) decideOwnAreas(r *ownReading) error {
	c := p.area
	p.noteReading(c.name, r.String(), c.area.example[r.String()].decided())
	for _, text := range sortedTexts(c.known) {
		switch {
		case len(r.find(text)) > 0 || p.areas[text] != "":
		case totals.MatchString(text):
			p.ignoreRows(c, text)
		default:
			p.askOwnArea(r, text, say("area own", text, c.name, c.known[text].line, readingWords(r.String())), r.near(text))
		}
	}
	return p.ownAgreement(r)
}

// askOwnArea asks which area in list a text means, and adds the answer to the map.
func (p *proposal) askOwnArea(r *ownReading, text string, question Phrase, list []*areas.Code) {
	line := 0
	if w := p.area.known[text]; w != nil {
		line = w.line
	}
	q := Question{ID: "area " + text, Text: question, Free: say("area own other", r.scheme.Name)}
	add := func(value string, label Phrase, result string) {
		q.Choices = append(q.Choices, Choice{Value: value, Label: label, Examples: []Example{{line, text, result}}})
	}
	for _, c := range list {
		add(c.Code, literal(areas.Describe(c)), c.Code)
	}
	if country, _ := parseArea(text); country != "" && r.scheme.Code(country) == nil {
		add(country, literal(p.areaName(country)), country)
	}
	add("none", say("area none"), "")
	answer, open := p.ask(q)
	switch c := r.scheme.Code(answer); {
	case open:
	case c != nil:
		p.addAreaEntry(text, fmt.Sprintf("{ref_area_scheme: %s, ref_area: %q} # %s", r.scheme.Name, c.Code, toOneLine(areas.Describe(c))))
	case answer == "none":
		p.addAreaEntry(text, answer)
	default:
		p.addAreaEntry(text, quoteText(answer))
	}
}

// ownAgreement asks for a corrected table if two columns with areas of the scheme disagree.
func (p *proposal) ownAgreement(r *ownReading) error {
	p.areasToo = slices.DeleteFunc(p.areasToo, func(c *column) bool {
		other := c.area.ownReading()
		return other == nil || other.scheme != r.scheme
	})
	return p.eachRow(func(row sheet.Row) bool {
		text := trimSpace(row.At(p.area.at).Text)
		for _, c := range p.areasToo {
			there, other := trimSpace(row.At(c.at).Text), c.area.ownReading()
			if disagree(r.find(text), other.find(there)) {
				p.askForCorrection("areas differ", say("areas own differ", row.Line, strings.Clone(text), p.area.name, strings.Clone(there), c.name))
				return false
			}
		}
		return true
	})
}

// disagree reports whether a and b, the areas that two texts name, have none in common.
func disagree(a, b []*areas.Code) bool {
	both := func(c *areas.Code) bool { return slices.Contains(b, c) }
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, both)
}

// askSharedNames converts the table with the proposed map, and asks about each name that several
// areas have in the period of a row. The map must have no open questions.
func (p *proposal) askSharedNames(open opener) error {
	r := p.reading
	if r == nil || r.named == nil || len(p.Questions) > 0 {
		return nil
	}
	m, err := ReadMap(strings.NewReader(p.Map))
	if err != nil {
		return nil // the user of the map is told
	}
	m.Schemes = p.schemes
	shared, err := m.sharedNames(open)
	if err != nil || len(shared) == 0 {
		return err
	}
	if answer := p.askDay(r, shared); answer != "" {
		for i := range p.Readings {
			if p.Readings[i].Column == p.area.name && p.Readings[i].Reading == r.String() {
				p.Readings[i].Reading += answer
			}
		}
	}
	for _, e := range shared {
		if !dated(r, e) {
			p.askOwnArea(r, e.text, say("area shared", e.period, e.line, e.text, len(e.list)), e.list)
		}
	}
	return nil
}

// askDay asks which day of a period counts if a name passes to another area during the period.
func (p *proposal) askDay(r *ownReading, shared []*sharedName) (day string) {
	i := slices.IndexFunc(shared, func(e *sharedName) bool { return dated(r, e) })
	if i < 0 {
		return ""
	}
	e := shared[i]
	q := Question{ID: "areas on", Text: say("areas on", e.period, e.line)}
	for _, day := range []string{firstDay, lastDay} {
		on := *r
		on.day = day
		c, _ := on.at(e.text, record.Period(e.period)) // dated reports that there is one
		examples := []Example{{e.line, e.text, areas.Describe(c)}}
		q.Choices = append(q.Choices, Choice{Value: strings.TrimSpace(day), Label: say("areas" + day), Examples: examples})
	}
	answer, open := p.ask(q)
	if open {
		return ""
	}
	return " " + answer
}

// dated reports whether exactly one area has the name on the first day of the period, and exactly
// one on the last day.
func dated(r *ownReading, e *sharedName) bool {
	for _, day := range []string{firstDay, lastDay} {
		on := *r
		on.day = day
		if c, _ := on.at(e.text, record.Period(e.period)); c == nil {
			return false
		}
	}
	return true
}

// sharedNames reads a table, and returns the names that several areas have in the period of a row,
// one for each text and list of areas.
func (m *Map) sharedNames(open opener) (list []*sharedName, err error) {
	t, err := openAll(open, &m.Table)
	if err != nil {
		return nil, err
	}
	_, err = m.convert(t, func(e *sharedName) {
		same := func(o *sharedName) bool { return o.text == e.text && slices.Equal(o.list, e.list) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	})
	if _, faulty := errors.AsType[Faults](err); faulty {
		err = nil // the user of the map is told
	}
	return list, errors.Join(err, t.Close())
}

// bindAreas chooses the publisher's scheme that the column of areas uses, if any. If the map names
// no reading, that is the scheme that accepts more texts than the readings for countries do.
func (c *converter) bindAreas(seen *column) error {
	name := c.areaColumn()
	if way := c.readings[name]; way != "" {
		if c.own = ownReadingNamed(c.ownReadings, way); c.own == nil && isOwnReading(way) {
			return fmt.Errorf("readings: %q: stele.yaml lists no such area scheme", way)
		}
		return nil
	}
	best, most, tie := "", 0, ""
	for _, way := range slices.Concat(areaReadings, ownNames(c.ownReadings)) {
		switch n := seen.area.ways[way]; {
		case n > most:
			best, most, tie = way, n, ""
		case n == most && n > 0:
			tie = cmp.Or(tie, way)
		}
	}
	if tie != "" && (isOwnReading(tie) || isOwnReading(best)) {
		return fmt.Errorf("the areas in %q can be %s or %s: choose one below readings in the map, such as %s: %s", name, best, tie, quoteText(name), best)
	}
	if c.own = ownReadingNamed(c.ownReadings, best); c.own != nil {
		c.readings[name] = best
	}
	return nil
}

// placeArea replaces the text of an area by the code that has it in the record's period.
func (c *converter) placeArea(members map[string]string, row sheet.Row) {
	text := c.unplaced
	if c.unplaced = ""; text == "" {
		return
	}
	code, err := c.own.at(text, record.Period(members["time_period"]))
	if shared, is := errors.AsType[*sharedName](err); is && c.onShared != nil {
		shared.line = row.Line
		c.onShared(shared)
		members["ref_area"] = shared.list[0].Code
		return
	}
	if err != nil {
		c.addFault(row, c.areaColumn(), err)
		return
	}
	members["ref_area"] = code.Code
	if name := members["x_area_name"]; c.own.named == nil {
		for _, r := range c.ownReadings {
			if r.scheme == c.own.scheme && r.named != nil && disagree([]*areas.Code{code}, r.find(name)) {
				c.addFault(row, c.areaColumn(), fmt.Errorf("%s is not %q: correct the table, or use only one of the columns", areas.Describe(code), name))
			}
		}
	}
}
