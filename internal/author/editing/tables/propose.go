package tables

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
)

// Proposal is a map for a table, with comments, for a person to correct.
type Proposal struct {
	Map       string
	Questions []Question
	Answered  []Question // those without an answer
	Readings  []Reading
	Left      []Reading // unused columns of figures, and why
	Series    []Proposed
}

// Reading describes how a column is read, and why.
type Reading struct {
	Column, Reading string // the reading as the map names it
	Why             Phrase
}

// Words returns the reading in words.
func (r *Reading) Words() Phrase { return readingWords(r.Reading) }

// readingWords returns the words for a reading that a map names.
func readingWords(reading string) Phrase {
	if name, fraction := strings.CutSuffix(reading, asFraction); fraction {
		return say("reading fraction", readingWords(name))
	}
	for _, begin := range []string{financialYears, financialYearTo, codesOf, namesOf} {
		if rest, found := strings.CutPrefix(reading, begin); found {
			return say("reading "+strings.TrimSpace(begin), rest)
		}
	}
	return say("reading " + reading)
}

// Proposed is a series of a proposal. An answer with the ID "title FOLDER", "unit FOLDER" or
// "unit_label FOLDER" sets one of its fields; "drop FOLDER=yes" removes it.
type Proposed struct{ Folder, Column, Title, Unit, UnitLabel string }

// openReading is written instead of a reading that a person must choose.
const openReading = "?"

// measured is a series of a proposal: columns of figures whose headings differ only in period, sex
// or age.
type measured struct {
	name          string // number of its first column
	heading, rest string // the words, and a sign at their end
	words         string // the indicator of its rows, if a column names indicators
	columns       []*column
	tokens        [][]token
	headMarks     map[string]Example
	figures       figures
	lower, upper  []*column // of each column; nil for none
	ends          [2]string // their headings, with groups in braces
	reading       string
	why           Phrase
	title, unit   string
	label, folder string
	seen          []*column // statistics of its cells
}

// proposal is a map that is being built.
type proposal struct {
	Proposal
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
	members    map[string]*column // uses of columns
	order      []string           // the members, in the order in which they are written
	left       map[*column]Phrase // unused columns, and why
	ignored    map[*column][]string
	areas      map[string]string
	schemes    []*areas.Scheme
	own        []*ownReading
	reading    *ownReading // how areas are read, if a scheme of the publisher has them
	ownAreas   bool        // the column of areas has others than countries
	set        []string    // members of all records that no column contains
	marks      map[string]string
	missing    []string
	fill       []string
	sheets     []string // sheets that are joined
	sections   []string // texts of rows that title a section
	cut        bool
	part       string // the member for months or quarters in headings, or ""
	title, end string
	b          strings.Builder
}

// Propose reads a table and returns a map for it. Its areas are countries, or those of a scheme.
//
// A second call with answers to the questions of the first returns a map with these answers, and
// does not repeat the questions.
func Propose(
	open opener, file string, o sheet.Options, schemes []*areas.Scheme, answers ...Answers,
) (*Proposal, error) {
	t, err := openTable(open, &o)
	if err != nil {
		return nil, err
	}
	p := &proposal{
		file: file, table: t, options: o, answers: Answers{}, members: map[string]*column{}, left: map[*column]Phrase{},
		schemes: schemes, own: ownReadings(schemes),
		ignored: map[*column][]string{}, areas: map[string]string{}, marks: map[string]string{},
	}
	for _, a := range answers {
		maps.Copy(p.answers, a)
	}
	if err := p.joinSheets(open); err != nil {
		return nil, errors.Join(err, p.table.Close())
	}
	if err := errors.Join(p.decide(), p.table.Close()); err != nil {
		return nil, err
	}
	for _, c := range p.columns {
		if why, left := p.left[c]; left && c.hasFigures() && c.isUnused() {
			p.Left = append(p.Left, Reading{Column: c.name, Why: why})
		}
	}
	for _, s := range p.measured {
		p.Series = append(p.Series, Proposed{s.folder, s.name, s.title, s.unit, s.label})
	}
	p.dropUnwanted()
	p.writeMap()
	if err := p.askSharedNames(open); err != nil {
		return nil, err
	}
	p.writeMap()
	for _, s := range p.measured {
		p.noteReading(cmp.Or(s.words, s.name), s.reading, s.why)
	}
	return &p.Proposal, nil
}

