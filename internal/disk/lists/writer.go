package lists

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"stele/internal/base/layout"
)

// Writer writes a list of records as releases have them: what stands before them, a line for each,
// and the end. It counts and digests what it writes. Flush returns what fails.
type Writer struct {
	buf   *bufio.Writer
	to    io.Writer
	sum   hash.Hash
	size  int64
	lines int
	long  error // a line that readers would refuse
}

// NewWriter begins a list.
func NewWriter(to io.Writer) *Writer {
	w := &Writer{to: to, sum: sha256.New()}
	w.buf = bufio.NewWriterSize((*end)(w), 64<<10)
	return w
}

// end is where the bytes arrive, a buffer at a time.
type end Writer

func (w *end) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	w.sum.Write(data[:n])
	w.size += int64(n)
	return n, err
}

// Write writes bytes as they are, such as what stands before the records.
func (w *Writer) Write(data []byte) (int, error) { return w.buf.Write(data) }

// Line adds a record on a line of its own.
func (w *Writer) Line(data []byte) {
	if w.lines++; w.lines > 1 {
		w.buf.WriteByte(',')
	}
	w.buf.WriteByte('\n')
	w.buf.Write(data)
	if w.long == nil {
		w.long = CheckLine(data)
	}
}

// CheckLine refuses a line that readers would refuse.
func CheckLine(line []byte) error {
	const around = 16 // a comma, line breaks
	if len(line) > layout.MaxLine-around {
		return fmt.Errorf("a line of %.1f MB begins with %.60q; at most %.1f MB are allowed",
			float64(len(line))/1e6, line, float64(layout.MaxLine-around)/1e6)
	}
	return nil
}

// Lines adds lines that are made already: each with a line break before it and a comma before that.
func (w *Writer) Lines(data []byte) {
	if w.lines == 0 && len(data) > 0 {
		data = data[len(","):] // there is nothing before the first line
	}
	w.lines++
	w.buf.Write(data)
}

// End ends the list.
func (w *Writer) End() { w.buf.WriteString("\n]}\n") }

// Flush writes what is still in memory.
func (w *Writer) Flush() error { return errors.Join(w.long, w.buf.Flush()) }

// Size returns how many bytes were written.
func (w *Writer) Size() int64 { return w.size }

// Digest returns that of what was written.
func (w *Writer) Digest() layout.Digest { return layout.Digest(w.sum.Sum(nil)) }
