package record

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"stele/internal/base/schema"
)

// Number is a decimal number in its author's digits: 0.050 stays 0.050. It is a JSON number within
// the range of a 64-bit float, at most 64 characters long.
type Number string

// MarshalJSON returns the number unchanged, or null if it is empty.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

// UnmarshalJSON keeps the digits of a number. Null leaves n unchanged.
func (n *Number) UnmarshalJSON(data []byte) error {
	s := string(data)
	if s == "null" {
		return nil
	}
	if message, _ := schema.NumberProblem(s); message != "" {
		return errors.New("record: " + message)
	}
	*n = Number(s)
	return nil
}

// Float returns the number as a float, rounded if necessary.
func (n Number) Float() float64 {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// Compare compares numbers by value, exactly.
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
