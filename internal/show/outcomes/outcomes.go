// Package outcomes computes the figures of an absolute effect for a table of findings.
package outcomes

import (
	"math/big"
	"strconv"
	"strings"

	"stele/record"
)

// Absolute is an absolute effect for one assumed risk. Figures are decimal numbers, or "" if
// unknown.
type Absolute struct {
	// Risk is the risk as printed. If the source prints no corresponding risk, it is computed, and
	// Computed is true.
	record.Risk
	Computed bool
	// Difference is the corresponding minus the assumed risk of Unit people: of 1,000, or of
	// Risk.Per if that is more. It is computed from the effect before rounding, or from the printed
	// risks if the effect gives none. From and To are its limits.
	Difference, From, To string
	Unit                 int64
	// Without and With are how many of 1,000 people have the outcome. Both are 0 if the effect is
	// not one on people, or smaller than one person.
	Without, With int
}

// Of returns the absolute effect of x, given the assumed risk r.
func Of(x *record.EffectSize, r record.Risk) Absolute {
	a := Absolute{Risk: r, Unit: max(1000, r.Per)}
	value, lower, upper := x.Corresponding(r)
	switch printed := r.Corresponding + r.Lower + r.Upper; {
	case value == nil:
		value, lower, upper = parseFigure(r.Corresponding), parseFigure(r.Lower), parseFigure(r.Upper)
	case printed == "":
		digits := decimals(r.Assumed)
		a.Computed = true
		a.Risk.Corresponding = round(value, digits)
		a.Risk.Lower, a.Risk.Upper = round(lower, digits), round(upper, digits)
	}
	assumed := parseFigure(r.Assumed)
	if assumed == nil || assumed.Sign() == 0 || value == nil || r.Per < 1 {
		return a // "0 without" was rounded, so no difference follows
	}
	digits := 0
	if a.Unit == r.Per {
		digits = decimals(r.Assumed)
	}
	less := func(n *big.Rat) *big.Rat {
		if n == nil {
			return nil
		}
		return scale(new(big.Rat).Sub(n, assumed), a.Unit, r.Per)
	}
	a.Difference = string(round(less(value), digits))
	a.From, a.To = string(round(less(lower), digits)), string(round(less(upper), digits))
	people := scale(new(big.Rat).Sub(value, assumed), 1000, r.Per)
	if one := big.NewRat(1, 1); x.Code() != record.MeasureRateRatio && people.Abs(people).Cmp(one) >= 0 {
		a.Without, a.With = countOf1000(assumed, r.Per), countOf1000(value, r.Per)
	}
	return a
}

// Fewer reports whether difference is a negative number, and returns it without its sign.
func Fewer(difference string) (number string, fewer bool) {
	number, fewer = strings.CutPrefix(difference, "-")
	return number, fewer && strings.Trim(number, "0.") != ""
}

// countOf1000 returns the whole number out of 1,000 that equals n out of per people.
func countOf1000(n *big.Rat, per int64) int {
	count, _ := strconv.Atoi(string(round(scale(new(big.Rat).Set(n), 1000, per), 0)))
	return min(count, 1000)
}

func scale(n *big.Rat, unit, per int64) *big.Rat { return n.Mul(n, big.NewRat(unit, per)) }

func parseFigure(f record.Figure) *big.Rat {
	if n, ok := new(big.Rat).SetString(string(f)); ok && len(f) < 32 {
		return n
	}
	return nil
}

func decimals(f record.Figure) int {
	_, fraction, _ := strings.Cut(string(f), ".")
	return len(fraction)
}

func round(n *big.Rat, digits int) record.Figure {
	if n == nil {
		return ""
	}
	return record.Figure(n.FloatString(digits))
}
