package parallel_test

import (
	"iter"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/base/parallel"
)

// repeat makes of a number as many results.
func repeat(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(n*10_000+i); i++ {
		}
	}
}

func repeaters(count int) []func(int) iter.Seq[int] {
	return slices.Repeat([]func(int) iter.Seq[int]{repeat}, count)
}

// TestOrdered: whatever the number of workers, results are those of one after the other.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 100).Draw(t, "values")
		workers := rapid.IntRange(1, 8).Draw(t, "workers")
		var want []int
		for _, v := range values {
			want = slices.AppendSeq(want, repeat(v))
		}
		got := slices.Collect(parallel.Ordered(slices.Values(values), repeaters(workers)))
		if !slices.Equal(got, want) {
			t.Fatalf("%d results of %v, want %d", len(got), values, len(want))
		}
	})
}

// TestOrderedStops: who wants no more results lets no goroutine work on.
func TestOrderedStops(t *testing.T) {
	for most := range 20 {
		var begun, ended atomic.Int64
		work := func(n int) iter.Seq[int] {
			begun.Add(1)
			return func(yield func(int) bool) {
				defer ended.Add(1)
				for i := 0; yield(i); i++ { // without end
				}
			}
		}
		endless := func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
			}
		}
		count := 0
		for range parallel.Ordered(endless, []func(int) iter.Seq[int]{work, work, work}) {
			if count++; count > most*100 {
				break
			}
		}
		if begun.Load() != ended.Load() {
			t.Errorf("%d of %d workers work on", begun.Load()-ended.Load(), begun.Load())
		}
	}
}

func TestMap(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		want := make([]int, n)
		for i := range want {
			want[i] = i * i
		}
		if got := slices.Collect(parallel.Map(n, func(i int) int { return i * i })); !slices.Equal(got, want) {
			t.Errorf("%d: %v", n, got)
		}
	}
}
