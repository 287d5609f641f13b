// Package lists writes lists of lines to disk.
package lists

import (
	"bufio"
	"io"
	"os"
	"slices"

	"stele/internal/base/layout"
)

// Lines stores lines in a scratch file, because there may be more of them than fit into memory. One
// goroutine adds them; after Flush, several may read.
type Lines struct {
	file  *os.File
	w     *bufio.Writer
	size  int64
	count int
}

// Ref locates a line in the file.
type Ref struct {
	Offset int64
	Length uint32
}

// NewLines returns an empty list in the file that scratch creates.
func NewLines(scratch func() (*os.File, error)) (*Lines, error) {
	file, err := scratch()
	if err != nil {
		return nil, err
	}
	return &Lines{file: file, w: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Add appends a line and returns its location. Flush returns the error if writing fails.
func (f *Lines) Add(line []byte) Ref {
	at := Ref{f.size, uint32(len(line))}
	f.w.Write(line)
	f.w.WriteByte('\n')
	f.size += int64(len(line)) + 1
	f.count++
	return at
}

// Flush writes buffered lines to the file.
func (f *Lines) Flush() error { return f.w.Flush() }

// All yields the lines in order. Each is valid until the next.
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

// Read reads the line at at into buf, which it enlarges if necessary.
func (f *Lines) Read(at Ref, buf []byte) ([]byte, error) {
	buf = slices.Grow(buf[:0], int(at.Length))[:at.Length]
	_, err := f.file.ReadAt(buf, at.Offset)
	return buf, err
}

// Close closes the file, which frees its space. For nil it does nothing.
func (f *Lines) Close() error {
	if f == nil {
		return nil
	}
	return f.file.Close()
}

// Size returns the total size of the lines in bytes.
func (f *Lines) Size() int64 { return f.size }

func (f *Lines) Len() int { return f.count }
