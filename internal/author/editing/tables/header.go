package tables

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/sheet"
)

// maxHeader is the maximum number of rows in a heading.
const maxHeader = 3

// headRow is a row at the beginning of a table.
type headRow struct {
	line   int
	texts  []string
	merged bool   // the workbook says how far its names extend
	title  string // above the heading
	names  int    // number of cells that can be names of columns: texts, and years
	filled int
}

// findHeader finds the rows with the names of columns: the row with the most names among the first
// rows, and the rows next to it that name groups of columns.
func findHeader(t *sheet.Table) (rows []headRow, err error) {
	core := -1
	for row, err := range t.Rows() {
		if err != nil {
			return nil, err
		}
		h := newHeadRow(row)
		if rows = append(rows, h); h.names > 0 && (core < 0 || h.names > rows[core].names) {
			core = len(rows) - 1
		}
		if len(rows) == 30 || row.Line == 0 {
			break
		}
	}
	if core < 0 {
		return nil, say("no headings")
	}
	from, to := core, core
	for to+1 < len(rows) && to-from+1 < maxHeader &&
		(numbersColumns(rows[to+1:]) || namesUnits(&rows[to], &rows[to+1])) {
		to++
	}
	for to+1 < len(rows) && to-from+1 < maxHeader && rows[to+1].line == rows[to].line+1 &&
		rows[to+1].names == rows[to+1].filled && rows[to+1].names > 1 && namesGroups(rows[from:to+1], &rows[to+1]) {
		to++
	}
	for from > 0 && to-from+1 < maxHeader && rows[from-1].line == rows[from].line-1 &&
		namesGroups(rows[from-1:from], &rows[from]) {
		from--
	}
	rows[from].title = ""
	for i := from - 1; i >= 0 && rows[from].title == ""; i-- {
		if rows[i].filled == 1 {
			rows[from].title = titleNumber.ReplaceAllString(strings.Join(rows[i].texts, ""), "")
		}
	}
	return rows[from : to+1], nil
}

// titleNumber matches the number of a table before its title.
var titleNumber = regexp.MustCompile(`(?i)^(table|tab\.|tabelle|tableau|tabla|tabela|таблица)\s*[\dA-Z.–-]+\s*[.:–-]?\s*`)

func newHeadRow(row sheet.Row) headRow {
	h := headRow{line: row.Line, texts: cellTexts(row), filled: countFilled(row)}
	for _, c := range row.Cells {
		h.merged = h.merged || c.Merged
		text := trimSpace(c.Text)
		is := c.Kind == sheet.Text && isNameLike(text) || yearFirst.MatchString(text)
		h.names += boolToInt(is && !c.Merged && text != "")
	}
	return h
}

// numbersColumns reports whether the first of rows only numbers the columns. The row after it must
// begin with a longer text: otherwise both may have codes of areas.
func numbersColumns(rows []headRow) bool {
	return len(rows) > 1 && isNumbering(&rows[0]) && utf8.RuneCountInString(rows[1].textAt(0)) > 2
}

// isNumbering reports whether a row only numbers the columns: 1, 2, 3, perhaps after letters.
func isNumbering(h *headRow) bool {
	next := 1
	for _, text := range h.texts {
		n, err := strconv.Atoi(strings.Trim(text, "()[]"))
		switch {
		case err == nil && n == next:
			next++
		case next > 1 || utf8.RuneCountInString(text) != 1 || isNoLetter([]rune(text)[0]):
			return false
		}
	}
	return next > 3 || next > 2 && len(h.texts) > 2
}

// namesUnits reports whether below is a row of units: each column has a name above, and the first
// cell below is empty.
func namesUnits(above, below *headRow) bool {
	return below.line == above.line+1 && below.names == below.filled && below.names > 1 && below.textAt(0) == "" &&
		!slices.Contains(above.texts, "") && len(below.texts) <= len(above.texts) && above.names == len(above.texts)
}

// textAt returns the text of cell i, or "" if the row lacks it.
func (h *headRow) textAt(i int) string {
	if i >= len(h.texts) {
		return ""
	}
	return h.texts[i]
}

func rowLines(rows []headRow) (lines []int) {
	for _, r := range rows {
		lines = append(lines, r.line)
	}
	return lines
}

// isNameLike reports whether a text can name a column: it contains letters, or is a period or an
// age, but not a number with a mark.
func isNameLike(text string) bool {
	if len(text) > 4*maxFigure {
		return false
	}
	if isPeriodLike(text) || ages.MatchString(text) {
		return true
	}
	front, _ := splitMark(text)
	mask, _, _ := numberReadings(strings.TrimSpace(strings.TrimSuffix(front, "%")))
	return mask == 0 && strings.IndexFunc(text, unicode.IsLetter) >= 0 && !isNoValueSign(text)
}

// namesGroups reports whether the last row of above names groups of the columns that below names.
// Its names then cover several columns, whose own names repeat or are missing.
func namesGroups(above []headRow, below *headRow) bool {
	up := above[len(above)-1]
	n, gaps, first, last := 0, false, -1, ""
	title := true // one text over the whole table
	for i := range max(len(up.texts), len(below.texts)) {
		under, name := below.textAt(i) != "", up.textAt(i)
		switch {
		case name != "":
			if n++; first < 0 {
				first = i
			}
			title = title && first == 0 && (last == "" || last == name)
			last = name
			if i > 0 && up.textAt(i-1) == name && under {
				gaps = true
			}
		case i > 0 && under:
			gaps = true
		}
	}
	if !gaps || n == 0 || title {
		return false
	}
	if first > 0 && n < len(below.texts) && below.names > 1 { // it names only groups
		return true
	}
	seen := map[string]bool{}
	for i, name := range below.texts {
		over := up.textAt(i)
		if name != "" && (seen[name] || up.merged && name == over) || name == "" && over != "" {
			return n > 1
		}
		seen[name] = true
	}
	return false
}

