package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/sheet"
)

// maxHeader is how many rows the heading of a table may have.
const maxHeader = 3

// headRow is a row at the beginning of a table.
type headRow struct {
	line   int
	texts  []string
	merged bool // whether the workbook says how far its names reach
	names  int  // cells that can be names of columns: texts, and years
	filled int
}

// findHeader finds the rows that name the columns: of the first rows the one with the most names,
// and those above and below that name groups of columns.
func findHeader(t *sheet.Table) (lines []int, names []string, err error) {
	var rows []headRow
	core := -1
	for row, err := range t.Rows() {
		if err != nil {
			return nil, nil, err
		}
		h := headRow{line: row.Line, texts: texts(row), filled: filled(row)}
		for _, c := range row.Cells {
			h.merged = h.merged || c.Merged
			text := trim(c.Text)
			is := c.Kind == sheet.Text && nameLike(text) || yearFirst.MatchString(text)
			h.names += one(is && !c.Merged && text != "")
		}
		if rows = append(rows, h); h.names > 0 && (core < 0 || h.names > rows[core].names) {
			core = len(rows) - 1
		}
		if len(rows) == 30 || row.Line == 0 {
			break
		}
	}
	if core < 0 {
		return nil, nil, errors.New("no row of the table names its columns")
	}
	from, to := core, core
	for to+1 < len(rows) && to-from+1 < maxHeader && rows[to+1].line == rows[to].line+1 &&
		rows[to+1].names == rows[to+1].filled && rows[to+1].names > 1 && groups(rows[from:to+1], &rows[to+1]) {
		to++
	}
	for from > 0 && to-from+1 < maxHeader && rows[from-1].line == rows[from].line-1 &&
		groups(rows[from-1:from], &rows[from]) {
		from--
	}
	for _, r := range rows[from : to+1] {
		lines = append(lines, r.line)
	}
	return lines, joinNames(rows[from : to+1]), nil
}

// nameLike reports whether a text can name a column: it has letters, or is a period or an age, and
// is no number with a mark.
func nameLike(text string) bool {
	if len(text) > 4*maxFigure {
		return false
	}
	if periodLike(text) || ages.MatchString(text) {
		return true
	}
	front, _ := splitMark(text)
	mask, _, _ := readings(strings.TrimSpace(strings.TrimSuffix(front, "%")))
	return mask == 0 && strings.IndexFunc(text, unicode.IsLetter) >= 0 && !standsForNothing(text)
}

// groups reports whether the last of some rows names groups of the columns that the row below
// names: its names reach over several, and those below are repeated or missing where it has one.
func groups(above []headRow, below *headRow) bool {
	up := above[len(above)-1]
	n, gaps, first, last := 0, false, -1, ""
	title := true // one text over the whole table
	for i := range max(len(up.texts), len(below.texts)) {
		under := i < len(below.texts) && below.texts[i] != ""
		name := ""
		if i < len(up.texts) {
			name = up.texts[i]
		}
		switch {
		case name != "":
			if n++; first < 0 {
				first = i
			}
			title = title && first == 0 && (last == "" || last == name)
			last = name
			if i > 0 && up.texts[i-1] == name && under {
				gaps = true
			}
		case i > 0 && under:
			gaps = true
		}
	}
	if !gaps || n == 0 || title {
		return false
	}
	if first > 0 && n < len(below.texts) && below.names > 1 { // it names nothing but groups
		return true
	}
	seen := map[string]bool{}
	for i, name := range below.texts {
		over := ""
		if i < len(up.texts) {
			over = up.texts[i]
		}
		if name != "" && (seen[name] || up.merged && name == over) || name == "" && over != "" {
			return n > 1
		}
		seen[name] = true
	}
	return false
}

