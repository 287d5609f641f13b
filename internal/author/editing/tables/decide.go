package tables

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet"
)

// decideRows asks about rows that are not like the others.
func (p *proposal) decideRows() {
	if e := p.other; e.Text != "" {
		answer, open := p.ask(Question{
			ID:      "second table",
			Text:    fmt.Sprintf("line %d names columns anew: %s. Another table begins there; what should import do?", e.Line, e.Text),
			Choices: []Choice{{Value: "first", Label: "take only the rows before it; import the rest with a map of its own"}},
		})
		if !open && answer == "first" {
			p.end, _, _ = strings.Cut(e.Text, ", ")
		}
	}
	if p.short.Text != "" {
		answer, _ := p.ask(Question{
			ID:      "short rows",
			Text:    fmt.Sprintf("line %d has fewer cells than the heading: %s. Its figures may be in the wrong columns. Mend the table, or say what is missing", p.short.Line, p.short.Text),
			Choices: []Choice{{Value: "cut", Label: "the cells at the end are missing and empty; the others are in their columns"}},
		})
		p.cut = answer == "cut"
	}
	if e := p.long; e.Text != "" && len(p.widths) > 1 && p.table.Format == "csv" {
		p.askToMend("long rows", "line %d has more cells than the heading: %s. Its figures may be in the wrong columns: mend the table", e.Line, e.Text)
	}
	for _, l := range p.labels {
		for _, by := range []string{"\t", ";", "|"} {
			if strings.Count(l.Text, by) > 1 {
				p.askToMend("rows", "line %d is separated in another way: %.60q. Mend it in the table", l.Line, l.Text)
			}
		}
	}
	p.decideFill()
	if p.onePerRow() {
		p.ask(Question{
			ID:      "persons",
			Text:    "nearly all figures are 1, by age, sex or place: each row may be one person, and published records stay public for ever. What are the rows?",
			Choices: []Choice{{Value: "counts", Label: "counts of groups, which may be published"}},
		})
	}
}

// decideFill asks whether empty cells below a text mean the same as it.
func (p *proposal) decideFill() {
	var columns []string
	first := 0 // the line of an empty cell
	for _, c := range p.columns {
		if c.gap > 0 && (c == p.area || c == p.time || c == p.indicators || c.divides) {
			columns = append(columns, c.name)
			first = cmp.Or(first, c.gap)
		}
	}
	if len(columns) == 0 {
		return
	}
	answer, _ := p.ask(Question{
		ID:      "fill",
		Text:    fmt.Sprintf("cells of %s are empty, such as in line %d: do they mean the same as the cell above?", strings.Join(quoted(columns), ", "), first),
		Choices: []Choice{{Value: "same", Label: "the same as above"}, {Value: "empty", Label: "nothing: the rows have no such text"}},
	})
	if answer == "same" {
		p.fill = columns
	}
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = quote(n)
	}
	return list
}

// decideAreas chooses the way in which a column names areas, and asks about texts that do so in
// another way, or name no country.
func (p *proposal) decideAreas() error {
	c := p.area
	if c == nil {
		return nil
	}
	if p.ownAreas {
		p.reads(c.name, areaNames, "")
		p.askNamesakes()
		p.unknownAreas()
		return nil
	}
	also, clash, err := p.agreement()
	if err != nil {
		return err
	}
	if clash != "" {
		p.askToMend("areas differ", "%s: mend it in the table", clash)
	}
	way := c.area.reading()
	why := ""
	if e := c.area.example[way]; e.Text != "" {
		why = fmt.Sprintf("as line %d has %s", e.Line, e.Text)
	}
	way = p.askCodes(c, way, len(also) > 0)
	p.reads(c.name, way, why)
	p.oddAreas(way, also)
	for _, c := range p.areasToo {
		for _, text := range sortedTexts(c.known) {
			if totals.MatchString(text) {
				p.ignoreRows(c, text)
			}
		}
	}
	p.unknownAreas()
	return nil
}

