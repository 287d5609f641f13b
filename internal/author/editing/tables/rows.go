package tables

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet"
)

// decideRows asks about rows that differ from the others.
func (p *proposal) decideRows() {
	if e := p.titled; e.Text != "" {
		switch p.askChoice("second table", say("second table", e.Line, e.Text), "first", "same") {
		case "first":
			p.end = e.Text
		case "same":
			p.labels = append(p.labels, Example{e.Line, e.Text, p.columns[0].name})
		}
	}
	if e := p.other; e.Text != "" {
		if p.askChoice("second table", say("second table", e.Line, e.Text), "first") != "" {
			p.end, _, _ = strings.Cut(e.Text, ", ")
		}
	}
	if p.short.Text != "" {
		p.cut = p.askChoice("short rows", say("short rows", p.short.Line, p.short.Text), "cut") != ""
	}
	if e := p.long; e.Text != "" && len(p.widths) > 1 && p.table.Format == "csv" {
		p.askForCorrection("long rows", say("long rows", e.Line, e.Text))
	}
	for _, l := range p.labels {
		for _, by := range []string{"\t", ";", "|"} {
			if strings.Count(l.Text, by) > 1 {
				p.askForCorrection("rows", say("rows", l.Line, cutText(l.Text)))
			}
		}
	}
	p.decideFill()
	first := p.columns[0].name
	for i, c := range p.columns {
		if i > 1 && c.name == first+" ("+unnamedColumn(i)+")" && p.columns[i-1].filled == 0 {
			p.askForCorrection("tables side by side", say("tables side by side", first, unnamedColumn(i)))
		}
	}
	if p.isOnePersonPerRow() {
		p.askChoice("persons", say("persons"), "counts")
	}
}

// findUnplacedTotals finds rows that have no area and that an unused column calls totals.
func (p *proposal) findUnplacedTotals() error {
	found, other := map[*column]string{}, map[*column]bool{}
	err := p.eachRow(func(row sheet.Row) bool {
		for c := range p.left {
			if text := trimSpace(row.At(c.at).Text); totals.MatchString(text) {
				found[c] = strings.Clone(text)
				other[c] = other[c] || p.area == nil || trimSpace(row.At(p.area.at).Text) != ""
			}
		}
		return true
	})
	for c, text := range found {
		if !other[c] {
			p.ignoreRows(c, text)
		}
	}
	return err
}

// decideFill asks whether empty cells below a text repeat it.
func (p *proposal) decideFill() {
	var columns []string
	first := 0 // the line of an empty cell
	for _, c := range p.columns {
		if c.gap > 0 && (c == p.area || c == p.time || c == p.indicators || c.divides) {
			columns = append(columns, c.name)
			first = cmp.Or(first, c.gap)
		}
	}
	if len(columns) == 0 {
		return
	}
	if p.askChoice("fill", say("fill", quoteNames(columns), first), "same", "empty") == "same" {
		p.fill = columns
	}
}

// askSections asks whether rows with only one text are titles of the rows below. If so, it adds a
// column with these titles to the table. It reports whether the table has changed.
func (p *proposal) askSections() bool {
	p.labels = slices.DeleteFunc(p.labels, func(l Example) bool { return slices.Contains(p.sections, l.Text) })
	var texts []string
	for _, l := range p.labels {
		_, region := places.FindRegion(l.Text)
		if !region && !totals.MatchString(l.Text) && !slices.Contains(texts, l.Text) {
			texts = append(texts, l.Text)
		}
	}
	if len(texts) == 0 || len(p.sections) > 0 {
		return false
	}
	shown := texts[:min(len(texts), 8)]
	if p.askChoice("sections", say("sections", quoteNames(shown), p.labels[0].Line), "rows", "nothing") != "rows" {
		return false
	}
	p.sections = texts
	p.table = sheet.AddSections(p.table, p.header, texts)
	return true
}

// joinSheets decides the encoding, and asks whether to join all sheets with the same heading.
func (p *proposal) joinSheets(open opener) error {
	if err := p.decideEncoding(open); err != nil || p.table.Sheet == "" || len(p.table.Sheets) < 2 {
		return err
	}
	heading, err := findHeader(p.table)
	if err != nil {
		return nil // decide says why
	}
	header, names := rowLines(heading), joinHeadNames(heading)
	var same []string
	for _, name := range p.table.Sheets {
		if err := inSheet(open, p.options, name, func(t *sheet.Table) {
			other, err := findHeader(t)
			if err == nil && slices.Equal(rowLines(other), header) && slices.Equal(joinHeadNames(other), names) {
				same = append(same, name)
			}
		}); err != nil {
			return err
		}
	}
	if len(same) < 2 {
		return nil
	}
	if p.askChoice("sheets", say("sheets", strings.Join(same, ", "), p.table.Sheet), "all", "one") != "all" {
		return nil
	}
	p.sheets, p.options.Sheet = same, ""
	joined, err := openAll(open, &Layout{Options: p.options, Sheets: same, Header: header})
	if err != nil {
		return err
	}
	err = p.table.Close()
	p.table = joined
	return err
}

// notePrefix returns the beginning of a note: its first word, unless other rows begin with it.
func (p *proposal) notePrefix(note string) string {
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

// eachRow calls visit for each row of the table, up to its notes, until visit returns false.
func (p *proposal) eachRow(visit func(sheet.Row) bool) error {
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
