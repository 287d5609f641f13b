package sheet

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// numberFormat is the way in which a spreadsheet shows a number.
type numberFormat int

const (
	general numberFormat = iota
	percent              // 0.95 is shown as 95%
	day                  // a number of days is shown as a date,
	month                // as a month,
	year                 // or as a year
	masked               // a text is shown instead of some numbers
)

// epoch is the day from which a workbook counts days.
type epoch int

const (
	epoch1900 epoch = iota
	epoch1904
)

// numberFormatOf returns the number format for an ECMA-376 number or a format code.
func numberFormatOf(id, code string) numberFormat {
	if code == "" {
		switch id {
		case "9", "10":
			return percent
		case "14", "15", "16", "22", "27", "28", "29", "30", "31", "36", "50", "51", "52", "53", "54", "57", "58":
			return day
		case "17":
			return month
		}
		return general
	}
	plain := plainFormat(code)
	switch {
	case !strings.ContainsAny(plain, "0#?@ymdhs") && !strings.Contains(plain, "general") && !strings.Contains(code, "[="):
		return masked
	case strings.Contains(plain, "%"):
		return percent
	case !strings.ContainsAny(plain, "yd"):
		return general
	case strings.Contains(plain, "d"):
		return day
	case strings.Contains(plain, "m"):
		return month
	}
	return year
}

// plainFormat returns the first section of the format code in lower case, without quoted text and
// brackets.
func plainFormat(code string) string {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"':
			for i++; i < len(code) && code[i] != '"'; i++ {
			}
		case '[':
			for i++; i < len(code) && code[i] != ']'; i++ {
			}
		case '\\', '_', '*':
			i++
		case ';':
			return strings.ToLower(b.String())
		default:
			b.WriteByte(code[i])
		}
	}
	return strings.ToLower(b.String())
}

// numberCell returns a spreadsheet's number as its readers see it: with at most fifteen digits, as
// a percentage or date if it is shown as one.
func numberCell(value string, format numberFormat, from epoch) Cell {
	shift := 0
	switch format {
	case day, month, year:
		return dateCell(value, format, from)
	case masked:
		return Cell{Text: "a number that its format hides", Kind: Fault}
	case percent:
		shift = 2
	}
	digits, err := plainNumber(value, shift)
	if err != nil {
		return Cell{Text: err.Error(), Kind: Fault}
	}
	return Cell{Text: digits, Kind: Number, Percent: format == percent}
}

// significant is the number of digits that a spreadsheet keeps. Further digits are binary rounding
// errors, as in 0.30000000000000004.
const significant = 15

// plainNumber returns value without an exponent, multiplied by 10 to the power of shift. It
// calculates in decimal.
func plainNumber(value string, shift int) (string, error) {
	bad := fmt.Errorf("%.40q, which is not a number", value)
	mantissa, exponent := strings.ToLower(value), 0
	if m, e, found := strings.Cut(mantissa, "e"); found {
		n, err := strconv.Atoi(e)
		if err != nil || n > 400 || n < -400 {
			return "", bad
		}
		mantissa, exponent = m, n
	}
	minus := strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	digits := whole + fraction
	if digits == "" || len(digits) > 400 || strings.Trim(digits, "0123456789") != "" {
		return "", bad
	}
	point := len(whole) + exponent + shift // position of the decimal point in digits
	noise := len(strings.TrimLeft(digits, "0")) >= significant
	digits, point = roundDigits(digits, point)
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	digits += strings.Repeat("0", max(point-len(digits), 0))
	whole, fraction = cmp.Or(strings.TrimLeft(digits[:point], "0"), "0"), digits[point:]
	if strings.ContainsAny(value, "eE") || shift != 0 || noise {
		fraction = strings.TrimRight(fraction, "0")
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if minus && strings.Trim(whole, "0.") != "" {
		whole = "-" + whole
	}
	return whole, nil
}

func roundDigits(digits string, point int) (string, int) {
	lead := len(digits) - len(strings.TrimLeft(digits, "0"))
	if len(digits)-lead <= significant {
		return digits, point
	}
	keep := lead + significant
	n, _ := new(big.Int).SetString(digits[:keep], 10)
	if digits[keep] >= '5' {
		n.Add(n, big.NewInt(1))
	}
	s := fmt.Sprintf("%0*d", keep, n)
	return s, point + len(s) - keep
}

// dateCell returns the date value days after from. A value that is not a valid day is a Fault: a
// time of day, the 0 that is shown as 1/0/1900, and 29 February 1900, which exists only in Excel.
func dateCell(value string, format numberFormat, from epoch) Cell {
	whole, fraction, _ := strings.Cut(value, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 0 || n > 2_958_465 {
		return Cell{Text: fmt.Sprintf("%.40q, which is not a number of days", value), Kind: Fault}
	}
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from == epoch1904:
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n == 60 || n == 0:
		return Cell{Text: fmt.Sprintf("%.40q, shown as a day that never existed", value), Kind: Fault}
	case n < 60:
		n++
	}
	date := begin.AddDate(0, 0, n)
	form := time.DateOnly
	switch {
	case format == month:
		form = "2006-01"
	case format == year:
		form = "2006"
	case strings.Trim(fraction, "0") != "":
		return Cell{Text: date.Format(time.DateOnly) + " with a time of day", Kind: Fault}
	}
	return Cell{Text: date.Format(form), Kind: Date}
}
