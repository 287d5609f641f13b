package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// line adds lines to the map, without characters that YAML does not allow.
func (p *proposal) line(format string, args ...any) {
	p.b.WriteString(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, fmt.Sprintf(format, args...)) + "\n")
}

// write writes the map.
func (p *proposal) write() {
	p.line("# How %s becomes records. Correct it, save it as map.yaml, and run", p.file)
	p.line("#   stele import %s --map map.yaml", p.file)
	others := slices.DeleteFunc(slices.Clone(p.table.Sheets), func(s string) bool {
		return s == p.table.Sheet || slices.Contains(p.table.Notes, "rows at "+s)
	})
	for _, found := range [][2]string{
		{"Found", strings.Join(p.table.Notes, ", ")},
		{"Other sheets", strings.Join(others, ", ")},
		{"Hidden sheets, which are ignored", strings.Join(p.table.Hidden, ", ")},
	} {
		if found[1] != "" {
			p.line("# %s: %s.", found[0], found[1])
		}
	}
	if name := p.ready(); name != "" {
		p.line("# Is it from that service? The built-in map %[1]s matches: stele import %[2]s --map %[1]s", name, p.file)
	}
	if len(p.questions) > 0 {
		p.line("open: # questions: answer them with --answer, or below; then delete them here")
		for i := range p.questions {
			q := &p.questions[i]
			p.line("  # %s", strings.ReplaceAll(q.String(), "\n", "\n  # "))
			p.line("  - %s", quote(q.ID))
		}
	}
	p.writeTable()
	p.writeReadings()
	p.writeColumns()
	p.writeSeries()
	p.writeIgnored()
	p.line("defaults: # members that all these records share, for the _defaults.yaml of new folders")
	p.line("  summary: \"\"    # the content of a record, in a sentence")
	p.line("  claim_boundary: {statement: \"\"} # what a figure does not cover")
	p.line("  source_links: [{url: \"\", role: primary}]")
}

// ready returns the built-in map that names all columns of the table, or "".
func (p *proposal) ready() string {
	var names []string
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	for _, name := range Ready() {
		m, err := OpenMap(name)
		c := &converter{Map: m, at: map[string]int{}}
		if err == nil && c.bind(slices.Clone(names)) == nil {
			return name
		}
	}
	return ""
}

// writeTable writes how the file is read.
func (p *proposal) writeTable() {
	p.line("table:")
	for _, o := range [][2]string{{"sheet", p.options.Sheet}, {"path", p.options.Path}} {
		if o[1] != "" {
			p.line("  %s: %s", o[0], quote(o[1]))
		}
	}
	if len(p.sheets) > 0 {
		p.line("  sheets: [%s] # their rows are one table", strings.Join(quoted(p.sheets), ", "))
	}
	if len(p.sections) > 0 {
		p.line("  sections: [%s] # titles of the rows below them", strings.Join(quoted(p.sections), ", "))
	}
	lines := make([]string, len(p.header))
	for i, n := range p.header {
		lines[i] = fmt.Sprint(max(n, 1))
	}
	if len(lines) == 1 {
		p.line("  header: %s", lines[0])
	} else {
		p.line("  header: [%s] # rows with names of columns", strings.Join(lines, ", "))
	}
	if p.end != "" {
		p.line("  end: %s # rows from here on are notes; they are counted and ignored", quote(p.end))
	}
	if p.hidden > 0 {
		p.line("  # %d rows are hidden in the workbook; they are ignored unless you write hidden: true", p.hidden)
	}
	if p.cut {
		p.line("  short: true # cells at the end of a row may be missing")
	}
	if len(p.fill) > 0 {
		p.line("  fill: [%s] # an empty cell repeats the cell above", strings.Join(quoted(p.fill), ", "))
	}
	if len(p.missing) > 0 {
		p.line("  missing: [%s] # these cells give no record", strings.Join(quoted(p.missing), ", "))
	}
	if len(p.marks) > 0 {
		p.line("  marks:")
		for _, mark := range slices.Sorted(maps.Keys(p.marks)) {
			p.line("    %s: %s", quote(mark), p.marks[mark])
		}
	}
}

