package record

import (
	"math/big"
	"strconv"
	"strings"
)

// Corresponding returns the number of people out of r.Per who have the outcome with the
// intervention, and the limits of its interval. It computes them from the assumed risk and the
// effect alone. Each is nil if it cannot be computed: for measures that give no risk, and for an
// assumed risk of 0. All numbers are exact.
func (x *EffectSize) Corresponding(r Risk) (value, lower, upper *big.Rat) {
	measure := x.Code()
	compute := func(effect Number) *big.Rat {
		a, ok := parsePrinted(string(r.Assumed))
		e, also := parsePrinted(string(effect))
		tooMany := ok && measure != MeasureRateRatio && a.Cmp(big.NewRat(r.Per, 1)) > 0
		if !ok || !also || !measure.givesRisk() || tooMany || a.Sign() <= 0 || e.Sign() < 0 || r.Per < 1 {
			return nil
		}
		c, all := correspondingRisk(measure, a, e, r.Per), big.NewRat(r.Per, 1)
		if measure != MeasureRateRatio && c.Cmp(all) > 0 {
			return all
		}
		return c
	}
	return compute(x.Value), compute(x.Lower), compute(x.Upper)
}

// givesRisk reports whether corresponding risks can be computed from effects with this measure.
func (m MeasureCode) givesRisk() bool {
	return m == MeasureRR || m == MeasureHR || m == MeasureRateRatio || m == MeasureOR
}

// correspondingRisk returns the number of people out of per who have the outcome with the
// intervention, if assumed of them have it without.
func correspondingRisk(measure MeasureCode, assumed, effect *big.Rat, per int64) *big.Rat {
	c := new(big.Rat).Mul(assumed, effect)
	if measure != MeasureOR {
		return c
	}
	// p·OR / (1 − p + p·OR) of per, where p is assumed of per
	all := new(big.Rat).SetInt64(per)
	rest := new(big.Rat).Sub(all, assumed)
	if rest.Add(rest, c).Sign() == 0 {
		return c
	}
	return c.Mul(c, all).Quo(c, rest)
}

// riskBounds returns the range of the corresponding risk, if assumed and effect were rounded to the
// digits that are printed.
func riskBounds(measure MeasureCode, assumed, effect string, per int64) (low, high *big.Rat, ok bool) {
	a, ok := parsePrinted(assumed)
	e, also := parsePrinted(effect)
	if !ok || !also || !measure.givesRisk() || e.Sign() < 0 || per < 1 {
		return nil, nil, false
	}
	all := big.NewRat(per, 1)
	leastAssumed, mostAssumed := roundingRange(a, assumed)
	leastEffect, mostEffect := roundingRange(e, effect)
	if measure == MeasureOR && mostAssumed.Cmp(all) > 0 {
		mostAssumed = all
	}
	low = correspondingRisk(measure, leastAssumed, leastEffect, per)
	high = correspondingRisk(measure, mostAssumed, mostEffect, per)
	if measure != MeasureRateRatio && high.Cmp(all) > 0 && low.Cmp(all) > 0 {
		low = all // tables print no more people than there are
	}
	return low, high, true
}

// canRoundTo reports whether a number from low to high can be rounded to printed.
func canRoundTo(printed string, low, high *big.Rat) bool {
	p, ok := parsePrinted(printed)
	if !ok {
		return false
	}
	least, most := roundingRange(p, printed)
	return least.Cmp(high) <= 0 && low.Cmp(most) <= 0
}

// roundingRange returns n minus and plus half a unit of the last printed digit. Neither is below 0.
func roundingRange(n *big.Rat, printed string) (least, most *big.Rat) {
	half := big.NewRat(1, 2)
	for range decimalsOf(printed) {
		half.Quo(half, big.NewRat(10, 1))
	}
	least, most = new(big.Rat).Sub(n, half), new(big.Rat).Add(n, half)
	if least.Sign() < 0 {
		least.SetInt64(0)
	}
	return least, most
}

// decimalsOf returns the number of digits after the decimal point.
func decimalsOf(printed string) int {
	digits, exponent, _ := strings.Cut(strings.ToLower(printed), "e")
	_, fraction, _ := strings.Cut(digits, ".")
	n, _ := strconv.Atoi(exponent)
	return max(0, len(fraction)-n)
}

// parsePrinted returns a printed number. It refuses fractions, other bases and exponents of more
// than three digits, which would need much memory.
func parsePrinted(printed string) (*big.Rat, bool) {
	_, exponent, _ := strings.Cut(strings.ToLower(printed), "e")
	digits := strings.Trim(printed, "0123456789.eE+-") == ""
	if !digits || len(printed) > 64 || len(strings.TrimLeft(exponent, "+-")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(printed)
}
