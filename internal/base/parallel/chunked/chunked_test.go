package chunked

import (
	"slices"
	"testing"
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
