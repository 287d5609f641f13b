package records

import (
	"fmt"
	"math"
	"strconv"
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

// TestIntervalTicks: the line below an estimate has numbers, few enough to be read, with the one
// that means no difference.
func TestIntervalTicks(t *testing.T) {
	for _, c := range []struct {
		lower, upper float64
		ratio        bool
		want         string
	}{
		{0.02, 0.13, true, "[0.02 0.05 0.1 0.2 0.5 1]"},
		{1.2, 1.9, true, "[1 1.2 1.4 1.6 1.8 2]"},
		{1e-9, 1e3, true, "[1e-08 1e-06 0.0001 0.01 1 100]"},
		{-1, 7, false, "[0 2 4 6]"},
		{-0.35, -0.05, false, "[-0.35 -0.3 -0.25 -0.2 -0.15 -0.1 -0.05 0]"},
		{20, 1900, false, "[0 500 1000 1500 2000]"},
	} {
		s, ok := newIntervalScale(c.lower, c.lower, c.upper, c.ratio)
		var got []string
		for _, v := range s.ticks() {
			got = append(got, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if !ok || fmt.Sprint(got) != c.want {
			t.Errorf("from %v to %v there is %v, and not %s", c.lower, c.upper, got, c.want)
		}
	}
}
