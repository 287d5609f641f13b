package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// writeLine adds a line to the map, or several, without characters that YAML does not allow.
func (p *proposal) writeLine(format string, args ...any) {
	p.b.WriteString(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, fmt.Sprintf(format, args...)) + "\n")
}

func (p *proposal) writeMap() {
	p.b.Reset()
	p.writeLine("# This map says how %s becomes records. Correct it, save it as map.yaml, and run", p.file)
	p.writeLine("#   stele import %s --map map.yaml", p.file)
	others := slices.DeleteFunc(slices.Clone(p.table.Sheets), func(s string) bool {
		return s == p.table.Sheet || slices.Contains(p.table.Notes, "rows at "+s)
	})
	for _, found := range [][2]string{
		{"Found", strings.Join(p.table.Notes, ", ")},
		{"Other sheets", strings.Join(others, ", ")},
		{"Hidden sheets, which are ignored", strings.Join(p.table.Hidden, ", ")},
	} {
		if found[1] != "" {
			p.writeLine("# %s: %s.", found[0], found[1])
		}
	}
	if name := p.matchingBuiltIn(); name != "" {
		p.writeLine("# The built-in map %[1]s matches. To use it: stele import %[2]s --map %[1]s", name, p.file)
	}
	if len(p.Questions) > 0 {
		p.writeLine("open: # questions: answer them with --answer, or below; then delete them here")
		for i := range p.Questions {
			q := &p.Questions[i]
			p.writeLine("  # %s", strings.ReplaceAll(q.String(), "\n", "\n  # "))
			p.writeLine("  - %s", quoteText(q.ID))
		}
	}
	p.writeTable()
	p.writeReadings()
	p.writeColumns()
	p.writeSeries()
	p.writeIgnored()
	p.writeLine("defaults: # members that all these records share, for the _defaults.yaml of new folders")
	p.writeLine("  summary: \"\"    # the content of a record, in a sentence")
	p.writeLine("  claim_boundary: {statement: \"\"} # what a figure does not cover")
	p.writeLine("  source_links: [{url: \"\", role: primary}]")
	p.Map = p.b.String()
}

// matchingBuiltIn returns the built-in map that names all columns of the table, or "".
func (p *proposal) matchingBuiltIn() string {
	var names []string
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	for _, name := range BuiltInMaps() {
		m, err := OpenMap(name)
		c := &converter{Map: m, at: map[string]int{}}
		if err == nil && c.bindColumns(slices.Clone(names)) == nil {
			return name
		}
	}
	return ""
}

// writeTable writes the part of the map that says how to read the file.
func (p *proposal) writeTable() {
	p.writeLine("table:")
	for _, o := range [][2]string{{"sheet", p.options.Sheet}, {"path", p.options.Path}, {"encoding", p.options.Encoding}} {
		if o[1] != "" {
			p.writeLine("  %s: %s", o[0], quoteText(o[1]))
		}
	}
	p.writeList("sheets", p.sheets, "their rows are one table")
	p.writeList("sections", p.sections, "titles of the rows below them")
	if len(p.header) == 1 {
		p.writeLine("  header: %d", max(p.header[0], 1))
	} else {
		p.writeLine("  header: %s # rows with names of columns", strings.ReplaceAll(fmt.Sprint(p.header), " ", ", "))
	}
	if p.end != "" {
		p.writeLine("  end: %s # rows from here on are notes; they are counted and ignored", quoteText(p.end))
	}
	if p.hidden > 0 {
		p.writeLine("  # %d rows are hidden in the workbook; they are ignored unless you write hidden: true", p.hidden)
	}
	if p.cut {
		p.writeLine("  short: true # cells at the end of a row may be missing")
	}
	p.writeList("fill", p.fill, "an empty cell repeats the cell above")
	p.writeList("missing", p.missing, "these cells give no record")
	if len(p.marks) > 0 {
		p.writeLine("  marks:")
		for _, mark := range slices.Sorted(maps.Keys(p.marks)) {
			p.writeLine("    %s: %s", quoteText(mark), p.marks[mark])
		}
	}
}

// writeList writes a list of texts, unless it is empty.
func (p *proposal) writeList(key string, list []string, why string) {
	if len(list) > 0 {
		p.writeLine("  %s: [%s] # %s", key, quoteNames(list), why)
	}
}

