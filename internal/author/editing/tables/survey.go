package tables

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"stele/internal/base/sheet"
)

// manyWords is the maximum number of different texts that are kept for a column.
const manyWords = 5000

// column has statistics of the cells in a column.
type column struct {
	name             string
	at               int
	hidden           bool
	filled, faults   int
	gap              int // the line of the first empty cell below a text, or 0
	known            map[string]*word
	many             bool // there are more different texts
	areas, periods   int  // cells that name an area, a period
	numbers, missing int  // cells with a number, or only with a sign for no value
	signs            int  // cells with a short text without digits, which may be such a sign
	worded           int  // different texts with a number and a word, which may be a code and a name
	area             regions
	period           spans
	figures          figures
	marks            map[string]Example // after a number or period, or instead of a number
	fault            Example
	last             int  // the whole number of the row before
	broken           bool // the cells are not consecutive numbers
	divides          bool // it is a dimension
}

// word has statistics of a text in a column.
type word struct {
	count, line                   int
	area, period, number, missing bool
	sign, percent                 bool
	kind                          sheet.Kind
}

func newColumn(i int, name string, own ...*ownReading) *column {
	c := &column{at: i, name: name, known: map[string]*word{}, marks: map[string]Example{}}
	codes := codeHead.MatchString(name) || placeHead.MatchString(name)
	c.area = regions{ways: map[string]int{}, example: map[string]Example{}, own: own, codes: codes}
	for _, r := range own {
		c.area.codes = c.area.codes || r.heads[nameKey(name)]
	}
	return c
}

func (c *column) addCell(cell sheet.Cell, line int) {
	c.hidden = c.hidden || cell.Hidden
	text := trimSpace(cell.Text)
	if text == "" {
		return
	}
	c.filled++
	if !c.broken {
		n, err := strconv.Atoi(text)
		c.broken = err != nil || c.filled > 1 && n != c.last+1 || c.filled == 1 && n > 1
		c.last = n
	}
	w := c.known[text]
	if w == nil {
		judged := c.classify(text, cell, line)
		if c.many = c.many || len(c.known) >= manyWords; c.many {
			c.countWord(&judged)
			return
		}
		w = new(word)
		*w = judged
		c.known[strings.Clone(text)] = w
	}
	w.count++
	c.countWord(w)
}

