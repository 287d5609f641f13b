package sheet

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// numberFormat is how a spreadsheet shows a number.
type numberFormat int

const (
	general numberFormat = iota
	percent              // 0.95 is shown as 95%
	day                  // a number of days is shown as a day,
	month                // as a month,
	year                 // or as a year
)

// epoch is the day from which a workbook counts.
type epoch int

const (
	epoch1900 epoch = iota
	epoch1904
)

// formatOf knows a format by its number, as ECMA-376 lists them, or by its code.
func formatOf(id, code string) numberFormat {
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

// plainFormat is the first section of a format without what is quoted or in brackets, in lower
// case.
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

// numberCell is a number of a spreadsheet as its readers see it: with at most fifteen digits, as a
// per cent where it is shown so, as a date where it counts days.
func numberCell(value string, format numberFormat, from epoch) (Cell, error) {
	switch format {
	case day, month, year:
		return dateCell(value, format, from)
	case percent:
		digits, err := plainNumber(value, 2)
		return Cell{digits, Number}, err
	}
	digits, err := plainNumber(value, 0)
	return Cell{digits, Number}, err
}

// significant is how many digits a spreadsheet keeps of a number; more are noise of its binary
// form, such as 0.30000000000000004.
const significant = 15

// plainNumber writes a number out, without an exponent, multiplied by a power of ten. It goes
// through no binary number.
func plainNumber(value string, shift int) (string, error) {
	bad := fmt.Errorf("%q is no number", value)
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
	point := len(whole) + exponent + shift // where the point stands in digits
	digits, point = rounded(digits, point)
	for point <= 0 {
		digits, point = "0"+digits, point+1
	}
	for len(digits) < point {
		digits += "0"
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), digits[point:]
	if strings.ContainsAny(value, "eE") || shift != 0 || len(significantDigits(digits)) >= significant {
		fraction = strings.TrimRight(fraction, "0")
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
	return whole, nil
}

func significantDigits(digits string) string { return strings.Trim(digits, "0") }

// rounded keeps the significant digits.
func rounded(digits string, point int) (string, int) {
	lead := len(digits) - len(strings.TrimLeft(digits, "0"))
	if len(digits)-lead <= significant {
		return digits, point
	}
	keep := lead + significant
	n, _ := new(big.Int).SetString(digits[:keep], 10)
	if digits[keep] >= '5' {
		n.Add(n, big.NewInt(1))
	}
	s := n.String()
	for len(s) < keep {
		s = "0" + s
	}
	return s, point + len(s) - keep
}

// dateCell is the date of a number of days. The day that Excel counts in 1900 and that was not,
// 29 February, is refused.
func dateCell(value string, format numberFormat, from epoch) (Cell, error) {
	whole, fraction, _ := strings.Cut(value, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 0 || n > 2_958_465 {
		return Cell{}, fmt.Errorf("%q is no number of days", value)
	}
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from == epoch1904:
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n == 60 || n == 0:
		return Cell{}, fmt.Errorf("%q is a day that there was not", value)
	case n < 60:
		n++
	}
	date := begin.AddDate(0, 0, n)
	switch format {
	case month:
		return Cell{date.Format("2006-01"), Date}, nil
	case year:
		return Cell{date.Format("2006"), Date}, nil
	}
	if strings.Trim(fraction, "0") != "" {
		return Cell{}, fmt.Errorf("%q is a time of day, where a date is wanted", value)
	}
	return Cell{date.Format(time.DateOnly), Date}, nil
}
