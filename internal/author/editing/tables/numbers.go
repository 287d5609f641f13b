package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// numbering is a reading of figures. Its name is an example figure in its format.
type numbering struct {
	name           string
	decimal, group string
	pairs          bool // groups of two digits before the last group of three, as in India
}

// numberings lists the readings in order of preference, if several give the same results.
var numberings = []numbering{
	{"1234.5", ".", "", false},
	{"1234,5", ",", "", false},
	{"1,234.5", ".", ",", false},
	{"1.234,5", ",", ".", false},
	{"1 234.5", ".", " ", false},
	{"1 234,5", ",", " ", false},
	{"1'234.5", ".", "'", false},
	{"1'234,5", ",", "'", false},
	{"12,34,567.8", ".", ",", true},
}

// asFraction ends the name of a reading of fractions of one: 0.95 is 95 per cent.
const asFraction = " as a fraction"

// findNumbering returns the reading of figures called name.
func findNumbering(name string) (n *numbering, fraction, ok bool) {
	name, fraction = strings.CutSuffix(name, asFraction)
	i := slices.IndexFunc(numberings, func(n numbering) bool { return n.name == name })
	if i < 0 {
		return nil, false, false
	}
	return &numberings[i], fraction, true
}

func numberingNames() (names []string) {
	for _, n := range numberings {
		names = append(names, n.name)
	}
	return names
}

// maxFigure is the maximum number of characters of a figure.
const maxFigure = 100

// signs replaces variants of the signs in a number.
var signs = strings.NewReplacer("−", "-", "‒", "-", "–", "-", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'", "٫", ".", "٬", ",",
	"٠", "0", "١", "1", "٢", "2", "٣", "3", "٤", "4", "٥", "5", "٦", "6", "٧", "7", "٨", "8", "٩", "9",
	"۰", "0", "۱", "1", "۲", "2", "۳", "3", "۴", "4", "۵", "5", "۶", "6", "۷", "7", "۸", "8", "۹", "9",
	"０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")

// toASCII returns the text with the digits, signs and spaces of a number or period in ASCII.
func toASCII(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > 127 }) >= 0 {
		text = signs.Replace(text)
	}
	return text
}

