package figures

import "math"

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
