package tables

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/sheet"
)

// value is what a cell with a figure says.
type value struct {
	number, lower, upper string            // as JSON writes numbers
	bound                string            // the member that the number is for where it is no value
	set                  map[string]string // what its marks mean
}

// An interval stands in brackets after its value, with one of these between its ends.
var interval = regexp.MustCompile(`^(.+?)\s*[(\[]\s*(.+?)\s*(?:[-–—‒−]|to|;|,\s)\s*(.+?)\s*[)\]]$`)

// value reads a cell; ok is false where there is none.
func (l *Layout) value(c sheet.Cell) (v value, ok bool, err error) {
	text := trim(c.Text)
	switch {
	case text == "" || slices.Contains(l.Missing, text):
		return value{}, false, nil
	case c.Kind == sheet.Fault:
		return value{}, false, faulty(text)
	case c.Kind == sheet.Date:
		return value{}, false, fmt.Errorf("it is a date, %s, where a number is wanted: a spreadsheet may have turned it into one", text)
	case c.Kind == sheet.Number:
		number, err := jsonNumber(text)
		return value{number: number}, true, err
	}
	if text, v.set = l.unmark(text); text == "" {
		return v, false, nil
	}
	for sign, member := range map[string]string{"<": "less_than", ">": "greater_than"} {
		if number, found := strings.CutPrefix(text, sign); found {
			v.bound = member
			v.number, err = l.number(number)
			return v, err == nil, err
		}
	}
	parts := interval.FindStringSubmatch(text)
	if parts == nil {
		parts = []string{"", text, "", ""}
	}
	for i, to := range []*string{&v.number, &v.lower, &v.upper} {
		if parts[i+1] == "" {
			continue
		}
		if *to, err = l.number(parts[i+1]); err != nil {
			return value{}, false, err
		}
	}
	return v, true, nil
}

func faulty(text string) error { return fmt.Errorf("the workbook has %s: mend it there", text) }

// plain reads a cell that has a number and nothing else; empty where there is none.
func (l *Layout) plain(c sheet.Cell) (string, error) {
	v, _, err := l.value(c)
	if err == nil && (v.lower != "" || v.bound != "" || len(v.set) > 0) {
		err = l.misread(c.Text)
	}
	return v.number, err
}

func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}

// unmark takes marks off the end, or what is nothing but a mark. Where two say something of a
// member, the first does.
func (l *Layout) unmark(text string) (string, map[string]string) {
	set := map[string]string{}
	for text != "" {
		longest := ""
		for mark := range l.Marks {
			if strings.HasSuffix(text, mark) && len(mark) > len(longest) {
				longest = mark
			}
		}
		if longest == "" {
			break
		}
		text = trim(strings.TrimSuffix(text, longest))
		maps.Copy(set, l.Marks[longest])
	}
	return text, set
}

// number is a number as people write it, in the digits that they wrote.
func (l *Layout) number(text string) (string, error) {
	digits := signs.Replace(trim(strings.TrimSuffix(trim(text), "%")))
	if l.Thousands != "" {
		whole, rest, _ := strings.Cut(digits, l.Decimal)
		groups := strings.Split(whole, signs.Replace(l.Thousands))
		if len(groups) > 1 && l.Thousands != l.Decimal && grouped(groups) {
			digits = strings.Join(groups, "")
			if rest != "" {
				digits += l.Decimal + rest
			}
		}
	}
	if l.Decimal == "," {
		if strings.Contains(digits, ".") {
			return "", l.misread(text)
		}
		digits = strings.Replace(digits, ",", ".", 1)
	}
	number, err := jsonNumber(digits)
	if err != nil {
		return "", l.misread(text)
	}
	return number, nil
}

// grouped reports whether all groups of digits but the first have three.
func grouped(groups []string) bool {
	for i, g := range groups {
		first := strings.TrimLeft(g, "-+")
		if i == 0 && (first == "" || len(first) > 3 || first[0] == '0') || i > 0 && len(g) != 3 {
			return false
		}
	}
	return true
}

var (
	numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)
	points     = regexp.MustCompile(`^-?\d*\.\d+$`)
	oneComma   = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+$`)
	comma      = regexp.MustCompile(`^-?\d+,\d+$`)
	spaced     = regexp.MustCompile(`^-?\d{1,3}([ '\x{00a0}\x{202f}]\d{3})+`)
	bound      = regexp.MustCompile(`^[≤≥]`)
	marked     = regexp.MustCompile(`^-?[\d.,]+\s*([^\d\s.,]+)$`)
)

// jsonNumber adds what JSON wants to a number: .9 is 0.9, +5 is 5, 007 is refused.
func jsonNumber(text string) (string, error) {
	rest, minus := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	if text = strings.TrimSuffix(rest, "."); strings.HasPrefix(rest, ".") {
		text = "0" + text
	}
	if minus {
		text = "-" + text
	}
	if !numberForm.MatchString(text) {
		return "", fmt.Errorf("%q is not a number", text)
	}
	return text, nil
}

// misread says what a text may be that is not a number, and what to write in the map.
func (l *Layout) misread(text string) error {
	hint := "mend it in the table"
	switch m := marked.FindStringSubmatch(text); {
	case strings.IndexFunc(text, unicode.IsDigit) < 0:
		hint = `if it stands for "no value", add it to missing in table; if it says why, to marks`
	case oneComma.MatchString(text) && l.Decimal != ",":
		hint = `write thousands: "," in table if it means ` + strings.ReplaceAll(text, ",", "") + `, or decimal: "," if the comma is a decimal one`
	case comma.MatchString(text) && l.Decimal != ",":
		hint = `write decimal: "," in table`
	case points.MatchString(text) && l.Decimal == ",":
		hint = `write thousands: "." in table if it means ` + strings.ReplaceAll(text, ".", "") + `, or decimal: "." if the point is a decimal one`
	case spaced.MatchString(text):
		hint = `write thousands: " " in table`
	case bound.MatchString(text):
		hint = fmt.Sprintf("records say less_than and greater_than; write what it means in marks of table, such as %q: {less_than: \"6\"}", text)
	case m != nil:
		hint = fmt.Sprintf("write what %q means in marks of table, such as %q: {obs_status: P}", m[1], m[1])
	}
	return fmt.Errorf("%q is not a number: %s", text, hint)
}
