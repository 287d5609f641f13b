package chunked

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestList compares with a slice, around the sizes at which a new part begins.
func TestList(t *testing.T) {
	for _, n := range []int{0, 1, part - 1, part, part + 1, 3 * part} {
		var l List[int]
		var want []int
		for i := range n {
			l.Add(i * i)
			want = append(want, i*i)
		}
		if l.Len() != n {
			t.Errorf("%d values, want %d", l.Len(), n)
		}
		var got []int
		for v := range l.All {
			got = append(got, *v)
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d values, they come out otherwise", n)
		}
		for _, i := range []int{0, part - 1, part, part + 1, n - 1} {
			if i >= 0 && i < n && *l.At(i) != i*i {
				t.Errorf("with %d values, that at %d is %d", n, i, *l.At(i))
			}
		}
		for _, most := range []int{2*part + 1, part, part - 1, 1, 0} {
			cut := l
			cut.parts = slices.Clone(l.parts)
			cut.Cut(most)
			cut.Add(-1)
			if want := min(n, most); cut.Len() != want+1 || *cut.At(want) != -1 {
				t.Errorf("%d values, cut after %d: %d are left, and one", n, most, cut.Len()-1)
			}
		}
	}
}

// TestStay: a place stays where it is while the list grows, and can be written to.
func TestStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List[int]
		n := rapid.IntRange(1, 2*part).Draw(t, "n")
		for i := range n {
			l.Add(i)
		}
		at := rapid.IntRange(0, n-1).Draw(t, "at")
		place := l.At(at)
		for range rapid.IntRange(0, 2*part).Draw(t, "more") {
			l.Add(0)
		}
		*place = -7
		if l.At(at) != place || *l.At(at) != -7 {
			t.Fatalf("the value at %d moved", at)
		}
	})
}

func TestAllStops(t *testing.T) {
	var l List[int]
	for i := range 2 * part {
		l.Add(i)
	}
	seen := 0
	for range l.All {
		if seen++; seen == part+3 {
			break
		}
	}
	if seen != part+3 {
		t.Errorf("%d were seen", seen)
	}
}
