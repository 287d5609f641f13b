package tables

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/suggest"
	"stele/record"
)

// seriesIn is a series with the positions of its columns in a table.
type seriesIn struct {
	*Series
	members []cellOf // by column name
	found   []match
	where   map[int]string
	owned   map[string]bool
	layout  *Layout // how its figures are read, if the map names that
}

// cellOf is a member and the number of the column from which it is read.
type cellOf struct {
	member string
	column int
}

// match is a column of values, with the members that its name contains.
type match struct {
	column  int
	groups  []cellText
	members []cellOf // members from other columns
}

type cellText struct{ member, text string }

// bindColumns finds the columns that the map names.
func (c *converter) bindColumns(names []string) error {
	c.names, c.unnamed = names, nameColumns(names)
	for i, name := range names {
		c.at[name] = i
	}
	c.taken = map[string]bool{}
	for column := range c.Ignore.rows {
		c.taken[column] = true
	}
	for _, column := range c.Table.Fill {
		c.taken[column] = true
	}
	for i := range c.Series {
		if c.Kind != record.KindHealthcareStatistic && c.idTemplate(&c.Series[i]) == "" {
			return fmt.Errorf("%s records need an ID: name the column that contains it with columns: {id: …}, or build it with defaults: {id: \"%s{x_code}\"}", c.Kind, record.KindNamed(c.Kind).Prefix)
		}
		s, err := c.bindSeries(&c.Series[i])
		if err != nil {
			return err
		}
		c.series = append(c.series, s)
	}
	for _, name := range slices.Sorted(maps.Keys(c.taken)) {
		if _, found := c.at[name]; !found {
			near := suggest.Closest(name, names)
			if near != "" {
				near = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("unknown column %q%s", name, near)
		}
	}
	for i, name := range names {
		if slices.Contains(c.Table.Fill, name) {
			c.fills = append(c.fills, i)
		}
	}
	c.area = -1
	if at, found := c.at[c.Columns["ref_area"]]; found {
		c.area = at
	}
	if err := c.checkAllColumnsUsed(); err != nil {
		return err
	}
	return c.refusePersonColumns()
}

// checkAllColumnsUsed returns an error unless the map mentions every column.
func (c *converter) checkAllColumnsUsed() error {
	var left []string
	for i, name := range c.names {
		switch {
		case c.taken[name] || slices.Contains(c.Ignore.columns, name):
			delete(c.unnamed, i)
		case !c.unnamed[i]:
			left = append(left, strconv.Quote(name))
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("the map lacks these columns: %s. Add each to columns, to a series, or to ignore", strings.Join(left, ", "))
	}
	return nil
}

// bindSeries finds the columns of a series and marks them as used.
func (c *converter) bindSeries(s *Series) (*seriesIn, error) {
	in := &seriesIn{Series: s, where: map[int]string{}, owned: c.seriesMembers(s)}
	if n, fraction, ok := findNumbering(s.Reading); ok {
		l := c.Table
		l.numbers, l.fraction = n, fraction
		in.layout = &l
	}
	of := presentColumns(c.Columns, c.names)
	maps.Copy(of, presentColumns(s.Columns, c.names))
	maps.DeleteFunc(of, func(_, column string) bool { return c.isNameTemplate(s, column) })
	for _, column := range of {
		c.taken[column] = true
	}
	for column, word := range s.Where {
		c.taken[column] = true
		in.where[c.at[column]] = word
	}
	for _, column := range inBraces.FindAllString(s.Folder, -1) {
		c.taken[column[1:len(column)-1]] = true
	}
	for _, member := range slices.Sorted(maps.Keys(of)) {
		in.members = append(in.members, cellOf{member, c.at[of[member]]})
	}
	var err error
	if in.found, err = c.valueColumns(s); err != nil {
		return nil, err
	}
	if s.Value != "" {
		c.taken[s.Value] = true
	}
	if len(in.found) == 0 && s.Values != "" {
		return nil, fmt.Errorf("series %s: no column matches the pattern %s", s.Folder, s.Values)
	}
	for i, m := range in.found {
		in.found[i].members = slices.Concat(in.members, m.members)
		if m.column >= 0 {
			c.taken[c.names[m.column]] = true
			if !slices.Contains(c.values, m.column) {
				c.values = append(c.values, m.column)
			}
		}
	}
	return in, nil
}

// seriesMembers returns the members that a series can fill.
func (c *converter) seriesMembers(s *Series) map[string]bool {
	all := map[string]bool{}
	for _, from := range append(slices.Collect(maps.Values(c.Table.Marks)), c.Columns, s.Columns, s.Set) {
		for member := range from {
			all[member] = true
			m := record.KindNamed(c.Kind).Shape().Member(member)
			if m != nil && (m.Shape.Type == schema.Object || m.Shape.Type == schema.Array) {
				all[member+"."] = true
			}
		}
	}
	if s.pattern != nil {
		for _, group := range s.pattern.SubexpNames() {
			all[memberForGroup(group)] = true
		}
	}
	if s.pattern != nil || s.Value != "" {
		for _, member := range []string{"value", "less_than", "greater_than", "code", "lower", "upper"} {
			all[member] = true
		}
	}
	all["x_"] = all[otherMembers]
	return all
}

func (c *converter) valueColumns(s *Series) (found []match, err error) {
	switch {
	case s.Value != "":
		return []match{{column: c.at[s.Value]}}, nil
	case s.pattern == nil:
		return []match{{column: -1}}, nil
	}
	for i, name := range c.names {
		groups := s.pattern.FindStringSubmatch(name)
		if groups == nil || slices.Contains(c.Ignore.columns, name) {
			continue
		}
		if err := c.checkDroppedText(s, name); err != nil {
			return nil, err
		}
		m := match{column: i}
		for g, group := range s.pattern.SubexpNames() {
			if group != "" {
				m.groups = append(m.groups, cellText{memberForGroup(group), groups[g]})
			}
		}
		if m.members, err = c.columnsForGroups(s, groups); err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

// isNameTemplate reports whether the name of a column contains groups of the pattern in braces,
// such as {time_period} lower.
func (c *converter) isNameTemplate(s *Series, column string) bool {
	_, literal := c.at[column]
	return s.pattern != nil && !literal && inBraces.MatchString(column)
}

// columnsForGroups finds the columns whose names contain the groups of a heading. These are, for
// example, the columns with the bounds for a year.
func (c *converter) columnsForGroups(s *Series, groups []string) (members []cellOf, err error) {
	for _, member := range slices.Sorted(maps.Keys(s.Columns)) {
		column := s.Columns[member]
		if !c.isNameTemplate(s, column) {
			continue
		}
		template, optional := strings.CutSuffix(column, "?")
		name := inBraces.ReplaceAllStringFunc(template, func(group string) string {
			if g := s.pattern.SubexpIndex(group[1 : len(group)-1]); g >= 0 {
				return groups[g]
			}
			return group
		})
		at, found := c.at[name]
		switch {
		case found:
			c.taken[name] = true
			members = append(members, cellOf{member, at})
		case !optional:
			return nil, fmt.Errorf("series %s: the table has no column %q for %s", s.Folder, name, member)
		}
	}
	return members, nil
}

// checkDroppedText returns an error if a pattern drops part of a heading with .* at its end and no
// mark of the map explains that part, because it may say that figures are provisional, or targets.
func (c *converter) checkDroppedText(s *Series, name string) error {
	if s.shorter == nil {
		return nil
	}
	rest := trimSpace(strings.TrimPrefix(name, s.shorter.FindString(name)))
	if _, known := c.Table.Marks[rest]; rest == "" || known {
		return nil
	}
	return fmt.Errorf("the pattern %s of series %s drops %q from the column %q: add the column to ignore; or explain this text in marks below table, such as %s: {obs_status: P}, and change the pattern so that its group contains the whole period",
		s.Values, s.Folder, rest, name, quoteText(rest))
}

// memberForGroup returns the member that a group of a pattern fills, in a statistic or its
// dimensions.
func memberForGroup(group string) string {
	switch group {
	case "time_period", "ref_area", "unit", "indicator", "obs_status":
		return group
	}
	if strings.HasPrefix(group, "x_") || partsOfYears[group] != nil {
		return group
	}
	return "dimensions." + group
}
