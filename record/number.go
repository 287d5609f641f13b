package record

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Number is a decimal number in the digits of its author: 0.050 stays 0.050. It is a JSON number
// that a 64-bit float can stand for, and at most 64 characters long.
type Number string

const maxNumber = 64

// MarshalJSON writes the number as it is, and null for none.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

// UnmarshalJSON keeps the digits of a number. Null leaves n as it is.
func (n *Number) UnmarshalJSON(data []byte) error {
	s := string(data)
	if s == "null" {
		return nil
	}
	if message, _ := numberProblem(s); message != "" {
		return errors.New("record: " + message)
	}
	*n = Number(s)
	return nil
}

// Float returns the number as a float, rounded where it has to be.
func (n Number) Float() float64 {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// Compare orders numbers by value, exactly.
func (n Number) Compare(m Number) int {
	a, b := n.Float(), m.Float()
	if a != b || n == m {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	x, ok1 := new(big.Rat).SetString(string(n))
	y, ok2 := new(big.Rat).SetString(string(m))
	if !ok1 || !ok2 {
		return 0
	}
	return x.Cmp(y)
}

// isNumber reports whether s is a number in JSON's grammar.
func isNumber(s string) bool { return s != "" && numberLen(s) == len(s) }

// numberLen returns how long the number at the beginning of a text is, in JSON's grammar; 0 if
// there is none.
func numberLen(s string) int {
	n := 0
	if strings.HasPrefix(s, "-") {
		n++
	}
	whole := leadingDigits(s[n:])
	if whole == 0 {
		return 0
	}
	if s[n] == '0' { // stands alone
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

// numberProblem says what is wrong with a number and what could stand instead; both empty if
// nothing is.
func numberProblem(s string) (message, fix string) {
	if !isNumber(s) {
		return quote(s) + " is not a number", numberFix(s)
	}
	if len(s) > maxNumber {
		return "the number has " + itoa(int64(len(s))) + " characters; at most 64 are allowed", ""
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f == 0 && strings.ContainsAny(mantissa(s), "123456789") {
		return shorten(s) + " is larger or smaller than any number that programs can read", ""
	}
	return "", ""
}

func mantissa(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "-.0123456789"))] }

// numberFix proposes the number that was meant, where there is one reading only.
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
	if t = strings.TrimSuffix(t, "."); t != s && isNumber(t) {
		if message, _ := numberProblem(t); message == "" {
			return "write " + t
		}
	}
	return "write digits, with a point for decimals: 1234.5"
}
