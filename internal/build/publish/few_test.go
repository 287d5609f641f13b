package publish

import (
	"fmt"
	"testing"
)

// TestFew: groups are divided by indicator and source, by one of them, or not at all, so that there
// are not too many.
func TestFew(t *testing.T) {
	for _, c := range []struct{ indicators, sources, want int }{
		{1, 1, 1}, {5, 10, 50}, {5, 11, 5}, {51, 1, 1}, {60, 3, 3}, {60, 60, 1},
	} {
		of, sum := map[subject]int{}, 0
		for i := range c.indicators {
			for s := range c.sources {
				of[subject{fmt.Sprint("i", i), fmt.Sprint("s", s)}] = 2
				sum += 2
			}
		}
		got := few(of)
		for _, n := range got {
			sum -= n
		}
		if len(got) != c.want || sum != 0 {
			t.Errorf("%d indicators and %d sources become %d groups, of which %d are missing", c.indicators, c.sources, len(got), sum)
		}
	}
}
