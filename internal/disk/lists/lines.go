// Package lists keeps lists of lines on disk.
package lists

import (
	"bufio"
	"io"
	"os"
	"slices"

	"stele/internal/base/layout"
)

// Lines are lines that wait on disk, because there may be more of them than memory should hold.
// One goroutine adds them; when it has flushed them, several may read.
type Lines struct {
	file  *os.File
	w     *bufio.Writer
	size  int64
	count int
}

// Ref says where a line lies.
type Ref struct {
	Offset int64
	Length uint32
}

// NewLines makes a scratch file for lines.
func NewLines(scratch func() (*os.File, error)) (*Lines, error) {
	file, err := scratch()
	if err != nil {
		return nil, err
	}
	return &Lines{file: file, w: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Add puts a line at the end. Flush returns what fails.
func (f *Lines) Add(line []byte) { f.Put(line) }

// Put does the same, and says where the line lies.
func (f *Lines) Put(line []byte) Ref {
	at := Ref{f.size, uint32(len(line))}
	f.w.Write(line)
	f.w.WriteByte('\n')
	f.size += int64(len(line)) + 1
	f.count++
	return at
}

// Flush writes what is still in memory.
func (f *Lines) Flush() error { return f.w.Flush() }

// All yields the lines in their order. Each is valid until the next one.
func (f *Lines) All(yield func([]byte, error) bool) {
	s := bufio.NewScanner(io.NewSectionReader(f.file, 0, f.size))
	s.Buffer(make([]byte, 0, 64<<10), layout.MaxLine)
	for s.Scan() {
		if !yield(s.Bytes(), nil) {
			return
		}
	}
	if err := s.Err(); err != nil {
		yield(nil, err)
	}
}

// Read reads a line into the memory of buf, or into more where that is too little.
func (f *Lines) Read(at Ref, buf []byte) ([]byte, error) {
	buf = slices.Grow(buf[:0], int(at.Length))[:at.Length]
	_, err := f.file.ReadAt(buf, at.Offset)
	return buf, err
}

// Close lets the file go, which has no name any more. Of nil it does nothing.
func (f *Lines) Close() error {
	if f == nil {
		return nil
	}
	return f.file.Close()
}

// Size returns how many bytes the lines have.
func (f *Lines) Size() int64 { return f.size }

// Len returns how many lines there are.
func (f *Lines) Len() int { return f.count }
