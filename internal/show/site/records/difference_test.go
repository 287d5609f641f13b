package records

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDiffWords: what two texts have in common and what only one has give both texts again.
func TestDiffWords(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "old"), words.Draw(t, "new")
		var old, now []string
		last := where(99)
		for _, p := range diffWords(a, b) {
			if p.where == last || len(p.words) == 0 {
				t.Fatalf("%v and %v are divided into more parts than need be", a, b)
			}
			if last = p.where; p.where != inNew {
				old = append(old, p.words...)
			}
			if p.where != inOld {
				now = append(now, p.words...)
			}
		}
		if !slices.Equal(old, a) || !slices.Equal(now, b) {
			t.Fatalf("%v and %v become %v and %v", a, b, old, now)
		}
	})
}
