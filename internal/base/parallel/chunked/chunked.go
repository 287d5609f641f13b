// Package chunked holds lists for millions of small values. They grow without copying what is
// there, so that growing never needs twice the memory, and can share a Memory that has a bound.
package chunked

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// List is such a list. The zero List is empty and ready for use.
type List[T any] struct {
	memory *Memory
	parts  []*part[T]
	n      int
}

// part is a part of a list.
type part[T any] struct {
	values atomic.Pointer[[size]T] // nil while only the file has them
	used   atomic.Bool             // since the memory last asked

	// For these the memory's lock is held.
	held  bool  // by the memory, which may put it aside
	dirty bool  // whether the file has other values, or none
	at    int64 // where the file has it, or -1
}

// size is how many values are allocated at once: enough that the parts count for nothing, and few
// enough that a small release does not clear megabytes.
const size = 1 << 11

// In lets the list, which is empty, share a memory. Its values must not have pointers.
func (l *List[T]) In(m *Memory) {
	if m != nil && !plain(reflect.TypeFor[T]()) {
		panic("chunked: values with pointers cannot be put aside")
	}
	l.memory = m
}

func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() <= reflect.Complex128
}

// Add puts a value at the end.
func (l *List[T]) Add(v T) { l.Block(1)[0] = v }

// Block puts zero values at the end, one beside the other, which are to be set at once. There are
// at most as many as a part has, and others come before them where it has not so many left.
func (l *List[T]) Block(count int) []T {
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

// Cut takes away all values from an index on.
func (l *List[T]) Cut(n int) {
	for i, p := range l.parts[n/size:] {
		if i > 0 || n%size == 0 {
			l.memory.remove(p)
			continue
		}
		values := l.values(p)
		clear(values[n%size:])
		l.memory.remove(p)
		p.values.Store(values)
	}
	l.n = n
	left := (n + size - 1) / size
	clear(l.parts[left:])
	l.parts = l.parts[:left]
}

// Len returns how many values there are.
func (l *List[T]) Len() int { return l.n }

// At returns the value at an index, to read.
func (l *List[T]) At(i int) *T { return &l.values(l.parts[i/size])[i%size] }

// From returns the value at an index and those that stand beside it, to read.
func (l *List[T]) From(i int) []T { return l.values(l.parts[i/size])[i%size:] }

// Set changes the value at an index.
func (l *List[T]) Set(i int, v T) {
	p := l.parts[i/size]
	if l.memory != nil {
		l.memory.mu.Lock()
		defer l.memory.mu.Unlock()
		p.dirty = true
	}
	l.bring(p)[i%size] = v
}

// All visits the values in order, to read.
func (l *List[T]) All(yield func(*T) bool) {
	for i := range l.n {
		if !yield(l.At(i)) {
			return
		}
	}
}

// values returns those of a part. They stay as they are when the part is put aside.
func (l *List[T]) values(p *part[T]) *[size]T {
	values := p.values.Load()
	if values == nil {
		l.memory.mu.Lock()
		defer l.memory.mu.Unlock()
		return l.bring(p)
	}
	if l.memory != nil && !p.used.Load() {
		p.used.Store(true)
	}
	return values
}

// bring brings a part back, if it was put aside. The memory's lock is held.
func (l *List[T]) bring(p *part[T]) *[size]T {
	values := p.values.Load()
	if values == nil {
		values = new([size]T)
		l.memory.read(bytesOf(values), p.at)
		p.values.Store(values)
		l.memory.hold(p)
	}
	return values
}

func bytesOf[T any](values *[size]T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(values)), unsafe.Sizeof(*values))
}

// hold says whether the memory holds the part, and returns how much more of it that is.
func (p *part[T]) hold(is bool) int {
	bytes := int(unsafe.Sizeof([size]T{}))
	switch {
	case is == p.held, is && p.values.Load() == nil: // after a cut, the last part may lie in the file
		return 0
	case is:
		p.held = true
		p.used.Store(true)
		return bytes
	}
	p.held = false
	p.values.Store(nil)
	return -bytes
}

func (p *part[T]) change() { p.dirty = true }

// rested reports whether the part was not used since this was asked last.
func (p *part[T]) rested() bool { return !p.held || !p.used.Swap(false) }

// save writes the part, unless the file has it as it is.
func (p *part[T]) save(m *Memory) (err error) {
	if p.held && p.dirty {
		p.at, err = m.write(bytesOf(p.values.Load()), p.at)
		p.dirty = err != nil
	}
	return err
}