// parse reads all of text as a number, and returns it in JSON syntax. Digits stay as they are,
// because no binary numbers are used.
func (n *numbering) parse(text string) (string, bool) {
	if text == "" || len(text) > maxFigure {
		return "", false
	}
	text = toASCII(text)
	minus := text[0] == '-'
	if minus || text[0] == '+' {
		text = text[1:]
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i > 0 {
		mantissa, exponent = text[:i], text[i:]
		digits := strings.TrimLeft(exponent[1:], "+-")
		if digits == "" || len(digits) > 3 || len(exponent)-len(digits) > 2 || !isDigits(digits) {
			return "", false
		}
	}
	whole, fraction, point := strings.Cut(mantissa, n.decimal)
	if !point || isDigits(fraction) {
		whole, ok := n.parseWhole(whole)
		if !ok || whole == "" && fraction == "" {
			return "", false
		}
		if whole == "" {
			whole = "0"
		}
		if fraction != "" {
			whole += "." + fraction
		}
		if minus && strings.Trim(whole, "0.") != "" {
			whole = "-" + whole
		}
		return whole + exponent, true
	}
	return "", false
}

// parseWhole reads the digits before the decimal mark. It rejects a number with leading zeros,
// which may be a code.
func (n *numbering) parseWhole(text string) (string, bool) {
	if isDigits(text) {
		return text, len(text) < 2 || text[0] != '0'
	}
	if n.group == "" || !strings.Contains(text, n.group) {
		return "", text == ""
	}
	groups := strings.Split(text, n.group)
	for i, g := range groups {
		size := 3
		if n.pairs && i < len(groups)-1 {
			size = 2
		}
		switch {
		case !isDigits(g), i == 0 && (len(g) > size || g[0] == '0'), i > 0 && len(g) != size:
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// isDigits reports whether a text is not empty and contains only ASCII digits.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// multiplyBy100 moves the decimal point of a JSON number two digits to the right.
func multiplyBy100(number string) (string, error) {
	if strings.ContainsAny(number, "eE") {
		return "", fmt.Errorf("%q has an exponent: write the number without it", number)
	}
	minus := strings.HasPrefix(number, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	padded := fraction + "00"
	whole = strings.TrimLeft(whole+padded[:2], "0")
	if fraction = ""; len(padded) > 4 {
		fraction = padded[2 : len(padded)-2]
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if minus {
		whole = "-" + whole
	}
	return whole, nil
}

// figures records which readings accept all cells of figures, and in which cells they differ.
type figures struct {
	read      int       // cells with a number
	dead      uint16    // readings that do not accept every cell, as bits
	point     Example   // a cell that only a decimal point allows
	comma     Example   // a cell that only a decimal comma allows
	open      []Example // cells with another value for each
	percent   Example   // a cell formatted as per cent
	plain     Example   // a cell not formatted as per cent, other than zero
	aboveOne  bool      // some figure is greater than one or negative
	fractions []Example // figures between zero and one
	first     []Example // the first figures that only one decimal mark allows, or any
	unread    []Example // texts that no reading accepts
}

// withPoint has the readings with a decimal point, as bits.
const withPoint = 1<<0 | 1<<2 | 1<<4 | 1<<6 | 1<<8

// addText records text, which contains only a number. It reports whether any reading accepts it.
func (f *figures) addText(text string, line int) bool {
	number, percent := strings.CutSuffix(text, "%")
	number = strings.TrimSpace(number)
	if isDigits(number) && len(number) <= maxFigure && (number[0] != '0' || len(number) == 1) {
		f.read++
		f.noteSize(number, text, percent, line)
		return true
	}
	mask, byPoint, byComma := numberReadings(number)
	if mask == 0 {
		return false
	}
	f.read++
	f.dead |= ^mask
	switch {
	case byPoint == "":
		f.comma.setOnce(text, line)
	case byComma == "":
		f.point.setOnce(text, line)
	case byPoint != byComma && len(f.open) < 3:
		f.open = append(f.open, Example{line, strings.Clone(text), byPoint + " or " + byComma})
	}
	f.noteSize(cmp.Or(byPoint, byComma), text, percent, line)
	return true
}

// addTyped records a number that has its type in a workbook or JSON, so that it has one reading.
func (f *figures) addTyped(number string, percent bool, line int) {
	f.read++
	f.noteSize(number, number, percent, line)
}

// numberReadings returns the readings that accept a number, as bits, and its value with a decimal
// point and with a decimal comma.
func numberReadings(number string) (mask uint16, byPoint, byComma string) {
	whole, fraction, _ := strings.Cut(number, ".")
	if isDigits(whole) && isDigits(fraction) && (len(fraction) != 3 || len(whole) > 3 || whole == "0") &&
		len(number) <= maxFigure && (whole[0] != '0' || len(whole) == 1) {
		return withPoint, number, "" // the format of most cells in a large table
	}
	for i := range numberings {
		v, ok := numberings[i].parse(number)
		switch {
		case !ok:
			continue
		case withPoint&(1<<i) != 0:
			byPoint = v
		default:
			byComma = v
		}
		mask |= 1 << i
	}
	return mask, byPoint, byComma
}

// noteSize records whether a figure is a fraction of one, and whether it is formatted as per cent.
func (f *figures) noteSize(number, text string, percent bool, line int) {
	zero := strings.Trim(number, "0.-") == ""
	switch {
	case percent:
		f.percent.setOnce(text, line)
	case !zero:
		f.plain.setOnce(text, line)
	}
	whole, fraction, _ := strings.Cut(number, ".")
	one := whole == "1" && strings.Trim(fraction, "0") == ""
	switch {
	case !one && whole != "0":
		f.aboveOne = true
	case !zero && len(f.fractions) < 3 && !f.aboveOne:
		f.fractions = append(f.fractions, Example{line, strings.Clone(text), number})
	}
	if len(f.first) < 3 {
		f.first = append(f.first, Example{line, strings.Clone(text), number})
	}
}

// merge adds the records in o, of another column of the same series.
func (f *figures) merge(o *figures) {
	f.dead |= o.dead
	f.point, f.comma = cmp.Or(f.point, o.point), cmp.Or(f.comma, o.comma)
	f.percent, f.plain = cmp.Or(f.percent, o.percent), cmp.Or(f.plain, o.plain)
	f.read, f.aboveOne = f.read+o.read, f.aboveOne || o.aboveOne
	for to, more := range map[*[]Example][]Example{&f.open: o.open, &f.fractions: o.fractions, &f.first: o.first} {
		*to = append(*to, more[:min(len(more), max(0, 3-len(*to)))]...)
	}
	f.unread = append(f.unread, o.unread...)
}

// possibleReadings returns the readings that accept every cell and have the given marks. An empty
// mark allows any.
func (f *figures) possibleReadings(decimal, group string) (left []*numbering) {
	for i := range numberings {
		n := &numberings[i]
		if f.dead&(1<<i) == 0 && (decimal == "" || n.decimal == decimal) && (group == "" || n.group == group) {
			left = append(left, n)
		}
	}
	return left
}

// isAmbiguous reports whether some readings give different figures from the first.
func (f *figures) isAmbiguous(left []*numbering) bool {
	return len(f.open) > 0 && slices.ContainsFunc(left, func(n *numbering) bool { return n.decimal != left[0].decimal })
}

// mixed returns the phrase which says that no reading accepts all figures.
func (f *figures) mixed() Phrase {
	return say("figures mixed", f.point.Line, cmp.Or(f.point.Text, "others"), f.comma.Line, cmp.Or(f.comma.Text, "others"))
}

// decidingCell returns the cell that shows that decimal is the decimal mark.
func (f *figures) decidingCell(decimal string) Example {
	return map[string]Example{".": f.point, ",": f.comma}[decimal]
}
