package tables

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet"
)

// Proposal is a map for a table, with comments, for a person to correct.
type Proposal struct {
	Map       string
	Questions []Question
	Readings  []Reading
	Series    []Proposed
}

// Reading says in words how a column is read, and why.
type Reading struct{ Column, Reading, Why string }

// Proposed is a series of a proposal. An answer with the ID "title FOLDER", "unit FOLDER" or
// "unit_label FOLDER" sets what it is about.
type Proposed struct{ Folder, Column, Title, Unit, UnitLabel string }

// openReading takes the place of a reading that a person has to choose.
const openReading = "?"

// measured is a series in the making: columns of figures whose headings differ only in what they
// are for.
type measured struct {
	name          string // of its first column
	heading, rest string // its words, and a sign at their end
	words         string // the indicator of its rows, if a column names indicators
	columns       []*column
	tokens        [][]token
	headMarks     map[string]Example
	figures       figures
	lower, upper  []*column // of each of the columns; nil for none
	ends          [2]string // how their headings are written, with groups in braces
	reading, why  string
	title, unit   string
	label, folder string
	seen          []*column // what its cells have
}

// proposal is a map in the making.
type proposal struct {
	*surveyed
	file       string
	table      *sheet.Table
	options    sheet.Options
	answers    Answers
	header     []int
	area, time *column
	indicators *column
	areasToo   []*column
	values     []*column
	bounds     []*column
	measured   []*measured
	members    map[string]*column // what columns are taken for
	order      []string           // the members, in the order in which they are written
	left       map[*column]string // columns that are not taken, and why
	ignored    map[*column][]string
	areas      map[string]string
	ownAreas   bool     // whether the column of areas has others than countries
	set        []string // what all records have that no column says
	marks      map[string]string
	missing    []string
	fill       []string
	sheets     []string // those that are joined
	sections   []string // texts of rows that say what those below are for
	cut        bool
	months     bool // whether headings are months
	end        string
	questions  []Question
	readings   []Reading
	b          strings.Builder
}

// Propose looks at a table and writes a map for it.
//
// A second call with the answers to the questions of the first gives a map with these in it, and
// asks nothing twice.
func Propose(open opener, file string, o sheet.Options, answers ...Answers) (*Proposal, error) {
	t, err := openTable(open, &o)
	if err != nil {
		return nil, err
	}
	p := &proposal{
		file: file, table: t, options: o, answers: Answers{}, members: map[string]*column{}, left: map[*column]string{},
		ignored: map[*column][]string{}, areas: map[string]string{}, marks: map[string]string{},
	}
	for _, a := range answers {
		maps.Copy(p.answers, a)
	}
	if err := p.joinSheets(open); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := errors.Join(p.decide(), p.table.Close()); err != nil {
		return nil, err
	}
	p.write()
	result := &Proposal{Map: p.b.String(), Questions: p.questions, Readings: p.readings}
	for _, s := range p.measured {
		result.Series = append(result.Series, Proposed{s.folder, s.name, s.title, s.unit, s.label})
	}
	return result, nil
}

// opener opens a table.
type opener = func(sheet.Options) (*sheet.Table, error)

