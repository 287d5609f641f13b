package records

import (
	"math"
	"testing"
)

func TestIntervalScale(t *testing.T) {
	s, ok := newIntervalScale(0.05, 0.02, 0.13, true)
	if !ok || !s.log || s.at(1) <= s.at(0.13) ||
		math.Abs((s.at(0.13)-s.at(0.05))/(s.at(0.05)-s.at(0.02))-math.Log(0.13/0.05)/math.Log(0.05/0.02)) > 1e-9 {
		t.Errorf("a ratio: %+v", s)
	}
	if s, ok := newIntervalScale(2, -1, 5, false); !ok || s.log || s.at(0) <= s.at(-1) || s.at(0) >= s.at(2) {
		t.Errorf("a difference: %+v", s)
	}
	for _, c := range [][3]float64{{1, math.NaN(), 2}, {1, 3, 2}, {0, -math.MaxFloat64, math.MaxFloat64}} {
		if s, ok := newIntervalScale(c[0], c[1], c[2], false); ok {
			t.Errorf("%v can be drawn: %+v", c, s)
		}
	}
}
