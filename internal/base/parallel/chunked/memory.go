package chunked

import (
	"cmp"
	"fmt"
	"os"
	"sync"
)

// Memory is what several lists may take together. Beyond its bound, parts that were not used lately
// go to a file, and come back when they are asked for. A nil Memory has no bound.
//
// Several goroutines may read lists that share one. Only one may add to a list or change it, while
// no other reads that list.
type Memory struct {
	Bound int // bytes
	make  func() (*os.File, error)

	mu    sync.Mutex
	file  *os.File
	end   int64
	held  int    // bytes of parts
	parts []page // these, and some that it held before
	hand  int    // where among them the search goes on
	err   error
}

// page is a part of a list, of whatever values.
type page interface {
	hold(is bool) int
	change()
	rested() bool
	save(m *Memory) error
}

// NewMemory makes a memory of so many bytes, with a function that makes the file.
func NewMemory(bound int, file func() (*os.File, error)) *Memory {
	return &Memory{Bound: bound, make: file}
}

// Err is why parts could not be written, which are in memory still, or read. Whoever uses values
// asks for it before they do anything that lasts.
func (m *Memory) Err() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close lets the file go. The lists must not be used any more.
func (m *Memory) Close() error {
	if m == nil || m.file == nil {
		return nil
	}
	return m.file.Close()
}

// add takes in a part that is full.
func (m *Memory) add(p page) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.change()
	m.hold(p)
}

// remove lets go a part that no list has any more.
func (m *Memory) remove(p page) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += p.hold(false)
}

// hold holds a part, and puts others aside if these are too much. Among the parts are some that it
// does not hold any more: they have gone from their lists.
func (m *Memory) hold(p page) {
	m.held += p.hold(true)
	m.parts = append(m.parts, p)
	for tries := 2 * len(m.parts); tries > 0 && m.held > m.Bound && m.err == nil; tries-- {
		m.hand %= len(m.parts)
		other := m.parts[m.hand]
		if other == p || !other.rested() {
			m.hand++
			continue
		}
		if m.err = other.save(m); m.err != nil {
			return
		}
		m.held += other.hold(false)
		last := len(m.parts) - 1
		m.parts[m.hand], m.parts[last] = m.parts[last], nil
		m.parts = m.parts[:last]
	}
}

// write writes bytes at a place of the file, or at its end if that is -1.
func (m *Memory) write(b []byte, at int64) (int64, error) {
	if m.file == nil {
		var err error
		if m.file, err = m.make(); err != nil {
			return -1, err
		}
	}
	if at < 0 {
		at = m.end
		m.end += int64(len(b))
	}
	_, err := m.file.WriteAt(b, at)
	return at, err
}

// read reads what was written. A caller that asks for a value gets a zero one if that fails, and
// Err says so: what was made of it must not be used.
func (m *Memory) read(b []byte, at int64) {
	if _, err := m.file.ReadAt(b, at); err != nil {
		clear(b)
		m.err = cmp.Or(m.err, fmt.Errorf("a scratch file cannot be read: %w", err))
	}
}
