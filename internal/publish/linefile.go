package publish

import (
	"bufio"
	"io"
	"os"
	"slices"

	"stele/release"
)

// lineFile is lines that wait on disk, because there may be more of them than memory should hold.
// One goroutine adds them; when it has flushed them, several may read.
type lineFile struct {
	file *os.File
	w    *bufio.Writer
	size int64
}

// linePlace is where a line lies.
type linePlace struct {
	offset int64
	length uint32
}

func newLineFile(w Writer) (*lineFile, error) {
	file, err := w.Scratch()
	if err != nil {
		return nil, err
	}
	return &lineFile{file: file, w: bufio.NewWriterSize(file, 64<<10)}, nil
}

// add puts a line at the end. What fails is told by flush.
func (f *lineFile) add(line []byte) linePlace {
	at := linePlace{f.size, uint32(len(line))}
	f.w.Write(line)
	f.w.WriteByte('\n')
	f.size += int64(len(line)) + 1
	return at
}

func (f *lineFile) flush() error { return f.w.Flush() }

// all reads the lines in their order. Each is valid until the next one.
func (f *lineFile) all(yield func([]byte, error) bool) {
	s := bufio.NewScanner(io.NewSectionReader(f.file, 0, f.size))
	s.Buffer(make([]byte, 0, 64<<10), release.MaxLine)
	for s.Scan() {
		if !yield(s.Bytes(), nil) {
			return
		}
	}
	if err := s.Err(); err != nil {
		yield(nil, err)
	}
}

// read reads a line into the memory of buf, or into more where that is too little.
func (f *lineFile) read(at linePlace, buf []byte) ([]byte, error) {
	buf = slices.Grow(buf[:0], int(at.length))[:at.length]
	_, err := f.file.ReadAt(buf, at.offset)
	return buf, err
}

func (f *lineFile) close() { f.file.Close() } // it has no name any more, and goes with this
