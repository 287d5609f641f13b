package figures

import (
	"math"
	"slices"
	"strconv"

	"stele/record"
)

// scale maps values to positions on an axis.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // positions of the ends
}

func (s scale) at(v float64) float64 {
	if s.high == s.low {
		return (s.from + s.to) / 2
	}
	return s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from)
}

// roundTicks returns round numbers, about five steps apart, that cover values from low to high.
func roundTicks(low, high float64) (ticks []float64) {
	if low == high {
		high = low + 1
	}
	step := niceStep((high - low) / 5)
	last := math.Ceil(high/step - 1e-9)
	for n := math.Floor(low/step + 1e-9); n <= last && len(ticks) < 12; n++ {
		ticks = append(ticks, n*step)
	}
	return ticks
}

// niceStep returns the smallest of 1, 2, 5, 10, 20, … that is not below raw.
func niceStep(raw float64) float64 {
	if raw <= 0 || math.IsInf(raw, 0) || math.IsNaN(raw) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// yearTicks returns at most most round years from low to high.
func yearTicks(low, high float64, most int) []float64 {
	step := math.Max(1, niceStep((high-low)/float64(most)))
	var ticks []float64
	for y := math.Ceil(low/step) * step; y <= high+1e-9 && len(ticks) <= 2*most+2; y += step {
		ticks = append(ticks, y)
	}
	if len(ticks) == 0 {
		ticks = append(ticks, math.Floor(low))
	}
	return ticks
}

// mapClasses returns the limits between the colours of a map, with about as many values of
// countries between them, and its ends. If values are on both sides of zero, zero is a limit. The
// ends are the smallest and the largest possible value, or are rounded outwards.
func mapClasses(list []*series, m *record.Measure) (limits []float64) {
	var values []float64
	for s, o := range each(list) {
		if s.rank() == 2 && o.isDrawable() {
			values = append(values, o.value())
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	low, high := values[0], values[len(values)-1]
	parts, count := [][]float64{values}, 7
	if zero, _ := slices.BinarySearch(values, 0); low < 0 && high > 0 {
		parts, count, limits = [][]float64{values[:zero], values[zero:]}, 4, []float64{0}
	}
	for _, part := range parts {
		for n := 1; n < count; n++ {
			limits = append(limits, toDigits(part[n*len(part)/count], 2))
		}
	}
	limits = slices.DeleteFunc(limits, func(v float64) bool { return v <= low || v >= high })
	slices.Sort(limits)
	end := func(possible record.Number, v float64, round func(float64) float64) float64 {
		step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
		if rounded := toDigits(round(toDigits(v/step, 12))*step, 12); v != 0 && !math.IsInf(rounded, 0) {
			v = rounded
		}
		if known := possible.Float(); !math.IsNaN(known) {
			return known
		}
		return v
	}
	limits = append([]float64{end(m.Min, low, math.Floor)}, slices.Compact(limits)...)
	return append(limits, end(m.Max, high, math.Ceil))
}

// toDigits rounds v to the given number of significant digits.
func toDigits(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return rounded
}