// joinHeadNames joins the names of several rows. Except in the last row, a name applies up to the
// next name, as if cells were merged.
func joinHeadNames(rows []headRow) []string {
	wide, first := 0, rows[0].line
	rows = slices.DeleteFunc(slices.Clone(rows), func(h headRow) bool { return h.line > first && isNumbering(&h) })
	for _, row := range rows {
		wide = max(wide, len(row.texts))
	}
	names := make([]string, wide)
	side := countSideColumns(rows)
	for n, row := range rows {
		reaching := ""
		for i := range wide {
			name := row.textAt(i)
			if n < len(rows)-1 && !row.merged {
				name = cmp.Or(name, reaching)
				reaching = name
			}
			if n < len(rows)-1 && i < side { // the name of the heading to the right
				name, reaching = "", ""
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
	joinRepeated(names)
	return names
}

// joinRepeated adds the name before them to names that repeat after each of several others, such as
// Lower and Upper after each year.
func joinRepeated(names []string) {
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	isRepeated := func(name string) bool { return count[name] > 1 }
	base := slices.IndexFunc(names, isRepeated) - 1
	width := slices.IndexFunc(names[max(base+1, 0):], func(name string) bool { return !isRepeated(name) }) + 1
	if base < 0 || width < 2 || (len(names)-base)%width != 0 {
		return
	}
	joined := slices.Clone(names)
	for i := base; i < len(names); i++ {
		switch block := base + (i-base)/width*width; {
		case names[i] == "" || isRepeated(names[i]) == (i == block) || i > block && names[i] != names[i-block+base]:
			return
		case i > block:
			joined[i] = names[block] + " / " + names[i]
		}
	}
	copy(names, joined)
}

// countSideColumns returns the number of columns at the side that have their names in the last row,
// below all others.
func countSideColumns(rows []headRow) int {
	last := &rows[len(rows)-1]
	side := len(last.texts)
	for side > 0 && last.texts[side-1] == "" {
		side--
	}
	if len(rows) < 2 || slices.Contains(last.texts[:side], "") {
		return 0
	}
	above := &rows[len(rows)-2]
	for i := 1; i < side; i++ {
		if above.textAt(i) != "" {
			return 0
		}
	}
	if above.textAt(0) == "" || len(above.texts) <= side {
		return 0
	}
	return side
}

// nameColumns gives columns without a heading or with a repeated name a name that contains their
// number, so that a map can tell them apart.
func nameColumns(names []string) (unnamedColumns map[int]bool) {
	unnamedColumns = map[int]bool{}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			unnamedColumns[i] = true
			names[i] = unnamedColumn(i)
		} else if seen[name] {
			names[i] = fmt.Sprintf("%s (%s)", name, unnamedColumn(i))
		}
		seen[names[i]] = true
	}
	return unnamedColumns
}

// unnamedColumn returns the name of column i if it has no heading.
func unnamedColumn(i int) string { return fmt.Sprintf("column %d", i+1) }

// repeatsHeader reports whether a row repeats words of the heading, and whether it repeats all of
// them.
func repeatsHeader(row sheet.Row, heading []headRow) (again, whole bool) {
	for _, head := range heading {
		same, texts, other := 0, 0, false
		for i, name := range head.texts {
			text := trimSpace(row.At(i).Text)
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
		whole = whole || texts > 0 && same > 1 && !other
		again = again || texts > 1 || whole
	}
	return again, whole
}

// firstText returns the text of the first cell that is not empty, or "".
func firstText(row sheet.Row) string {
	for _, c := range row.Cells {
		if text := trimSpace(c.Text); text != "" {
			return text
		}
	}
	return ""
}

func cellTexts(row sheet.Row) []string {
	list := make([]string, len(row.Cells))
	for i, c := range row.Cells {
		list[i] = strings.Join(strings.Fields(trimSpace(c.Text)), " ")
	}
	return list
}

// countFilled counts the cells of a row that have their own text.
func countFilled(row sheet.Row) (n int) {
	for _, c := range row.Cells {
		if !c.Merged && trimSpace(c.Text) != "" {
			n++
		}
	}
	return n
}

// readHeader reads the names of columns from the rows that the map names, including those of hidden
// columns.
func (m *Map) readHeader(t *sheet.Table) (names []string, rows []headRow, last int, err error) {
	last = slices.Max(m.Table.Header)
	hidden := map[int]bool{}
	for row, err := range t.Rows() {
		if err != nil {
			return nil, nil, 0, err
		}
		if row.Line == 0 { // the file itself names its columns
			last, rows = 0, append(rows, newHeadRow(row))
			break
		}
		if row.Line > last {
			break
		}
		if slices.Contains(m.Table.Header, row.Line) {
			for i, cell := range row.Cells {
				hidden[i] = hidden[i] || cell.Hidden
			}
			rows = append(rows, newHeadRow(row))
		}
	}
	if len(rows) == 0 {
		return nil, nil, 0, fmt.Errorf("missing row %d, which the map names as the header", last)
	}
	names = joinHeadNames(rows)
	for i, name := range names {
		if hidden[i] && !m.Table.Hidden && name != "" && !slices.Contains(m.Ignore.columns, name) {
			return nil, nil, 0, fmt.Errorf("the column %q is hidden in the workbook: add it to ignore; or, if it may be published, set hidden: true below table in the map", name)
		}
	}
	return names, rows, last, nil
}