// askCodes asks whether codes of two letters or of digits are those of countries, if neither a
// second column nor the heading says so.
func (p *proposal) askCodes(c *column, way string, confirmed bool) string {
	confirmed = confirmed || isoHead.MatchString(c.name) && !c.area.otherCodes
	if (way == areaTwo || way == areaDigits) && !confirmed {
		e := c.area.example[way]
		answer, _ := p.ask(Question{
			ID: "areas", Text: fmt.Sprintf("are the codes in %q those of countries? %s in line %d would be %s", c.name, e.Text, e.Line, p.place(e.Result)),
			Choices: []Choice{
				{Value: "countries", Label: "yes, the codes of ISO 3166 or UN M49", Examples: []Example{e}},
				{Value: "own", Label: "no: each becomes an area of yours", Examples: []Example{{e.Line, e.Text, "ent-" + slug(e.Text)}}},
			},
		})
		if answer == "own" {
			for _, text := range sortedTexts(c.known) {
				p.areaEntry(text, ownArea(text))
			}
			way = areaNames
		}
	}
	return way
}

// askNamesakes asks about areas of a publisher's own that are called as countries are, such as the
// state of Georgia.
func (p *proposal) askNamesakes() {
	e := p.area.area.example[areaNames]
	if e.Text == "" {
		return
	}
	answer, _ := p.ask(Question{
		ID: "areas", Text: fmt.Sprintf("most texts in %q name no country, and %s in line %d does: is it %s?", p.area.name, e.Text, e.Line, p.place(e.Result)),
		Choices: []Choice{
			{Value: "countries", Label: "yes; so are the others with names of countries", Examples: []Example{e}},
			{Value: "own", Label: "no: each becomes an area of yours", Examples: []Example{{e.Line, e.Text, "ent-" + slug(e.Text)}}},
		},
	})
	for _, text := range sortedTexts(p.area.known) {
		if code, _ := readArea(text); answer != "countries" && code != "" {
			p.areaEntry(text, ownArea(text))
		}
	}
}

// ownArea is an area of a publisher's own, as a map writes it.
func ownArea(text string) string {
	return fmt.Sprintf("{ref_area_scheme: entity, ref_area: ent-%s} # write an entity record, or a code", firstOf(slug(text), "…"))
}

func (p *proposal) place(code string) string {
	if place, ok := places.Country(code); ok {
		return place.Name
	}
	return code
}

// oddAreas asks about texts that name areas in another way than most of their column, such as NA
// among names. A second column that names the area of the row answers.
func (p *proposal) oddAreas(way string, also map[string]string) {
	for _, text := range sortedTexts(p.area.known) {
		code, other := readArea(text)
		if code == "" || other == way && text != "NA" || p.areas[text] != "" {
			continue
		}
		if also[text] == code {
			p.areaEntry(text, code+" # as another column says")
			continue
		}
		w := p.area.known[text]
		answer, open := p.ask(Question{
			ID:   "area " + text,
			Text: fmt.Sprintf("%q in %q, line %d: is it %s?", text, p.area.name, w.line, p.place(code)),
			Choices: []Choice{
				{Value: code, Label: p.place(code), Examples: []Example{{w.line, text, code}}},
				{Value: "none", Label: "no area: do not take these rows", Examples: []Example{{w.line, text, ""}}},
			},
			Free: "a code of ISO 3166, such as US-NY",
		})
		switch {
		case open:
		case answer == "none":
			p.areaEntry(text, "")
		default:
			p.areaEntry(text, answer)
		}
	}
}

// unknownAreas names the texts that stand for no country: totals, the world, and what only a person
// knows.
func (p *proposal) unknownAreas() {
	var unknown, near []string
	for _, text := range sortedTexts(p.area.known) {
		code, way := readArea(text)
		if p.ownAreas && (way == areaTwo || way == areaDigits) {
			code = ""
		}
		region, isRegion := places.Region(text)
		switch {
		case code != "" || p.areas[text] != "":
		case totals.MatchString(text):
			p.ignoreRows(p.area, text)
		case isRegion && region.Code == "001":
			p.areaEntry(text, `{ref_area_scheme: un_m49, ref_area: "001"}`)
		default:
			unknown = append(unknown, text)
			if similar := places.Suggest(text); similar != "" && similar != text {
				near = append(near, fmt.Sprintf("%s (perhaps %s)", text, similar))
			}
		}
	}
	if len(unknown) == 0 {
		return
	}
	answer := p.askUnknown(unknown, near)
	for _, text := range unknown {
		region, isRegion := places.Region(text)
		switch {
		case answer == "none":
			p.areaEntry(text, "")
		case isRegion && answer != "own":
			p.areaEntry(text, fmt.Sprintf("{ref_area_scheme: un_m49, ref_area: %q} # %s, if the table means the same", region.Code, region.Name))
		default:
			p.areaEntry(text, ownArea(text))
		}
	}
}

