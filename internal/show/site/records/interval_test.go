package records

import (
	"fmt"
	"strconv"
	"testing"
)

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