// joinNames makes one name of several rows. In all but the last, a name reaches to the next name,
// as if cells were merged.
func joinNames(rows []headRow) []string {
	wide := 0
	for _, row := range rows {
		wide = max(wide, len(row.texts))
	}
	names := make([]string, wide)
	for n, row := range rows {
		reaching := ""
		for i := range wide {
			name := ""
			if i < len(row.texts) {
				name = row.texts[i]
			}
			if n < len(rows)-1 && !row.merged {
				if name == "" {
					name = reaching
				}
				reaching = name
			}
			switch {
			case name == "" || names[i] == name || strings.HasSuffix(names[i], " / "+name):
			case names[i] == "":
				names[i] = name
			default:
				names[i] += " / " + name
			}
		}
	}
	return names
}

// nameColumns names columns without a heading by their place, and those with the name of another
// too, so that a map can tell them apart.
func nameColumns(names []string) (unnamedColumns map[int]bool) {
	unnamedColumns = map[int]bool{}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			unnamedColumns[i] = true
			names[i] = unnamed(i)
		} else if seen[name] {
			names[i] = fmt.Sprintf("%s (%s)", name, unnamed(i))
		}
		seen[names[i]] = true
	}
	return unnamedColumns
}

// unnamed is what a map calls a column that has no heading.
func unnamed(i int) string { return fmt.Sprintf("column %d", i+1) }

// repeatsHeader reports whether a row has the words of the heading again, and whether all of them.
func repeatsHeader(row sheet.Row, heads [][]string) (again, whole bool) {
	for _, head := range heads {
		same, texts, other := 0, 0, false
		for i, name := range head {
			text := trim(row.At(i).Text)
			if len(text) > len(name) && strings.HasPrefix(text, name[:min(len(name), 1)]) {
				text = strings.Join(strings.Fields(text), " ")
			}
			switch {
			case text == "" && name == "":
			case text == name:
				same++
				if strings.IndexFunc(text, unicode.IsLetter) >= 0 {
					texts++
				}
			default:
				other = true
			}
		}
		again = again || texts > 1
		whole = whole || texts > 1 && !other
	}
	return again, whole
}

// firstText is the text of the first cell that has one; empty if the row is.
func firstText(row sheet.Row) string {
	for _, c := range row.Cells {
		if text := trim(c.Text); text != "" {
			return text
		}
	}
	return ""
}

func texts(row sheet.Row) []string {
	list := make([]string, len(row.Cells))
	for i, c := range row.Cells {
		list[i] = strings.Join(strings.Fields(trim(c.Text)), " ")
	}
	return list
}

// filled counts the cells of a row that have a text of their own.
func filled(row sheet.Row) (n int) {
	for _, c := range row.Cells {
		if !c.Merged && trim(c.Text) != "" {
			n++
		}
	}
	return n
}

// readHeader reads the names of columns that a map names rows for, and those of hidden columns.
func (m *Map) readHeader(t *sheet.Table) (names []string, heads [][]string, last int, err error) {
	last = slices.Max(m.Table.Header)
	var rows []headRow
	hidden := map[int]bool{}
	for row, err := range t.Rows() {
		if err != nil {
			return nil, nil, 0, err
		}
		if row.Line == 0 { // the file names its columns itself
			last, rows = 0, append(rows, headRow{texts: texts(row)})
			break
		}
		if row.Line > last {
			break
		}
		if slices.Contains(m.Table.Header, row.Line) {
			h := headRow{texts: texts(row)}
			for i, cell := range row.Cells {
				hidden[i] = hidden[i] || cell.Hidden
				h.merged = h.merged || cell.Merged
			}
			rows = append(rows, h)
		}
	}
	if len(rows) == 0 {
		return nil, nil, 0, fmt.Errorf("there is no row %d, which the map names as the header", last)
	}
	names = joinNames(rows)
	for i, name := range names {
		if hidden[i] && !m.Table.Hidden && name != "" && !slices.Contains(m.Ignore.columns, name) {
			return nil, nil, 0, fmt.Errorf("the column %q is hidden in the workbook: name it in ignore; or, if it may be published, write hidden: true below table", name)
		}
	}
	for _, r := range rows {
		heads = append(heads, r.texts)
	}
	return names, heads, last, nil
}