func (c *column) countWord(w *word) {
	c.areas, c.periods = c.areas+boolToInt(w.area), c.periods+boolToInt(w.period)
	c.numbers += boolToInt(w.number)
	c.missing += boolToInt(w.missing)
	c.signs += boolToInt(w.sign)
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// classify classifies a new text. In a large column, rare tests are not applied to every text.
func (c *column) classify(text string, cell sheet.Cell, line int) word {
	w := word{line: line, kind: cell.Kind, percent: cell.Percent}
	if cell.Kind == sheet.Fault {
		c.faults++
		if w.sign = text[0] == '#'; w.sign { // a person knows whether it means no value
			c.addMark(text, text, line)
		} else {
			c.fault.setOnce(text, line)
		}
		return w
	}
	rare := func(cells int) bool { return c.filled > 500 && cells*2 < c.filled }
	if !rare(c.areas) {
		w.area = c.area.addText(text, line)
	}
	if !rare(c.periods) {
		if w.period = c.period.addText(text, line); !w.period {
			if front, mark := splitMark(text); front != "" && mark != "" && c.period.addText(front, line) {
				w.period = true
				c.addMark(mark, text, line)
			}
		}
	}
	switch {
	case cell.Kind == sheet.Date:
	case w.period && len(c.marks) == 0 && strings.ContainsFunc(text, unicode.IsLetter): // such as 2019年
	case isNoValueSign(text):
		w.missing = true
		c.addMark(text, text, line)
	case cell.Kind == sheet.Number:
		c.figures.addTyped(text, cell.Percent, line)
		w.number = true
	default:
		w.number = c.addFigure(text, line)
		w.sign = !w.number && len(text) <= 5 && !strings.ContainsAny(text, "0123456789")
	}
	return w
}

// addFigure records a text that may contain a number with a bound, an interval or a mark.
func (c *column) addFigure(text string, line int) bool {
	if len(text) > 4*maxFigure {
		return false
	}
	bare := strings.TrimLeft(text, "<> ")
	all, parts := true, splitInterval(bare)
	if m := reference.FindStringSubmatch(bare); m != nil && len(parts) == 1 {
		c.addMark(map[bool]string{true: aloneInBrackets, false: besideInBrackets}[m[1] == ""], text, line)
		parts[0] = cmp.Or(m[1], strings.Trim(bare, "()"))
	}
	for _, part := range parts {
		if c.figures.addText(part, line) {
			continue
		}
		front, mark := splitMark(part)
		if front != "" && mark != "" && c.figures.addText(trimSpace(front), line) {
			c.addMark(mark, text, line)
			c.worded += boolToInt(len(mark) > 3 && unicode.IsLetter([]rune(mark)[0]))
			continue
		}
		all = false
	}
	if front, _ := splitMark(text); !all && front != "" && len(c.figures.unread) < 20 {
		c.figures.unread = append(c.figures.unread, Example{Line: line, Text: strings.Clone(text)})
	} else if !all && front == "" {
		c.addMark(text, text, line)
	}
	return all
}

func (c *column) addMark(mark, text string, line int) {
	if _, known := c.marks[mark]; !known && len(c.marks) < 200 {
		c.marks[strings.Clone(mark)] = Example{Line: line, Text: strings.Clone(text)}
	}
}

func (c *column) isMost(n int) bool { return c.filled > 0 && n*10 >= c.filled*8 }

// hasFigures reports whether a column contains numbers and signs for no value, and few other texts.
func (c *column) hasFigures() bool {
	odd := 0
	for _, w := range c.known {
		odd += boolToInt(!w.number && !w.missing && !w.sign)
	}
	rest := c.filled - c.missing - c.signs
	return c.numbers > 0 && c.worded*2 < len(c.known) && (c.numbers*10 >= rest*8 || c.numbers*2 >= rest && odd < 3)
}

// isNearlyUnique reports whether nearly every cell has a different text.
func (c *column) isNearlyUnique() bool {
	return c.many || c.filled > 2 && len(c.known)*5 >= c.filled*4
}

// surveyed is the result of reading a table once.
type surveyed struct {
	columns  []*column
	rows     int
	notes    []string // texts of the rows after the data
	end      int      // the line of the first of them
	endSheet string
	hidden   int
	labels   []Example    // rows inside the table with only one text, and the name of its column
	again    []int        // lines that repeat the heading
	titled   Example      // a title above one of these
	other    Example      // the first line that repeats part of it: another table begins
	short    Example      // the first CSV row with fewer cells than the heading
	long     Example      // the first row with more cells
	widths   map[int]bool // number of cells in a row
}

// isNote matches the beginning of notes, which may contain the separator of cells.
var isNote = regexp.MustCompile(`(?i)^(sources?|notes?|quellen?|anmerkung(en)?|hinweis|fuentes?|notas?|fontes?|источники?|примечани[ея]|المصدر|ملاحظ\S*|来源|资料来源|注)\s*[:：]`)

// surveyRows reads all rows below the heading. Rows with one text are notes after the table or
// titles inside it; the next row with several cells shows which.
func surveyRows(t *sheet.Table, names []string, last int, heading []headRow, own []*ownReading) (*surveyed, error) {
	s := &surveyed{widths: map[int]bool{}}
	for i, name := range names {
		s.columns = append(s.columns, newColumn(i, name, own...))
	}
	var pending []sheet.Row
	for row, err := range t.Rows() {
		if err != nil {
			return nil, err
		}
		if row.Line <= last || firstText(row) == "" {
			continue
		}
		if row.Hidden {
			s.hidden++
		}
		begin := firstText(row)
		if len(names) > 2 && len(pending) < 1000 &&
			(countFilled(row) == 1 && !namesArea(begin) || isNote.MatchString(begin)) {
			row.Cells = slices.Clone(row.Cells)
			for i := range row.Cells {
				row.Cells[i].Text = strings.Clone(row.Cells[i].Text)
			}
			pending = append(pending, row)
			continue
		}
		_, whole := repeatsHeader(row, heading)
		for _, p := range pending {
			switch {
			case p.Sheet != row.Sheet: // its notes
				s.notes = append(s.notes, firstText(p))
			case whole && p.Line == row.Line-1:
				s.titled.setOnce(firstText(p), p.Line)
			default:
				s.labels = append(s.labels, s.rowTitle(p))
			}
		}
		pending = pending[:0]
		s.addRow(t, row, heading)
	}
	for i, p := range pending {
		if i == 0 {
			s.end, s.endSheet = p.Line, p.Sheet
		}
		s.notes = append(s.notes, firstText(p))
	}
	return s, nil
}

// rowTitle returns the only text of a row, with the name of its column.
func (s *surveyed) rowTitle(row sheet.Row) Example {
	text := firstText(row)
	i := slices.IndexFunc(row.Cells, func(c sheet.Cell) bool { return trimSpace(c.Text) == text })
	return Example{Line: row.Line, Text: text, Result: s.columns[min(i, len(s.columns)-1)].name}
}

func (s *surveyed) addRow(t *sheet.Table, row sheet.Row, heading []headRow) {
	if again, whole := repeatsHeader(row, heading); again {
		if s.again = append(s.again, row.Line); !whole {
			words := slices.DeleteFunc(cellTexts(row), func(t string) bool { return t == "" })
			s.other.setOnce(strings.Join(words, ", "), row.Line)
		}
		return
	}
	s.rows++
	s.widths[len(row.Cells)] = true
	switch wide := len(row.Cells); {
	case wide > len(s.columns) && s.long.Line == 0:
		s.long.setOnce(strings.Join(cellTexts(row), ", "), row.Line)
	case wide < len(s.columns) && s.short.Line == 0 && t.Format == "csv":
		s.short.setOnce(strings.Join(cellTexts(row), ", "), row.Line)
	}
	for i, c := range s.columns {
		c.addCell(row.At(i), row.Line)
		if trimSpace(row.At(i).Text) == "" && !totals.MatchString(firstText(row)) {
			if c.gap == 0 && c.filled > 0 {
				c.gap = row.Line
			}
		}
	}
}