// writeReadings writes how columns other than figures are read.
func (p *proposal) writeReadings() {
	if len(p.readings) > 0 {
		p.line("readings: # how the cells of a column are read, and which cell decided")
	}
	for _, r := range p.readings {
		p.line("  %s: %s%s", quote(r.Column), quote(r.Reading), remark(r.Why))
	}
	for _, s := range p.measured {
		words := "not decided"
		if n, fraction, ok := numberingNamed(s.reading); ok {
			if words = n.words; fraction {
				words += "; 1 is 100 per cent"
			}
		}
		p.noteReading(firstOf(s.words, s.name), words, s.why)
	}
}

// remark returns a text as a comment, or "" if it is empty.
func remark(text string) string {
	if text == "" {
		return ""
	}
	return " # " + oneLine(text)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// writeColumns writes the columns other than figures, and the areas that are not countries.
func (p *proposal) writeColumns() {
	p.line("columns:")
	if p.area != nil {
		p.line("  ref_area: %s", quote(p.area.name))
		name := p.area
		for _, c := range p.areasToo {
			if way := c.area.reading(); (way == areaNames || strings.HasPrefix(way, "names of ")) && name == p.area {
				name = c
			}
		}
		if p.reading == nil || name != p.area { // releases add the names of a scheme
			p.line("  x_area_name: %s", quote(name.name))
		}
		for _, c := range p.areasToo {
			if c != name {
				p.left[c] = fmt.Sprintf("it names the same areas as %q", p.area.name)
			}
		}
	}
	if p.time != nil {
		p.line("  time_period: %s", quote(p.time.name))
	}
	for _, member := range p.order {
		p.line("  %s: %s", member, quote(p.members[member].name))
	}
	if len(p.areas) > 0 {
		p.line("areas: # texts that differ from the other areas; confirm each")
		for _, text := range slices.Sorted(maps.Keys(p.areas)) {
			p.line("  %s:%s", quote(text), strings.TrimRight(p.areas[text], " "))
		}
	}
}

// writeSeries writes a series for each column of figures, with the columns of its interval, and for
// each word of a column of indicators.
func (p *proposal) writeSeries() {
	p.line("series:")
	for _, s := range p.measured {
		p.line("  - folder: %s # the code of the indicator", s.folder)
		if samples := s.samples(); samples != "" {
			p.line("    # read as: %s", oneLine(samples))
		}
		p.line("    title: %s", quote(s.title))
		if grouped := slices.ContainsFunc(s.tokens[0], func(t token) bool { return t.group != "" }); grouped {
			p.line("    values: %s", "'"+strings.ReplaceAll(pattern(s.tokens), "'", "''")+"'")
		} else {
			p.line("    value: %s", quote(s.columns[0].name))
		}
		p.line("    reading: %s%s", quote(s.reading), remark(s.why))
		if s.lower != nil {
			p.line("    columns: {lower: %s, upper: %s}", quote(s.ends[0]), quote(s.ends[1]))
		}
		if s.words != "" {
			p.line("    where: {%s: %s}", quote(p.indicators.name), quote(s.words))
		}
		if len(p.set) > 0 {
			p.line("    set: {%s}", strings.Join(p.set, ", "))
		}
		if p.members["unit"] == nil {
			p.line("    defaults: {unit: %s, unit_label: %s} # such as percent, persons, per_100000", quote(s.unit), quote(s.label))
		}
	}
	if len(p.measured) == 0 {
		p.line("  [] # no column of figures found")
	}
}

// writeIgnored writes the ignored columns, and rows that are totals or have no figures.
func (p *proposal) writeIgnored() {
	var lines []string
	for _, c := range p.columns {
		if why, left := p.left[c]; left {
			lines = append(lines, "  - "+quote(c.name)+remark(why))
		}
	}
	for _, c := range p.columns {
		if words := p.ignored[c]; len(words) > 0 {
			lines = append(lines, fmt.Sprintf("  - {%s: [%s]} # rows that are totals", quote(c.name), strings.Join(quoted(words), ", ")))
		}
	}
	labels := map[string][]string{}
	for _, l := range p.labels {
		labels[l.Result] = append(labels[l.Result], quote(l.Text))
	}
	for _, column := range slices.Sorted(maps.Keys(labels)) {
		words := slices.Compact(slices.Sorted(slices.Values(labels[column])))
		lines = append(lines, fmt.Sprintf("  - {%s: [%s]} # rows without figures", quote(column), strings.Join(words, ", ")))
	}
	if len(lines) > 0 {
		p.line("ignore: # ignored columns and rows; rows are counted\n%s", strings.Join(lines, "\n"))
	}
}
