package tables

import (
	"fmt"
	"regexp"
	"strings"

	"stele/internal/base/sheet"
)

// reading is what the cells of a column allow: which mark is the decimal one, and whether they are
// per cent. No cell decides for another column, and where both marks fit every cell, nobody does.
type reading struct {
	point, comma bool   // some cell can be read only so
	open         string // a cell that both can be the decimal mark of, with another value each
	openLine     int
	percent      string // a cell that is shown as per cent, and one that is not, without a zero
	plain        string
	plainLine    int
}

// numerals are numbers as people write them, by their decimal mark. A group of thousands begins
// with another digit than 0.
var numerals = map[string]*regexp.Regexp{
	".": regexp.MustCompile(`^[-+]?(\d+|[1-9]\d{0,2}([,' ]\d{3})+)?(\.\d*)?([eE][-+]?\d+)?$`),
	",": regexp.MustCompile(`^[-+]?(\d+|[1-9]\d{0,2}([.' ]\d{3})+)?(,\d*)?([eE][-+]?\d+)?$`),
}

// look notes what a cell allows.
func (r *reading) look(l *Layout, c sheet.Cell, line int) {
	texts := []string{trim(c.Text)}
	if c.Kind == sheet.Text {
		texts[0], _ = l.unmark(texts[0])
		texts[0] = strings.TrimLeft(texts[0], "<>≤≥ ")
		if parts := interval.FindStringSubmatch(texts[0]); parts != nil {
			texts = parts[1:]
		}
	}
	for _, text := range texts {
		number, percent := strings.CutSuffix(signs.Replace(text), "%")
		number = strings.TrimSpace(number)
		point, comma := numerals["."].MatchString(number), numerals[","].MatchString(number)
		if c.Kind != sheet.Text && c.Kind != sheet.Number || !strings.ContainsAny(number, "0123456789") || !point && !comma {
			continue
		}
		switch {
		case percent || c.Percent:
			r.percent = text
		case r.plain == "" && strings.Trim(number, "0.,") != "":
			r.plain, r.plainLine = text, line
		}
		switch {
		case c.Kind == sheet.Number || !strings.ContainsAny(number, ".,"):
		case point && comma && r.open == "":
			r.open, r.openLine = number, line
		case !comma:
			r.point = true
		case !point:
			r.comma = true
		}
	}
}

// signs are the characters that stand for those of a number.
var signs = strings.NewReplacer("−", "-", "‒", "-", "–", "-", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// decimal is the decimal mark of a column; "" where somebody has to say.
func (r *reading) decimal(l *Layout, by rune) string {
	usual := map[rune]string{',': ".", ';': ","}[by]
	switch {
	case l.Decimal != "":
		return l.Decimal
	case l.Thousands == "," || l.Thousands == ".":
		return map[string]string{",": ".", ".": ","}[l.Thousands]
	case r.point && r.comma && usual != "":
		return usual
	case r.comma:
		return ","
	case r.point || r.open == "":
		return "."
	case usual != "" && strings.Contains(r.open, usual):
		return usual
	}
	return ""
}

// question is what a person has to decide about a column of figures; nil if there is nothing.
func (r *reading) question(l *Layout, by rune) error {
	switch {
	case r.decimal(l, by) == "":
		return fmt.Errorf("%s can be %s or %s, and no other cell of the column shows which: write below table decimal: \".\" and, if there are groups of thousands, thousands: \",\"; or the other way round",
			r.open, strings.Replace(strings.ReplaceAll(r.open, ".", ","), ",", ".", 1), strings.NewReplacer(".", "", ",", "").Replace(r.open))
	case r.percent != "" && r.plain != "":
		return fmt.Errorf("%s is shown as a per cent in this column, and %s is not: give all cells one format in the table", r.percent, r.plain)
	}
	return nil
}