// askUnknown asks what the texts are that name no country.
func (p *proposal) askUnknown(unknown, near []string) (answer string) {
	shown := quoted(unknown[:min(len(unknown), 8)])
	if len(unknown) > len(shown) {
		shown = append(shown, fmt.Sprintf("and %d more", len(unknown)-len(shown)))
	}
	text := fmt.Sprintf("%s in %q are no countries of ISO 3166: what are they?", strings.Join(shown, ", "), p.area.name)
	if len(near) > 0 {
		text += " Mend slips in the table: " + strings.Join(near[:min(len(near), 5)], ", ")
	}
	answer, _ = p.ask(Question{
		ID: "unknown areas", Text: text,
		Choices: []Choice{
			{Value: "own", Label: "areas of yours: each needs an entity record, or a code in the map"},
			{Value: "regions", Label: "the regions of UN M49 where they have that name, and otherwise areas of yours"},
			{Value: "none", Label: "no areas: do not take these rows"},
		},
	})
	return answer
}

func (p *proposal) areaEntry(text, to string) {
	if p.areas[text] == "" {
		p.areas[text] = " " + to
	}
}

// agreement compares the columns that name areas, row by row: what texts of the first stand for by
// the others, and the first row in which two disagree.
func (p *proposal) agreement() (also map[string]string, clash string, err error) {
	if len(p.areasToo) == 0 {
		return nil, "", nil
	}
	also = map[string]string{}
	err = p.body(func(row sheet.Row) bool {
		text := trim(row.At(p.area.at).Text)
		code, way := readArea(text)
		for _, c := range p.areasToo {
			other, its := readArea(trim(row.At(c.at).Text))
			switch {
			case other == "" || code == "" || its == areaTwo && trim(row.At(c.at).Text) == "NA" && code != other:
			case code == other:
				also[strings.Clone(text)] = code
			case way == areaDigits || its == areaDigits:
				continue
			case clash == "":
				clash = fmt.Sprintf("line %d has %s (%s) in %q and %s (%s) in %q", row.Line, text, code, p.area.name, trim(row.At(c.at).Text), other, c.name)
			}
		}
		return clash == ""
	})
	return also, clash, err
}

// financialChoices are the days on which financial years usually begin or end.
var financialChoices = []string{
	financialYears + "01-01", financialYears + "04-01", financialYears + "07-01", financialYears + "10-01",
	financialYearTo + "03-31", financialYearTo + "06-30", financialYearTo + "09-30",
}

var monthsFromTo = regexp.MustCompile(`(\pL{3,})\.?\s*(?:to|–|-|—)\s*\pL{3,}`)

// left are the readings that the cells and the words of the heading leave, and what decided if that
// is one.
func (s *spans) left(name string) (left []string, why string) {
	left = s.readings()
	m := monthsFromTo.FindStringSubmatch(name)
	switch {
	case slices.Contains(left, "financial years") && m != nil && monthNamed(m[1]) > 0:
		return []string{fmt.Sprintf("%s%02d-01", financialYears, monthNamed(m[1]))}, "as the heading says"
	case len(left) > 1 && fiscal.MatchString(name) && slices.Contains(left, "financial years"):
		return []string{"financial years"}, ""
	case len(left) > 1 && monthHead.MatchString(name) && slices.Contains(left, "months"):
		return []string{"months"}, "as the heading says"
	case len(left) == 0 && s.mixed:
		return []string{mixedPeriods}, "as they are of several sorts"
	}
	if len(left) == 1 && s.decided[left[0]].Text != "" {
		why = fmt.Sprintf("as line %d has %s", s.decided[left[0]].Line, s.decided[left[0]].Text)
	}
	return left, why
}