// openTable opens a file, and of a workbook the first sheet that is a table.
func openTable(open opener, o *sheet.Options) (*sheet.Table, error) {
	t, err := open(*o)
	if err != nil || len(t.Sheets) < 2 || o.Sheet != "" || t.Sheet == "" {
		return t, err
	}
	sheets := t.Sheets
	o.Sheet = t.Sheet
	for _, name := range sheets {
		at := *o
		at.Sheet = name
		other, err := open(at)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		wide := 0
		for row, err := range other.Rows() {
			if err != nil || row.Line > 200 {
				break // what is wrong with it comes when it is read
			}
			if filled(row) > 2 {
				wide++
			}
		}
		if wide > 1 {
			o.Sheet = name
			return other, t.Close()
		}
		if err := other.Close(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// joinSheets asks whether all sheets with the same heading are taken, and joins them.
func (p *proposal) joinSheets(open opener) error {
	if p.table.Sheet == "" || len(p.table.Sheets) < 2 {
		return nil
	}
	heading, err := findHeader(p.table)
	if err != nil {
		return nil // decide says why
	}
	header, names := linesOf(heading), joinNames(heading)
	var same []string
	for _, name := range p.table.Sheets {
		o := p.options
		o.Sheet = name
		t, err := open(o)
		if err != nil {
			return err
		}
		other, err := findHeader(t)
		if err == nil && slices.Equal(linesOf(other), header) && slices.Equal(joinNames(other), names) {
			same = append(same, name)
		}
		if err := t.Close(); err != nil {
			return err
		}
	}
	if len(same) < 2 {
		return nil
	}
	answer, _ := p.ask(Question{
		ID: "sheets", Text: fmt.Sprintf("the sheets %s have the same heading: which are taken?", strings.Join(same, ", ")),
		Choices: []Choice{{Value: "all", Label: "all; the name of a sheet says what its rows are for"}, {Value: "one", Label: "only " + p.table.Sheet}},
	})
	if answer != "all" {
		return nil
	}
	p.sheets, p.options.Sheet = same, ""
	joined, err := openSheets(open, &Layout{Options: p.options, Sheets: same, Header: header})
	if err != nil {
		return err
	}
	err = p.table.Close()
	p.table = joined
	return err
}

// ask returns the answer to a question. One without an answer is kept, and open.
func (p *proposal) ask(q Question) (answer string, open bool) {
	for _, asked := range p.questions {
		if asked.ID == q.ID {
			return "", true
		}
	}
	answer, given := p.answers[q.ID]
	known := slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Value == answer })
	if given && (known || q.Free != "" && answer != "") {
		return answer, false
	}
	q.Text = fmt.Sprintf("%.500s", oneLine(q.Text))
	for i := range q.Choices {
		for j := range q.Choices[i].Examples {
			e := &q.Choices[i].Examples[j]
			e.Text, e.Result = fmt.Sprintf("%.100s", oneLine(e.Text)), fmt.Sprintf("%.100s", oneLine(e.Result))
		}
	}
	p.questions = append(p.questions, q)
	return "", true
}

// askToMend asks for another table or map, as no choice answers the question.
func (p *proposal) askToMend(id, format string, args ...any) {
	p.ask(Question{ID: id, Text: fmt.Sprintf(format, args...)})
}

// reads notes how a column or member is read.
func (p *proposal) reads(column, reading, why string) {
	p.readings = append(p.readings, Reading{column, reading, why})
}

func (p *proposal) take(member string, c *column) {
	p.members[member] = c
	p.order = append(p.order, member)
}

// isTaken reports whether a column has a part in the map already.
func (p *proposal) isTaken(c *column) bool {
	_, left := p.left[c]
	taken := slices.Concat(p.values, p.areasToo, slices.Collect(maps.Values(p.members)))
	return left || c == p.area || c == p.time || c == p.indicators || slices.Contains(taken, c)
}

func (p *proposal) ignoreRows(c *column, text string) { p.ignored[c] = append(p.ignored[c], text) }

// body visits the rows of the table, up to its notes.
func (p *proposal) body(visit func(sheet.Row) bool) error {
	for row, err := range p.table.Rows() {
		if err != nil {
			return err
		}
		if row.Line <= slices.Max(p.header) || firstText(row) == "" || slices.Contains(p.again, row.Line) {
			continue
		}
		if p.surveyed.end > 0 && row.Line >= p.surveyed.end && row.Sheet == p.endSheet {
			return nil
		}
		if !visit(row) {
			return nil
		}
	}
	return nil
}

// decide finds out what each column is and how it is read. Each step uses those before it.
func (p *proposal) decide() error {
	for again := true; again; again = p.askSections() {
		heading, err := findHeader(p.table)
		if err != nil {
			return err
		}
		p.header = linesOf(heading)
		names := joinNames(heading)
		nameColumns(names)
		if p.surveyed, err = surveyRows(p.table, names, slices.Max(p.header), heading); err != nil {
			return err
		}
	}
	if len(p.notes) > 0 {
		p.end = p.beginning(p.notes[0])
	}
	p.findArea()
	p.findTime()
	p.findPartOfYear()
	p.findValues()
	p.findIndicators()
	if err := p.refusePersons(); err != nil {
		return err
	}
	p.findSeries()
	if err := p.findDimensions(); err != nil {
		return err
	}
	if err := p.splitByIndicator(); err != nil {
		return err
	}
	p.decideRows()
	if err := p.decideAreas(); err != nil {
		return err
	}
	p.decideTime()
	p.decideMarks()
	p.decideNumbers()
	p.finish()
	return nil
}

// askSections asks whether rows with one text say what the rows below are for, and then gives the
// table a column for that. It reports whether the table has changed.
func (p *proposal) askSections() bool {
	p.labels = slices.DeleteFunc(p.labels, func(l Example) bool { return slices.Contains(p.sections, l.Text) })
	var texts []string
	for _, l := range p.labels {
		_, region := places.Region(l.Text)
		if !region && !totals.MatchString(l.Text) && !slices.Contains(texts, l.Text) {
			texts = append(texts, l.Text)
		}
	}
	if len(texts) == 0 || len(p.sections) > 0 {
		return false
	}
	answer, _ := p.ask(Question{
		ID: "sections", Text: fmt.Sprintf("rows have nothing but %s, the first in line %d: do they say what the rows below are for?",
			strings.Join(quoted(texts[:min(len(texts), 8)]), ", "), p.labels[0].Line),
		Choices: []Choice{
			{Value: "rows", Label: "yes: the rows below are for that sex, cause or year"},
			{Value: "nothing", Label: "no: these rows are not taken"},
		},
	})
	if answer == "rows" {
		p.sections = texts
		p.table = sheet.Sections(p.table, p.header, texts)
	}
	return answer == "rows"
}

// decideTime decides how periods are read, in a column or in headings, and which rows have none.
func (p *proposal) decideTime() {
	if p.time != nil {
		p.decidePeriods(p.time.name, p.time.name, &p.time.period)
		var odd []Example
		for _, text := range sortedTexts(p.time.known) {
			switch w := p.time.known[text]; {
			case w.period:
			case totals.MatchString(text):
				p.ignoreRows(p.time, text)
			default:
				odd = append(odd, Example{Line: w.line, Text: text})
			}
		}
		if len(odd) > 0 {
			p.askToMend("period cells", "%s in %q are not periods: mend them in the table, or name the rows in ignore", listed(odd), p.time.name)
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
				if front, mark := splitMark(t.text); !heads.look(t.text, line) && heads.look(front, line) {
					s.headMarks[mark] = Example{Line: p.header[0], Text: t.text}
				}
			}
		}
	}
	if heads.read == 0 {
		answer, open := p.ask(Question{ID: "time", Text: "when are the figures for? No column and no heading says it", Free: "the period of all figures, such as 2024"})
		if _, ok := readPeriod(mixedPeriods, answer); ok && !open {
			p.set = append(p.set, "time_period: "+quote(answer))
		}
		return
	}
	p.decidePeriods(name, "time_period", &heads)
}

// beginning is how a note begins: its first word, unless other rows begin so.
func (p *proposal) beginning(note string) string {
	word, _, _ := strings.Cut(note, " ")
	if len(word) < 4 {
		return note
	}
	for _, c := range p.columns {
		for text := range c.known {
			if strings.HasPrefix(text, word) {
				return note
			}
		}
	}
	for _, l := range p.labels {
		if strings.HasPrefix(l.Text, word) {
			return note
		}
	}
	return word
}

func (p *proposal) refusePersons() error {
	for _, c := range p.columns {
		if AboutPersons(c.name) && c.personEach(p.values) {
			return onePerson(c.name)
		}
	}
	return nil
}

func quote(text string) string { return strconv.Quote(text) }