// dropUnwanted removes the series that a person does not want.
func (p *proposal) dropUnwanted() {
	var dropped []*measured
	p.measured = slices.DeleteFunc(p.measured, func(s *measured) bool {
		drop := p.answers["drop "+s.folder] == "yes"
		if drop {
			dropped = append(dropped, s)
		}
		return drop
	})
	for _, s := range dropped {
		for _, c := range slices.Concat(s.columns, s.lower, s.upper) {
			isUsed := func(o *measured) bool { return slices.Contains(slices.Concat(o.columns, o.lower, o.upper), c) }
			if c != nil && !slices.ContainsFunc(p.measured, isUsed) {
				p.left[c] = say("left answered")
			}
		}
		if s.words != "" {
			p.ignoreRows(p.indicators, s.words)
		}
	}
}

// opener opens a table.
type opener = func(sheet.Options) (*sheet.Table, error)

// openTable opens a table. In a workbook, it opens the first sheet that is a table.
func openTable(open opener, o *sheet.Options) (*sheet.Table, error) {
	t, err := open(*o)
	if err != nil || len(t.Sheets) < 2 || o.Sheet != "" || t.Sheet == "" {
		return t, err
	}
	o.Sheet = t.Sheet
	for _, name := range t.Sheets {
		wide := 0
		if err := inSheet(open, *o, name, func(t *sheet.Table) {
			for row, err := range t.Rows() {
				if err != nil || row.Line > 200 {
					break // errors are reported when it is read
				}
				wide += boolToInt(countFilled(row) > 2)
			}
		}); err != nil {
			return nil, errors.Join(err, t.Close())
		}
		if wide > 1 {
			o.Sheet = name
			break
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return open(*o)
}

// inSheet calls do with the sheet called name.
func inSheet(open opener, o sheet.Options, name string, do func(*sheet.Table)) error {
	o.Sheet = name
	t, err := open(o)
	if err != nil {
		return err
	}
	do(t)
	return t.Close()
}

func (p *proposal) noteReading(column, reading string, why Phrase) {
	p.Readings = append(p.Readings, Reading{column, reading, why})
}

func (p *proposal) takeColumn(member string, c *column) {
	p.members[member] = c
	p.order = append(p.order, member)
}

// isTaken reports whether the map uses a column already.
func (p *proposal) isTaken(c *column) bool {
	_, left := p.left[c]
	taken := slices.Concat(p.values, p.areasToo, slices.Collect(maps.Values(p.members)))
	return left || c == p.area || c == p.time || c == p.indicators || slices.Contains(taken, c)
}

func (p *proposal) ignoreRows(c *column, text string) { p.ignored[c] = append(p.ignored[c], text) }

// decide finds the use and the reading of each column. Each step depends on those before it.
func (p *proposal) decide() error {
	for again := true; again; again = p.askSections() {
		heading, err := findHeader(p.table)
		if err != nil {
			return err
		}
		p.header, p.title = rowLines(heading), heading[0].title
		names := joinHeadNames(heading)
		nameColumns(names)
		if p.surveyed, err = surveyRows(p.table, names, slices.Max(p.header), heading, p.own); err != nil {
			return err
		}
	}
	if len(p.notes) > 0 {
		p.end = p.notePrefix(p.notes[0])
	}
	p.findArea()
	if err := p.findTime(); err != nil {
		return err
	}
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
	if err := errors.Join(p.findUnplacedTotals(), p.decideAreas()); err != nil {
		return err
	}
	p.decideTime()
	p.decideMarks()
	p.decideNumbers()
	p.finishSeries()
	if len(p.measured)+len(p.Questions) == 0 {
		p.askForCorrection("no figures", say("no figures"))
	}
	return nil
}

func quoteText(text string) string { return strconv.Quote(text) }
