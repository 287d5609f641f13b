// Package chunked holds a list for millions of small values: it grows without copying what is
// there, so that growing never needs twice the memory.
package chunked

// List is such a list. The zero List is empty and ready for use.
type List[T any] struct {
	parts [][]T
	n     int
}

// part is how many values are allocated at once: enough that the slices of them count for nothing,
// and few enough that a small release does not clear megabytes.
const part = 1 << 11

// Add puts a value at the end.
func (l *List[T]) Add(v T) {
	last := len(l.parts) - 1
	if last < 0 || len(l.parts[last]) == part {
		l.parts = append(l.parts, make([]T, 0, part))
		last++
	}
	l.parts[last] = append(l.parts[last], v)
	l.n++
}

// Cut takes away all values from an index on.
func (l *List[T]) Cut(n int) {
	for l.n > n {
		last := len(l.parts) - 1
		keep := max(0, len(l.parts[last])-(l.n-n))
		l.n -= len(l.parts[last]) - keep
		l.parts[last] = l.parts[last][:keep]
		if keep == 0 {
			l.parts = l.parts[:last]
		}
	}
}

// Len returns how many values there are.
func (l *List[T]) Len() int { return l.n }

// At returns the value at an index, to read or to change.
func (l *List[T]) At(i int) *T { return &l.parts[i/part][i%part] }

// All visits the values in order.
func (l *List[T]) All(yield func(*T) bool) {
	for _, p := range l.parts {
		for i := range p {
			if !yield(&p[i]) {
				return
			}
		}
	}
}
