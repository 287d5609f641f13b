package tables

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"time"

	"stele/internal/base/sheet"
	"stele/record"
)

// addValue makes a record from the value in one cell of row.
func (c *converter) addValue(s *seriesIn, m match, row sheet.Row) {
	members := map[string]string{}
	if m.column >= 0 {
		there, err := c.fillFigure(members, s, m.column, row.At(m.column))
		if err != nil {
			c.addFault(row, c.names[m.column], err)
			return
		}
		if members[omitMember] != "" {
			c.result.Omitted++
			return
		}
		if !there && !c.isRecordWithoutValue(members, s, row) {
			c.result.Missing++
			return
		}
	}
	for member, text := range s.Set {
		if _, set := members[member]; !set {
			members[member] = text
		}
	}
	for _, from := range m.members {
		c.fillMember(members, s, from, row.At(from.column), row)
	}
	for _, g := range m.groups {
		c.fillMember(members, s, cellOf{g.member, m.column}, sheet.Cell{Text: g.text}, row)
	}
	if err := joinPeriod(members); err != nil {
		c.addFault(row, "", err)
	}
	c.placeArea(members, row)
	if members[omitMember] != "" {
		c.result.Omitted++
		return
	}
	if members["lower"] == "" && members["upper"] == "" { // members in set are for records with a status
		delete(members, "interval")
		delete(members, "level")
	}
	c.addRecord(s, members, row)
}

// fillFigure fills the members for a figure: a value with its interval, a bound or a code. It
// reports whether the cell contains a figure.
func (c *converter) fillFigure(members map[string]string, s *seriesIn, column int, cell sheet.Cell) (bool, error) {
	if s.As == "code" && cell.Kind != sheet.Fault {
		text := trimSpace(cell.Text)
		if text == "" || slices.Contains(c.Table.Missing, text) {
			return false, nil
		}
		var err error
		members["code"], err = c.lookUpWord("code", text)
		return true, err
	}
	v, there, err := cmp.Or(s.layout, c.layouts[column], &c.Table).parseCell(cell)
	maps.Copy(members, v.set)
	if there {
		members[cmp.Or(v.bound, "value")] = v.number
	}
	if v.lower != "" {
		members["lower"], members["upper"] = v.lower, v.upper
	}
	return there, err
}

// isRecordWithoutValue reports whether a row without a value still gives a record, because it has a
// figure in another column, or a status that says why the value is missing.
func (c *converter) isRecordWithoutValue(members map[string]string, s *seriesIn, row sheet.Row) bool {
	if record.ObsStatus(members["obs_status"]).CanBeEmpty() && members["obs_status"] != "" {
		return true
	}
	for _, from := range s.members {
		text := trimSpace(row.At(from.column).Text)
		switch from.member {
		case "less_than", "greater_than", "code":
			if text != "" {
				return true
			}
		case "obs_status":
			word, err := c.lookUpWord(from.member, text)
			if text != "" && err == nil && record.ObsStatus(word).CanBeEmpty() {
				return true
			}
		}
	}
	return members["value"] != "" || members["less_than"] != "" || members["greater_than"] != "" || members["code"] != ""
}

// lookUpWord returns the meaning of text in a member, from the words of the map.
func (c *converter) lookUpWord(member, text string) (string, error) {
	words := c.Words[member]
	if words == nil {
		return text, nil
	}
	word, known := words[text]
	switch {
	case known:
		return word, nil
	case text == "":
		c.result.Without[member]++
		return "", nil
	}
	return "", say("fault word", text, member)
}

func (c *converter) fillMember(members map[string]string, s *seriesIn, from cellOf, cell sheet.Cell, row sheet.Row) {
	member, column := from.member, c.names[from.column]
	text, err := c.lookUpWord(member, trimSpace(cell.Text))
	switch {
	case err != nil:
	case cell.Kind == sheet.Fault:
		err = faultyCellError(text)
	case member == "ref_area" && c.Columns["ref_area_scheme"] == "":
		err = c.setArea(members, text)
	case text == "" && partsOfYears[member] != nil:
		err = say("fault empty")
	case text == "" && member == "time_period" && c.Kind == record.KindHealthcareStatistic:
		err = say("fault no period")
	case text == "":
	case member == "time_period" && cell.Kind == sheet.Date && yearHead.MatchString(column) && len(text) == len(time.DateOnly):
		err = say("fault day", text)
	case member == "time_period" || member == "vintage":
		members[member], err = c.parsePeriod(members, from, text)
	case slices.Contains(numbers, member):
		members[member], err = cmp.Or(s.layout, c.layouts[from.column], &c.Table).parseWholeCell(cell)
	case text[0] == '{' || text[0] == '[':
		err = c.unfoldCell(members, member, text)
	case from.column == c.area && c.Areas[text].Name != "":
		members[member] = c.Areas[text].Name
	default:
		members[member] = text
		if member == "x_area_name" && from.column != c.area && c.area >= 0 {
			err = c.checkSameCountry(text, trimSpace(row.At(c.area).Text))
		}
	}
	if err != nil {
		c.addFault(row, column, err)
	}
}

// yearHead matches headings of years. In such a column, a workbook may show a year as a day because
// of the cell's format.
var yearHead = regexp.MustCompile(`(?i)\b(year|jahr|année|annee|año|anno|ano|rok|år)\b`)

// numbers lists the members that are numbers, besides the value.
var numbers = []string{"less_than", "greater_than", "lower", "upper", "level", "numerator", "denominator"}
