package tables

import (
	"maps"
	"slices"
	"strings"
)

// surveyColumns reads all rows before the first record is made, as a proposal does. It chooses
// readings for the columns for which the map names none.
func (c *converter) surveyColumns() error {
	figures, periods, heads := c.columnsWithoutReading()
	about := slices.IndexFunc(c.names, IsAboutPersons)
	all := slices.Concat(figures, periods, []int{c.area, about})
	if about >= 0 {
		all = append(all, c.values...)
	}
	seen, err := c.visitCells(all)
	if err != nil {
		return err
	}
	if about >= 0 && len(c.values) > 0 {
		var counts []*column
		for _, i := range c.values {
			counts = append(counts, seen[i])
		}
		if seen[about].isOnePersonPerRow(counts) {
			return personColumnError(c.names[about])
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
		if err := c.bindAreas(seen[c.area]); err != nil {
			return err
		}
		if c.own == nil {
			c.checkOneNaming(seen[c.area])
		}
	} else if heads := c.areaHeadings(); heads != nil && c.area < 0 {
		if err := c.bindAreas(heads); err != nil {
			return err
		}
	}
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return strings.Compare(a.Column, b.Column) })
	return nil
}

// visitCells returns statistics of the cells in the columns with the given numbers. It skips -1.
func (c *converter) visitCells(numbers []int) (seen map[int]*column, err error) {
	seen = map[int]*column{}
	for _, i := range numbers {
		if i >= 0 {
			seen[i] = newColumn(i, c.names[i], c.ownReadings...)
			seen[i].area.codes = true
		}
	}
	columns := slices.Collect(maps.Values(seen))
	for row, err := range c.eachRow {
		if err != nil {
			return nil, err
		}
		if c.reasonToSkip(row) != "" {
			continue
		}
		c.widths[len(row.Cells)] = true
		for _, col := range columns {
			text := trimSpace(row.At(col.at).Text)
			if _, stated := c.Areas[text]; !slices.Contains(c.Table.Missing, text) && !(stated && col.at == c.area) {
				col.addCell(row.At(col.at), row.Line)
			}
		}
	}
	return seen, nil
}

// columnsWithoutReading returns the columns of figures and of periods, and the periods in headings,
// for which the map names no reading.
func (c *converter) columnsWithoutReading() (figures, periods []int, heads map[string]*spans) {
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
				case isPeriodMember(of.member) && c.Readings[c.names[of.column]] == "":
					periods = append(periods, of.column)
				}
			}
			for _, g := range m.groups {
				if !isPeriodMember(g.member) || c.Readings[g.member] != "" {
					continue
				}
				if heads[g.member] == nil {
					heads[g.member] = &spans{}
				}
				if text, _ := c.Table.removeMarks(g.text); !heads[g.member].addText(g.text, c.last) {
					heads[g.member].addText(text, c.last)
				}
			}
		}
	}
	slices.Sort(figures)
	slices.Sort(periods)
	return slices.Compact(figures), slices.Compact(periods), heads
}