// decidePeriods chooses how periods are read: those of a column, or those in headings.
func (p *proposal) decidePeriods(name, member string, s *spans) {
	if s.read == 0 {
		return
	}
	left, why := s.left(name)
	if len(left) == 1 && left[0] != "financial years" {
		p.reads(member, left[0], why)
		return
	}
	q := Question{ID: "period", Free: financialYears + "MM-DD, with the day on which the year begins"}
	var names []string
	for _, r := range left {
		if r == "financial years" {
			names = append(names, financialChoices...)
		} else {
			names = append(names, r)
		}
	}
	for _, r := range names {
		c := Choice{Value: r, Label: r}
		for _, e := range s.seen[:min(len(s.seen), 2)] {
			e.Result, _ = readPeriod(r, e.Text)
			c.Examples = append(c.Examples, e)
		}
		if _, one, _ := readFinancial(s.seen[0].Text); one || !strings.HasPrefix(r, financialYearTo) {
			q.Choices = append(q.Choices, c)
		}
	}
	switch q.Text = fmt.Sprintf("how are the periods in %q read, such as %s?", name, s.seen[0].Text); {
	case len(left) == 0:
		q.Text, q.Free = fmt.Sprintf("no reading reads all periods in %q: %s. Write them in one way in the table", name, listed(s.seen)), ""
	case len(left) == 1:
		q.Text = fmt.Sprintf("on which day does a year such as %s in %q begin?", s.seen[0].Text, name)
	}
	answer, open := p.ask(q)
	if open || !knownPeriods(answer) {
		answer = openReading
	}
	p.reads(member, answer, "as answered")
}

func listed(examples []Example) string {
	var list []string
	for _, e := range examples[:min(len(examples), 5)] {
		list = append(list, fmt.Sprintf("%s in line %d", quote(e.Text), e.Line))
	}
	return strings.Join(list, ", ")
}

// decideNumbers chooses how the figures of each series are read. A series whose cells show the
// decimal mark decides for those that do not, if all that show it agree.
func (p *proposal) decideNumbers() {
	shown := map[string]*measured{}
	var open []*measured
	for _, s := range p.measured {
		f := &s.figures
		switch {
		case f.ambiguous(f.left("", "")):
			open = append(open, s)
		case f.point.Text != "" && len(f.left(".", "")) > 0:
			shown["."] = s
		case f.comma.Text != "" && len(f.left(",", "")) > 0:
			shown[","] = s
		}
	}
	decimal := ""
	p.askMixed(shown)
	switch {
	case len(shown) == 1:
		decimal = slices.Collect(maps.Keys(shown))[0]
	case len(open) > 0:
		decimal = p.askDecimal(open[0])
	}
	for _, s := range p.measured {
		f, want, why := &s.figures, "", ""
		if f.ambiguous(f.left("", "")) {
			if want = decimal; want == "" {
				s.reading = openReading
				continue
			}
			if why = "as answered"; shown[want] != nil {
				why = fmt.Sprintf("%s in %q", shown[want].figures.why(want), shown[want].name)
			}
		}
		left := f.left(want, "")
		if len(left) == 0 {
			s.reading = openReading
			p.askToMend("figures "+s.name, "%q: %v", s.name, f.mixed())
			continue
		}
		s.reading, s.why = left[0].name, firstOf(why, f.why(left[0].decimal))
	}
	p.decideFractions()
}

// askMixed asks whether series of one table have two decimal marks.
func (p *proposal) askMixed(shown map[string]*measured) {
	if len(shown) < 2 {
		return
	}
	point, comma := shown["."], shown[","]
	p.ask(Question{
		ID: "decimal marks", Text: fmt.Sprintf("the decimal mark is the point in %q, %s, and the comma in %q, %s: is that so?",
			point.name, point.figures.why("."), comma.name, comma.figures.why(",")),
		Choices: []Choice{{Value: "both", Label: "yes, these columns are written in two ways"}},
	})
}

func (p *proposal) askDecimal(s *measured) string {
	e := s.figures.open[0]
	q := Question{ID: "numbers", Text: fmt.Sprintf(
		"which mark is the decimal one? %s in line %d can be %s, and no cell shows which", e.Text, e.Line, e.Result)}
	for _, c := range []struct{ mark, label string }{{".", "the point; commas group thousands"}, {",", "the comma; points group thousands"}} {
		choice := Choice{Value: c.mark, Label: c.label}
		for _, e := range s.figures.open {
			number, _ := strings.CutSuffix(e.Text, "%")
			_, byPoint, byComma := readings(strings.TrimSpace(number))
			e.Result = map[string]string{".": byPoint, ",": byComma}[c.mark]
			choice.Examples = append(choice.Examples, e)
		}
		q.Choices = append(q.Choices, choice)
	}
	answer, _ := p.ask(q)
	return answer
}

