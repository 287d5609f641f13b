package tables

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/sheet"
)

// decideNumbers chooses how the figures of each series are read. If all series whose cells show the
// decimal mark agree, they decide for the others.
func (p *proposal) decideNumbers() {
	shown := map[string]*measured{}
	var open []*measured
	for _, s := range p.measured {
		f := &s.figures
		switch {
		case f.isAmbiguous(f.possibleReadings("", "")):
			open = append(open, s)
		case f.point.Text != "" && len(f.possibleReadings(".", "")) > 0:
			shown["."] = s
		case f.comma.Text != "" && len(f.possibleReadings(",", "")) > 0:
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
		f, want, why := &s.figures, "", Phrase{}
		if f.isAmbiguous(f.possibleReadings("", "")) {
			if want = decimal; want == "" {
				s.reading = openReading
				continue
			}
			if why = say("why answered"); shown[want] != nil {
				e := shown[want].figures.decidingCell(want)
				why = say("why cell in", e.Line, e.Text, shown[want].name)
			}
		}
		left := f.possibleReadings(want, "")
		if len(left) == 0 {
			s.reading = openReading
			p.askForCorrection("figures "+s.name, say("figures of", s.name, f.mixed()))
			continue
		}
		if s.reading, s.why = left[0].name, why; why.isEmpty() {
			s.why = f.decidingCell(left[0].decimal).decided()
		}
	}
	p.decideFractions()
}

// askMixed asks whether series of one table have different decimal marks.
func (p *proposal) askMixed(shown map[string]*measured) {
	if len(shown) < 2 {
		return
	}
	point, comma := shown["."], shown[","]
	p.askChoice("decimal marks", say("decimal marks", point.name, point.figures.point.decided(), comma.name, comma.figures.comma.decided()), "both")
}

func (p *proposal) askDecimal(s *measured) string {
	e := s.figures.open[0]
	byPoint, byComma, _ := strings.Cut(e.Result, " or ")
	q := Question{ID: "numbers", Text: say("numbers", e.Text, e.Line, byPoint, byComma)}
	for _, mark := range []string{".", ","} {
		choice := Choice{Value: mark, Label: say("numbers " + mark)}
		for _, e := range s.figures.open {
			number, _ := strings.CutSuffix(e.Text, "%")
			_, byPoint, byComma := numberReadings(strings.TrimSpace(number))
			e.Result = map[string]string{".": byPoint, ",": byComma}[mark]
			choice.Examples = append(choice.Examples, e)
		}
		q.Choices = append(q.Choices, choice)
	}
	answer, _ := p.ask(q)
	return answer
}

// decideFractions asks whether figures below a heading with a per cent sign are fractions of one.
// It asks only if none of them is greater than one.
func (p *proposal) decideFractions() {
	for _, s := range p.measured {
		f := &s.figures
		if f.percent.Text != "" && f.plain.Text != "" {
			s.reading = openReading
			p.askForCorrection("percent "+s.name, say("percent", f.percent.Text, s.name, f.plain.Text, f.plain.Line))
		}
		if s.unit != "percent" || f.percent.Text != "" || f.aboveOne || len(f.fractions) == 0 || s.reading == openReading {
			continue
		}
		q := Question{
			ID: "per cent", Text: say("per cent", s.name, f.fractions[0].Text, f.fractions[0].Line, f.fractions[0].Result),
			Choices: []Choice{{Value: "percent", Label: say("per cent percent")}, {Value: "fraction", Label: say("per cent fraction")}},
		}
		for _, e := range f.fractions {
			q.Choices[0].Examples = append(q.Choices[0].Examples, Example{e.Line, e.Text, e.Result + " %"})
			hundredth, _ := multiplyBy100(e.Result)
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

// decideNumbers chooses how the figures of a column are read, for a map that does not name the
// reading. The separators in the file choose between two decimal marks.
func (c *converter) decideNumbers(col *column) {
	f, l := &col.figures, c.Table
	usual := map[rune]string{',': ".", ';': ","}[c.table.Delimiter]
	left, line := f.possibleReadings(l.Decimal, toASCII(l.Thousands)), sheet.Row{Line: max(f.plain.Line, 1)}
	switch {
	case f.percent.Text != "" && f.plain.Text != "":
		c.addFault(line, col.name, fmt.Errorf("%s is formatted as per cent in this column, but %s is not: use one format for all cells in the table", f.percent.Text, f.plain.Text))
	case len(left) == 0 && l.Decimal+l.Thousands == "":
		c.addFault(line, col.name, errors.New(f.mixed().String()))
	case len(left) == 0: // as the map says, even if cells are written differently
		n := numbering{decimal: cmp.Or(l.Decimal, "."), group: toASCII(l.Thousands)}
		n.name = "1" + n.group + "234" + n.decimal + "5"
		left = append(left, &n)
	case f.isAmbiguous(left) && usual != "" && strings.Contains(f.open[0].Text, usual):
		left = f.possibleReadings(usual, toASCII(l.Thousands))
	case f.isAmbiguous(left):
		e := f.open[0]
		c.addFault(sheet.Row{Line: e.Line}, col.name, fmt.Errorf("%s can mean %s, and no other cell of the column shows which: set the reading of the series, such as reading: \"1,234.5\" or \"1234,5\"", e.Text, e.Result))
	}
	if len(left) > 0 {
		l.numbers = left[0]
	}
	c.layouts[col.at] = &l
}
