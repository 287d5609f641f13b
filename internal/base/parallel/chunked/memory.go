package chunked

import (
	"cmp"
	"fmt"
	"os"
	"sync"
)

// Memory limits the memory that several lists use together. Beyond Bound, parts that were not used
// lately are spilled to a file and read back when they are needed. A nil Memory has no limit.
//
// Several goroutines may read lists that share a Memory. Only one goroutine may add to a list or
// change it, and no other may read that list meanwhile.
type Memory struct {
	Bound int                      // bytes
	make  func() (*os.File, error) // creates the scratch file

	mu    sync.Mutex
	file  *os.File
	end   int64
	inUse int    // bytes of the parts in memory
	parts []page // those in memory, and removed ones
	hand  int    // index in parts of the next candidate for spilling
	err   error
}

// page is a part of a list, whatever the type of its values.
type page interface {
	setLoaded(is bool) int
	markChanged()
	isUnused() bool
	save(m *Memory) error
}

// NewMemory returns a Memory of bound bytes that creates its scratch file with file, if it needs
// one.
func NewMemory(bound int, file func() (*os.File, error)) *Memory {
	return &Memory{Bound: bound, make: file}
}

// Err returns the error of the first failed write or read of the scratch file. Check it before
// storing results: after a failed read, values are zero.
func (m *Memory) Err() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close closes the scratch file. The lists must not be used any more.
func (m *Memory) Close() error {
	if m == nil || m.file == nil {
		return nil
	}
	return m.file.Close()
}

// add adds p, a part that is full.
func (m *Memory) add(p page) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.markChanged()
	m.track(p)
}

// remove removes p, which no list uses any more.
func (m *Memory) remove(p page) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse += p.setLoaded(false)
}

// track adds p to the parts in memory and spills others that were not used lately if the bound is
// exceeded. m.parts may still contain parts that were removed.
func (m *Memory) track(p page) {
	m.inUse += p.setLoaded(true)
	m.parts = append(m.parts, p)
	for tries := 2 * len(m.parts); tries > 0 && m.inUse > m.Bound && m.err == nil; tries-- {
		m.hand %= len(m.parts)
		other := m.parts[m.hand]
		if other == p || !other.isUnused() {
			m.hand++
			continue
		}
		if m.err = other.save(m); m.err != nil {
			return
		}
		m.inUse += other.setLoaded(false)
		last := len(m.parts) - 1
		m.parts[m.hand], m.parts[last] = m.parts[last], nil
		m.parts = m.parts[:last]
	}
}

// write writes b at offset at, or appends it if at is -1, and returns the offset.
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

// read reads b from offset at. If that fails, it sets b to zero and stores the error for Err.
func (m *Memory) read(b []byte, at int64) {
	if _, err := m.file.ReadAt(b, at); err != nil {
		clear(b)
		m.err = cmp.Or(m.err, fmt.Errorf("cannot read the scratch file: %w", err))
	}
}
