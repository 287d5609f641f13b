package schema

import (
	"strconv"
	"strings"
)

// maxNumber is the greatest length of a number, in characters.
const maxNumber = 64

// IsNumber reports whether s is a number in JSON's grammar.
func IsNumber(s string) bool { return s != "" && numberLen(s) == len(s) }

// numberLen returns the length of the number in JSON's grammar at the beginning of s, or 0 if s
// does not begin with a number.
func numberLen(s string) int {
	n := 0
	if strings.HasPrefix(s, "-") {
		n++
	}
	whole := leadingDigits(s[n:])
	if whole == 0 {
		return 0
	}
	if s[n] == '0' { // JSON allows no digit after a leading zero
		whole = 1
	}
	n += whole
	if n < len(s) && s[n] == '.' {
		decimals := leadingDigits(s[n+1:])
		if decimals == 0 {
			return 0
		}
		n += 1 + decimals
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		power := leadingDigits(s[n:])
		if power == 0 {
			return 0
		}
		n += power
	}
	return n
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// NumberProblem returns the fault of the number s and the remedy, or two empty texts if s is valid.
func NumberProblem(s string) (message, fix string) {
	if !IsNumber(s) {
		return Quote(s) + " is not a number", numberFix(s)
	}
	if len(s) > maxNumber {
		return "the number has " + strconv.Itoa(len(s)) + " characters; at most 64 are allowed", ""
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f == 0 && strings.ContainsAny(mantissa(s), "123456789") {
		return Shorten(s) + " is out of the range of numbers that programs can read", ""
	}
	return "", ""
}

func mantissa(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "-.0123456789"))] }

// numberFix proposes the number that was probably meant. It returns a general remedy if there are
// several possibilities.
func numberFix(s string) string {
	t := strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\'' || r == '%' {
			return -1
		}
		return r
	}, s), "+")
	if strings.HasPrefix(t, ".") {
		t = "0" + t
	}
	if t = strings.TrimSuffix(t, "."); t != s && IsNumber(t) {
		if message, _ := NumberProblem(t); message == "" {
			return "write " + t
		}
	}
	return "write digits, with a point for decimals: 1234.5"
}
