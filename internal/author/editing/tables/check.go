package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/sheet"
)

// survey looks at all rows before the first is taken, so that no cell is read without the others of
// its column: how figures are read whose reading the map does not name, and in how many ways areas
// are named.
func (c *converter) survey() error {
	found := map[int]*figures{}
	for _, s := range c.series {
		for _, m := range s.found {
			if s.layout == nil && s.As != "code" && m.column >= 0 {
				found[m.column] = &figures{}
			}
		}
		for _, m := range s.members {
			if slices.Contains(numbers, m.member) && s.layout == nil {
				found[m.column] = &figures{}
			}
		}
	}
	areas := newColumn(c.area, "")
	var over ending
	for row, err := range c.rows {
		if err != nil {
			return err
		}
		if over.past(&c.Table, row) {
			continue
		}
		if firstText(row) == "" || c.ignores(row) != "" {
			continue
		}
		c.widths[len(row.Cells)] = true
		for i, f := range found {
			c.surveyFigure(f, row.At(i), row.Line)
		}
		text := trim(row.At(c.area).Text)
		if text != "" && areas.known[text] == nil && len(areas.known) < manyWords {
			areas.known[strings.Clone(text)] = &word{line: row.Line}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(found)) {
		l := c.Table
		decimal, err := found[i].decimal(&l, c.table.Delimiter)
		if err != nil {
			c.fault(sheet.Row{Line: max(found[i].plain.Line, 1)}, c.names[i], err)
		}
		l.Decimal = decimal
		c.layouts[i] = &l
	}
	c.oneWay(areas)
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return strings.Compare(a.Column, b.Column) })
	return nil
}

// surveyFigure notes what a cell allows that the map has no reading for.
func (c *converter) surveyFigure(f *figures, cell sheet.Cell, line int) {
	text := trim(cell.Text)
	switch {
	case text == "" || len(text) > 4*maxFigure || slices.Contains(c.Table.Missing, text):
	case cell.Kind == sheet.Number:
		f.typed(text, cell.Percent, line)
	case cell.Kind == sheet.Text:
		text, _ = c.Table.unmark(text)
		for _, part := range parts(strings.TrimLeft(text, "<>≤≥ ")) {
			f.look(part, line)
		}
	}
}

// decimal is the decimal mark of figures whose reading the map does not name: what the map says for
// the table, what cells show, or the usual one of a file that is separated so.
func (f *figures) decimal(l *Layout, by rune) (string, error) {
	usual := map[rune]string{',': ".", ';': ","}[by]
	var err error
	if f.percent.Text != "" && f.plain.Text != "" {
		err = fmt.Errorf("%s is shown as a per cent in this column, and %s is not: give all cells one format in the table", f.percent.Text, f.plain.Text)
	}
	switch {
	case l.Decimal != "":
		return l.Decimal, err
	case l.Thousands == "," || l.Thousands == ".":
		return map[string]string{",": ".", ".": ","}[l.Thousands], err
	case f.point.Text != "" && f.comma.Text != "" && usual != "":
		return usual, err
	case f.comma.Text != "":
		return ",", err
	case f.point.Text != "" || len(f.open) == 0:
		return ".", err
	case usual != "" && strings.Contains(f.open[0].Text, usual):
		return usual, err
	}
	f.plain.Line = f.open[0].Line
	text := f.open[0].Text
	return ".", fmt.Errorf("%s can be %s or %s, and no other cell of the column shows which: name the reading of the series, such as reading: \"1,234.5\" or \"1234,5\"",
		text, strings.Replace(strings.ReplaceAll(text, ".", ","), ",", ".", 1), strings.NewReplacer(".", "", ",", "").Replace(text))
}

// oneWay makes sure that a column names areas in one way: codes of two letters or of digits are not
// those of countries beside names or subdivisions, and NA may stand for no value.
func (c *converter) oneWay(areas *column) {
	if c.area < 0 || c.Columns["ref_area_scheme"] != "" {
		return
	}
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
