package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet"
)

// decideRows asks about rows that differ from the others.
func (p *proposal) decideRows() {
	if e := p.other; e.Text != "" {
		text := fmt.Sprintf("line %d has headings again: %s. Another table begins there; what should import do?", e.Line, e.Text)
		if p.askChoice("second table", text, "first", "use only the rows before it; import the rest with its own map") != "" {
			p.end, _, _ = strings.Cut(e.Text, ", ")
		}
	}
	if p.short.Text != "" {
		text := fmt.Sprintf("line %d has fewer cells than the heading: %s. Its figures may be in the wrong columns. Correct the table, or say what is missing", p.short.Line, p.short.Text)
		p.cut = p.askChoice("short rows", text, "cut", "the cells at the end are missing and empty; the others are in their columns") != ""
	}
	if e := p.long; e.Text != "" && len(p.widths) > 1 && p.table.Format == "csv" {
		p.askForCorrection("long rows", "line %d has more cells than the heading: %s. Its figures may be in the wrong columns: correct the table", e.Line, e.Text)
	}
	for _, l := range p.labels {
		for _, by := range []string{"\t", ";", "|"} {
			if strings.Count(l.Text, by) > 1 {
				p.askForCorrection("rows", "line %d has other separators: %.60q. Correct it in the table", l.Line, l.Text)
			}
		}
	}
	p.decideFill()
	if p.isOnePersonPerRow() {
		p.askChoice("persons", "nearly all figures are 1, by age, sex or place: each row may be one person, and published records stay public for ever. What are the rows?",
			"counts", "counts of groups, which may be published")
	}
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
	text := fmt.Sprintf("cells of %s are empty, such as in line %d: do they mean the same as the cell above?", strings.Join(quoteNames(columns), ", "), first)
	if p.askChoice("fill", text, "same", "the same as above", "empty", "nothing: the rows have no such text") == "same" {
		p.fill = columns
	}
}

// askSections asks whether rows with one text title the rows below, and then gives the table a
// column for these titles. It reports whether the table has changed.
func (p *proposal) askSections() bool {
	p.labels = slices.DeleteFunc(p.labels, func(l Example) bool { return slices.Contains(p.sections, l.Text) })
	var texts []string
	for _, l := range p.labels {
		_, region := places.Region(l.Text)
		if !region && !totals.MatchString(l.Text) && !slices.Contains(texts, l.Text) {
			texts = append(texts, l.Text)
		}
	}
	if len(texts) == 0 || len(p.sections) > 0 {
		return false
	}
	text := fmt.Sprintf("some rows contain only one text, such as %s in line %d: is it the title of the rows below?",
		strings.Join(quoteNames(texts[:min(len(texts), 8)]), ", "), p.labels[0].Line)
	if p.askChoice("sections", text, "rows", "yes: the rows below are for that sex, cause or year", "nothing", "no: ignore these rows") != "rows" {
		return false
	}
	p.sections = texts
	p.table = sheet.AddSections(p.table, p.header, texts)
	return true
}

// joinSheets asks whether to use all sheets with the same heading, and joins them.
func (p *proposal) joinSheets(open opener) error {
	if p.table.Sheet == "" || len(p.table.Sheets) < 2 {
		return nil
	}
	heading, err := findHeader(p.table)
	if err != nil {
		return nil // decide says why
	}
	header, names := rowLines(heading), joinNames(heading)
	var same []string
	for _, name := range p.table.Sheets {
		o := p.options
		o.Sheet = name
		t, err := open(o)
		if err != nil {
			return err
		}
		other, err := findHeader(t)
		if err == nil && slices.Equal(rowLines(other), header) && slices.Equal(joinNames(other), names) {
			same = append(same, name)
		}
		if err := t.Close(); err != nil {
			return err
		}
	}
	if len(same) < 2 {
		return nil
	}
	text := fmt.Sprintf("the sheets %s have the same heading: which do you want to import?", strings.Join(same, ", "))
	if p.askChoice("sheets", text, "all", "all; the name of a sheet belongs to its rows", "one", "only "+p.table.Sheet) != "all" {
		return nil
	}
	p.sheets, p.options.Sheet = same, ""
	joined, err := openSheets(open, &Layout{Options: p.options, Sheets: same, Header: header})
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

// eachRow visits the rows of the table, up to its notes.
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
