package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/sheet"
)

// survey looks at all rows before the first is taken, as the proposal does, and decides how columns
// are read whose reading the map does not name.
func (c *converter) survey() error {
	figures, periods, heads := c.unread()
	about := slices.IndexFunc(c.names, AboutPersons)
	all := slices.Concat(figures, periods, []int{c.area, about})
	if about >= 0 {
		all = append(all, c.values...)
	}
	seen, err := c.look(all)
	if err != nil {
		return err
	}
	if about >= 0 && len(c.values) > 0 {
		var counts []*column
		for _, i := range c.values {
			counts = append(counts, seen[i])
		}
		if seen[about].personEach(counts) {
			return onePerson(c.names[about])
		}
	}
	for _, i := range figures {
		c.decideNumbers(seen[i])
	}
	for _, i := range periods {
		c.decidePeriods(c.names[i], c.names[i], &seen[i].period)
	}
	for _, member := range slices.Sorted(maps.Keys(heads)) {
		c.decidePeriods(member, "", heads[member])
	}
	if c.area >= 0 && c.Columns["ref_area_scheme"] == "" {
		c.oneWay(seen[c.area])
	}
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return strings.Compare(a.Column, b.Column) })
	return nil
}

// look visits the cells of some columns, by their numbers; -1 is none.
func (c *converter) look(numbers []int) (seen map[int]*column, err error) {
	seen = map[int]*column{}
	for _, i := range numbers {
		if i >= 0 {
			seen[i] = newColumn(i, c.names[i])
		}
	}
	columns := slices.Collect(maps.Values(seen))
	for row, err := range c.rows {
		if err != nil {
			return nil, err
		}
		if c.skips(row) != "" {
			continue
		}
		c.widths[len(row.Cells)] = true
		for _, col := range columns {
			if cell := row.At(col.at); !slices.Contains(c.Table.Missing, trim(cell.Text)) {
				col.look(cell, row.Line)
			}
		}
	}
	return seen, nil
}

// unread are the columns of figures and of periods, and the periods in headings, whose reading the
// map does not name.
func (c *converter) unread() (figures, periods []int, heads map[string]*spans) {
	heads = map[string]*spans{}
	for _, s := range c.series {
		for _, m := range s.found {
			if s.layout == nil && s.As != "code" && m.column >= 0 {
				figures = append(figures, m.column)
			}
			for _, of := range m.members {
				switch {
				case slices.Contains(numbers, of.member) && s.layout == nil:
					figures = append(figures, of.column)
				case isPeriod(of.member) && c.Readings[c.names[of.column]] == "":
					periods = append(periods, of.column)
				}
			}
			for _, g := range m.groups {
				if !isPeriod(g.member) || c.Readings[g.member] != "" {
					continue
				}
				if heads[g.member] == nil {
					heads[g.member] = &spans{}
				}
				if text, _ := c.Table.unmark(g.text); !heads[g.member].look(g.text, c.last) {
					heads[g.member].look(text, c.last)
				}
			}
		}
	}
	slices.Sort(figures)
	slices.Sort(periods)
	return slices.Compact(figures), slices.Compact(periods), heads
}

func isPeriod(member string) bool { return member == "time_period" || member == "vintage" }

// decideNumbers chooses how the figures of a column are read. What the file shows by its separators
// decides between two marks, as it always did for maps that do not name a reading.
func (c *converter) decideNumbers(col *column) {
	f, l := &col.figures, c.Table
	usual := map[rune]string{',': ".", ';': ","}[c.table.Delimiter]
	left, line := f.left(l.Decimal, plainSigns(l.Thousands)), sheet.Row{Line: max(f.plain.Line, 1)}
	switch {
	case f.percent.Text != "" && f.plain.Text != "":
		c.fault(line, col.name, fmt.Errorf("%s is shown as a per cent in this column, and %s is not: give all cells one format in the table", f.percent.Text, f.plain.Text))
	case len(left) == 0 && l.Decimal+l.Thousands == "":
		c.fault(line, col.name, f.mixed())
	case len(left) == 0: // as the map says, though cells are written in another way
		n := numbering{decimal: cmp.Or(l.Decimal, "."), group: plainSigns(l.Thousands)}
		n.name = "1" + n.group + "234" + n.decimal + "5"
		left = append(left, &n)
	case f.ambiguous(left) && usual != "" && strings.Contains(f.open[0].Text, usual):
		left = f.left(usual, plainSigns(l.Thousands))
	case f.ambiguous(left):
		e := f.open[0]
		c.fault(sheet.Row{Line: e.Line}, col.name, fmt.Errorf("%s can be %s, and no other cell of the column shows which: name the reading of the series, such as reading: \"1,234.5\" or \"1234,5\"", e.Text, e.Result))
	}
	if len(left) > 0 {
		l.numbers = left[0]
	}
	c.layouts[col.at] = &l
}

// decidePeriods chooses how the periods of a column or of headings are read. A map can say for the
// whole table on which day a year begins that two years name.
func (c *converter) decidePeriods(key, column string, s *spans) {
	left, _ := s.left(key)
	switch {
	case s.read == 0 || len(left) == 0 || c.Table.Year != "":
		c.readings[key] = mixedPeriods
	case len(left) == 1 && left[0] != "financial years":
		c.readings[key] = left[0]
	default:
		e := s.seen[0]
		err := fmt.Errorf("%s does not show on which day the year begins: write below table in the map, for one that begins in April, year: 04-01; or readings: {%s: %s04-01}", e.Text, quote(key), financialYears)
		if len(left) > 1 {
			err = fmt.Errorf("%s can be read as %s, and no cell shows which: write in the map readings: {%s: %s}; financial years need their day, such as %s04-01", e.Text, strings.Join(left, " or as "), quote(key), left[0], financialYears)
		}
		c.fault(sheet.Row{Line: e.Line}, column, err)
	}
}

// oneWay makes sure that a column names areas in one way: codes of two letters or of digits are not
// those of countries beside names or subdivisions, and NA may stand for no value.
func (c *converter) oneWay(areas *column) {
	reading := c.Readings[c.names[c.area]]
	ways, parts := map[string]int{}, false
	for _, a := range c.Areas {
		parts = parts || strings.Contains(a.Code, "-") && a.Scheme == "iso3166"
	}
	for text := range areas.known {
		if _, named := c.Areas[text]; !named {
			if code, way := readArea(text); code != "" {
				ways[way]++
			}
		}
	}
	for _, text := range sortedTexts(areas.known) {
		code, way := readArea(text)
		_, named := c.Areas[text]
		others := ways[areaNames] + ways[areaLetters]
		switch other := way == areaTwo && (parts || others > 0 && ways[areaTwo] <= others); {
		case named || code == "":
		case reading != "" && way != reading, reading == "" && (other || text == "NA" && !c.named()),
			way == areaDigits && reading == "" && len(ways) > 1:
			c.fault(sheet.Row{Line: areas.known[text].line}, c.names[c.area], fmt.Errorf(
				"%q would be %s, but not all areas of the column are written so: write in areas what it stands for, such as {%s: %s}, or nothing for rows that are not taken", text, code, quote(text), code))
		}
	}
}

// named reports whether another column of the table names the areas.
func (c *converter) named() bool {
	column := c.Columns["x_area_name"]
	return column != "" && column != c.names[c.area]
}