// decideFractions asks whether figures under a heading with a per cent sign are fractions of one,
// if none of them is greater.
func (p *proposal) decideFractions() {
	for _, s := range p.measured {
		f := &s.figures
		if f.percent.Text != "" && f.plain.Text != "" {
			s.reading = openReading
			p.askToMend("percent "+s.name, "%s is shown as a per cent in %q, and %s in line %d is not: give all cells one format in the table",
				f.percent.Text, s.name, f.plain.Text, f.plain.Line)
		}
		if s.unit != "percent" || f.percent.Text != "" || f.aboveOne || len(f.fractions) == 0 || s.reading == openReading {
			continue
		}
		q := Question{
			ID: "per cent", Text: fmt.Sprintf("the heading %q says per cent, and no figure is greater than 1: is %s in line %d %s %%, or a fraction?",
				s.name, f.fractions[0].Text, f.fractions[0].Line, f.fractions[0].Result),
			Choices: []Choice{{Value: "percent", Label: "per cent, as it is"}, {Value: "fraction", Label: "a fraction: 1 is 100 %"}},
		}
		for _, e := range f.fractions {
			q.Choices[0].Examples = append(q.Choices[0].Examples, Example{e.Line, e.Text, e.Result + " %"})
			hundredth, _ := times100(e.Result)
			q.Choices[1].Examples = append(q.Choices[1].Examples, Example{e.Line, e.Text, hundredth + " %"})
		}
		switch answer, open := p.ask(q); {
		case open:
			s.reading = openReading
		case answer == "fraction":
			s.reading += asFraction
		}
	}
}

// decideMarks finds out what signs mean: from the notes of the table, or by asking.
func (p *proposal) decideMarks() {
	all := map[string]Example{}
	collect := func(c *column) {
		for mark, e := range c.marks {
			if have, known := all[mark]; !known || e.Line < have.Line || have.Text == mark && e.Text != mark {
				all[mark] = e
			}
		}
	}
	for _, s := range p.measured {
		for _, c := range s.columns {
			collect(c)
		}
		for mark, e := range s.headMarks {
			all[mark] = e
		}
	}
	for _, c := range append(slices.Clone(p.bounds), p.time) {
		if c != nil {
			collect(c)
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(all)) {
		e := all[mark]
		says := explained(mark, p.notes)
		if note, is := strings.CutPrefix(says, "note="); is && e.Text == mark {
			if says = "missing"; maybeZero.MatchString(note) || !standsForNothing(mark) {
				says = ""
			}
		} else if says == "" && e.Text == mark && standsForNothing(mark) {
			says = "missing"
		}
		if says == "" || p.answers["mark "+mark] != "" {
			says, _ = p.ask(markQuestion(mark, e))
		}
		p.setMark(mark, says)
	}
	for _, s := range p.measured {
		p.oddFigures(s)
	}
}

func (p *proposal) setMark(mark, says string) {
	member, value, set := strings.Cut(says, "=")
	switch {
	case says == "missing":
		p.missing = append(p.missing, mark)
	case says == "nothing":
		p.marks[mark] = "{}"
	case says == "omit":
		p.marks[mark] = "{" + omitMember + ": yes}"
	case set:
		p.marks[mark] = fmt.Sprintf("{%s: %s}", member, quote(value))
	}
}

// oddFigures asks about texts in cells of figures that no reading reads.
func (p *proposal) oddFigures(s *measured) {
	for _, e := range s.figures.unread {
		sign, rest := "", e.Text
		for _, b := range []string{"≤", "≥"} {
			if after, found := strings.CutPrefix(e.Text, b); found {
				sign, rest = b, strings.TrimSpace(after)
			}
		}
		n, err := strconv.Atoi(rest)
		q := Question{ID: "figure " + e.Text, Text: fmt.Sprintf("%s in %q, line %d, is not a number: mend it in the table", quote(e.Text), s.name, e.Line)}
		if sign != "" && err == nil {
			member := map[string]string{"≤": "less_than", "≥": "greater_than"}[sign]
			n += map[string]int{"≤": 1, "≥": -1}[sign]
			q = markQuestion(e.Text, e)
			q.Choices = []Choice{{Value: fmt.Sprintf("%s=%d", member, n)}}
			q.Choices[0].Label = fmt.Sprintf("whole numbers: %s %d", strings.ReplaceAll(member, "_", " "), n)
		}
		if p.marks[e.Text] == "" {
			says, _ := p.ask(q)
			p.setMark(e.Text, says)
		}
	}
}