// writeReadings writes how columns other than figures are read.
func (p *proposal) writeReadings() {
	if len(p.Readings) > 0 {
		p.writeLine("readings: # how the cells of a column are read, and which cell decided")
	}
	for _, r := range p.Readings {
		p.writeLine("  %s: %s%s", quoteText(r.Column), quoteText(r.Reading), comment(r.Why))
	}
}

// comment returns a phrase as a comment, or "" if it is empty.
func comment(why Phrase) string {
	if why.isEmpty() {
		return ""
	}
	return " # " + why.String()
}

func toOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// writeColumns writes the columns other than figures, and the areas that are not countries.
func (p *proposal) writeColumns() {
	p.writeLine("columns:")
	if p.area != nil && !p.hasAreaHeadings() {
		p.writeLine("  ref_area: %s", quoteText(p.area.name))
		name := p.area
		for _, c := range p.areasToo {
			if way := c.area.bestReading(); (way == areaNames || strings.HasPrefix(way, "names of ")) && name == p.area {
				name = c
			}
		}
		if p.reading == nil || name != p.area { // releases add the names of a scheme
			p.writeLine("  x_area_name: %s", quoteText(name.name))
		}
		for _, c := range p.areasToo {
			if c != name {
				p.left[c] = say("left areas", p.area.name)
			}
		}
	}
	if p.time != nil {
		p.writeLine("  time_period: %s", quoteText(p.time.name))
	}
	for _, member := range p.order {
		p.writeLine("  %s: %s", member, quoteText(p.members[member].name))
	}
	if len(p.areas) > 0 {
		p.writeLine("areas: # texts that differ from the other areas; confirm each")
		for _, text := range slices.Sorted(maps.Keys(p.areas)) {
			p.writeLine("  %s:%s", quoteText(text), strings.TrimRight(p.areas[text], " "))
		}
	}
}

// writeSeries writes a series for each column of figures, with the columns of its interval, and for
// each word of a column of indicators.
func (p *proposal) writeSeries() {
	p.writeLine("series:")
	for _, s := range p.measured {
		p.writeLine("  - folder: %s # the code of the indicator", s.folder)
		if samples := s.sampleText(); samples != "" {
			p.writeLine("    # read as: %s", toOneLine(samples))
		}
		p.writeLine("    title: %s", quoteText(s.title))
		if grouped := slices.ContainsFunc(s.tokens[0], func(t token) bool { return t.group != "" }); grouped {
			p.writeLine("    values: %s", "'"+strings.ReplaceAll(headingPattern(s.tokens), "'", "''")+"'")
		} else {
			p.writeLine("    value: %s", quoteText(s.columns[0].name))
		}
		p.writeLine("    reading: %s%s", quoteText(s.reading), comment(s.why))
		if s.lower != nil {
			p.writeLine("    columns: {lower: %s, upper: %s}", quoteText(s.ends[0]), quoteText(s.ends[1]))
		}
		if s.words != "" {
			p.writeLine("    where: {%s: %s}", quoteText(p.indicators.name), quoteText(s.words))
		}
		if len(p.set) > 0 {
			p.writeLine("    set: {%s}", strings.Join(p.set, ", "))
		}
		if p.members["unit"] == nil {
			p.writeLine("    defaults: {unit: %s, unit_label: %s} # such as percent, persons, per_100000", quoteText(s.unit), quoteText(s.label))
		}
	}
	if len(p.measured) == 0 {
		p.writeLine("  [] # no column of figures found")
	}
}

// writeIgnored writes the ignored columns, and rows that are totals or have no figures.
func (p *proposal) writeIgnored() {
	var lines []string
	for _, c := range p.columns {
		if why, left := p.left[c]; left {
			lines = append(lines, "  - "+quoteText(c.name)+comment(why))
		}
	}
	for _, c := range p.columns {
		if words := p.ignored[c]; len(words) > 0 {
			lines = append(lines, fmt.Sprintf("  - {%s: [%s]} # rows that are totals", quoteText(c.name), quoteNames(words)))
		}
	}
	labels := map[string][]string{}
	for _, l := range p.labels {
		labels[l.Result] = append(labels[l.Result], l.Text)
	}
	for _, column := range slices.Sorted(maps.Keys(labels)) {
		words := slices.Compact(slices.Sorted(slices.Values(labels[column])))
		lines = append(lines, fmt.Sprintf("  - {%s: [%s]} # rows without figures", quoteText(column), quoteNames(words)))
	}
	if len(lines) > 0 {
		p.writeLine("ignore: # columns and rows to leave out; the report counts the rows\n%s", strings.Join(lines, "\n"))
	}
}
