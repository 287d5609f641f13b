package tables

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/sheet"
)

// value is the content of a cell with a figure.
type value struct {
	number, lower, upper string            // as a JSON number
	bound                string            // the member for the number, unless it is a value
	set                  map[string]string // meanings of its marks
}

// interval matches a value with its interval in brackets.
var interval = regexp.MustCompile(`^(.+?)\s*[(\[]\s*(.+?)\s*(?:[-–—‒−]|to|;|,\s)\s*(.+?)\s*[)\]]$`)

// splitInterval returns the numbers of a text: the value, and the ends of its interval if it has
// one.
func splitInterval(text string) []string {
	if len(text) <= 4*maxFigure && (strings.IndexByte(text, '(') > 0 || strings.IndexByte(text, '[') > 0) {
		if m := interval.FindStringSubmatch(text); m != nil && strings.ContainsAny(m[1], "0123456789") {
			return m[1:]
		}
	}
	return []string{text}
}

// parseCell reads a cell; ok is false if it contains no value.
func (l *Layout) parseCell(c sheet.Cell) (v value, ok bool, err error) {
	text := trimSpace(c.Text)
	switch {
	case text == "" || slices.Contains(l.Missing, text):
		return value{}, false, nil
	case c.Merged:
		return value{}, false, say("fault merged", cutText(text))
	case c.Kind == sheet.Fault && l.Marks[text] == nil:
		return value{}, false, faultyCellError(text)
	case c.Kind == sheet.Date:
		return value{}, false, say("fault date", text)
	case len(text) > 4*maxFigure:
		return value{}, false, fmt.Errorf("the cell has %d characters, too many for a number", len(text))
	case c.Kind == sheet.Number:
		number, ok := numberings[0].parse(text)
		if !ok {
			return value{}, false, errors.New("malformed number in the workbook")
		}
		if l.fraction && !c.Percent {
			if hundredfold, err := multiplyBy100(number); err == nil {
				number = hundredfold
			}
		}
		return value{number: number}, true, nil
	}
	if text, v.set = l.removeMarks(l.removeBrackets(text)); text == "" {
		return v, false, nil
	}
	for sign, member := range map[string]string{"<": "less_than", ">": "greater_than"} {
		if number, found := strings.CutPrefix(text, sign); found {
			v.bound = member
			v.number, err = l.parseNumber(number)
			return v, err == nil, err
		}
	}
	to := []*string{&v.number, &v.lower, &v.upper}
	for i, part := range splitInterval(text) {
		if *to[i], err = l.parseNumber(part); err != nil {
			return value{}, false, err
		}
	}
	return v, true, nil
}

func faultyCellError(text string) error {
	return say("fault workbook", text)
}

// parseWholeCell reads a cell that contains only a number. It returns "" for an empty cell.
func (l *Layout) parseWholeCell(c sheet.Cell) (string, error) {
	v, _, err := l.parseCell(c)
	if err == nil && (v.lower != "" || v.bound != "" || len(v.set) > 0) {
		err = l.misreadError(c.Text)
	}
	return v.number, err
}

func trimSpace(text string) string {
	if n := len(text); n > 0 && text[0] > ' ' && text[0] < 0x7f && text[n-1] > ' ' && text[n-1] < 0x7f {
		return text
	}
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}

// parseNumber reads text with the column's reading.
func (l *Layout) parseNumber(text string) (string, error) {
	number, percent := strings.CutSuffix(trimSpace(text), "%")
	read, ok := l.numbers.parse(trimSpace(number))
	if !ok {
		return "", l.misreadError(text)
	}
	if percent || !l.fraction {
		return read, nil
	}
	return multiplyBy100(read)
}

var (
	boundSigns = regexp.MustCompile(`^[≤≥]`)
	marked     = regexp.MustCompile(`^-?[\d.,]+\s*([^\d\s.,]+)$`)
)

// misreadError returns an error for a text that is not a number, with suggestions for the map.
func (l *Layout) misreadError(text string) error {
	cut := cutText(text)
	switch m := marked.FindStringSubmatch(text); {
	case strings.IndexFunc(text, unicode.IsDigit) < 0:
		return say("fault text", cut)
	case m != nil:
		return say("fault mark", cut, m[1])
	case boundSigns.MatchString(text):
		return say("fault bound", cut)
	}
	return say("fault number", cut, l.numbers.name)
}
