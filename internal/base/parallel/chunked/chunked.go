// Package chunked provides lists for millions of small values. Appending never copies the values in
// a list, so growing never needs twice the memory. Lists can share a Memory, which limits their
// size and moves values to a scratch file.
package chunked

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// List is a list of values, stored in chunks. The zero List is empty and ready for use.
type List[T any] struct {
	memory *Memory
	parts  []*part[T]
	n      int
}

// part is one chunk of a list.
type part[T any] struct {
	values atomic.Pointer[[size]T] // nil while the values are only in the file
	used   atomic.Bool             // since isUnused was last called

	// These fields are protected by the memory's lock.
	loaded bool  // whether the part is in memory and may be spilled
	dirty  bool  // whether the file has no or older values
	at     int64 // file offset of the values, or -1
}

// size is the number of values in a chunk: so many that chunks need few allocations, and so few
// that a small release does not clear megabytes.
const size = 1 << 11

// UseMemory stores the values of l, which must be empty, in m. Values must not contain pointers.
func (l *List[T]) UseMemory(m *Memory) {
	if m != nil && !hasNoPointers(reflect.TypeFor[T]()) {
		panic("chunked: values containing pointers cannot be spilled to a file")
	}
	l.memory = m
}

// hasNoPointers reports whether values of type t contain no pointers.
func hasNoPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasNoPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !hasNoPointers(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() <= reflect.Complex128
}

// Add appends v.
func (l *List[T]) Add(v T) { l.Extend(1)[0] = v }

// Extend appends count zero values, at most size, and returns them as one slice, to be set at once.
// If the last chunk has too little room, its rest remains unused and counts as values.
func (l *List[T]) Extend(count int) []T {
	if room := len(l.parts)*size - l.n; room < count {
		if l.n += room; l.n > 0 {
			l.memory.add(l.parts[len(l.parts)-1])
		}
		p := &part[T]{at: -1}
		p.values.Store(new([size]T))
		l.parts = append(l.parts, p)
	}
	start := l.n % size
	l.n += count
	return l.parts[len(l.parts)-1].values.Load()[start:][:count]
}

// Truncate removes all values from index n on.
func (l *List[T]) Truncate(n int) {
	for i, p := range l.parts[n/size:] {
		if i > 0 || n%size == 0 {
			l.memory.remove(p)
			continue
		}
		values := l.loadValues(p)
		clear(values[n%size:])
		l.memory.remove(p)
		p.values.Store(values)
	}
	l.n = n
	left := (n + size - 1) / size
	clear(l.parts[left:])
	l.parts = l.parts[:left]
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.n }

// At returns the value at index i. The caller must not change it.
func (l *List[T]) At(i int) *T { return &l.loadValues(l.parts[i/size])[i%size] }

// Tail returns the values from index i to the end of their chunk. The caller must not change them.
func (l *List[T]) Tail(i int) []T { return l.loadValues(l.parts[i/size])[i%size:] }

// Set changes the value at index i to v.
func (l *List[T]) Set(i int, v T) {
	p := l.parts[i/size]
	if l.memory != nil {
		l.memory.mu.Lock()
		defer l.memory.mu.Unlock()
		p.dirty = true
	}
	l.load(p)[i%size] = v
}

// All yields all values in order. The caller must not change them.
func (l *List[T]) All(yield func(*T) bool) {
	for i := range l.n {
		if !yield(l.At(i)) {
			return
		}
	}
}

// loadValues returns the values of p. They stay valid and unchanged if p is spilled afterwards.
func (l *List[T]) loadValues(p *part[T]) *[size]T {
	values := p.values.Load()
	if values == nil {
		l.memory.mu.Lock()
		defer l.memory.mu.Unlock()
		return l.load(p)
	}
	if l.memory != nil && !p.used.Load() {
		p.used.Store(true)
	}
	return values
}

// load returns the values of p and reads them from the file if necessary. The caller holds the
// memory's lock.
func (l *List[T]) load(p *part[T]) *[size]T {
	values := p.values.Load()
	if values == nil {
		values = new([size]T)
		l.memory.read(bytesOf(values), p.at)
		p.values.Store(values)
		l.memory.track(p)
	}
	return values
}

func bytesOf[T any](values *[size]T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(values)), unsafe.Sizeof(*values))
}

// setLoaded marks p as in memory or not, and returns by how many bytes that changes the memory in
// use.
func (p *part[T]) setLoaded(is bool) int {
	bytes := int(unsafe.Sizeof([size]T{}))
	switch {
	case is == p.loaded, is && p.values.Load() == nil: // after Truncate, the last part may be only in the file
		return 0
	case is:
		p.loaded = true
		p.used.Store(true)
		return bytes
	}
	p.loaded = false
	p.values.Store(nil)
	return -bytes
}

// markChanged records that the file does not have the current values.
func (p *part[T]) markChanged() { p.dirty = true }

// isUnused reports whether p was not used since isUnused was last called.
func (p *part[T]) isUnused() bool { return !p.loaded || !p.used.Swap(false) }

// save writes p to the file of m, unless the file has its current values.
func (p *part[T]) save(m *Memory) (err error) {
	if p.loaded && p.dirty {
		p.at, err = m.write(bytesOf(p.values.Load()), p.at)
		p.dirty = err != nil
	}
	return err
}
