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

// Writer writes a list of records in the form of a release: a header, one line for each record, and
// the end. It counts and hashes the bytes. Flush returns the error if writing fails.
type Writer struct {
	buf     *bufio.Writer
	to      io.Writer
	sum     hash.Hash
	size    int64
	lines   int
	tooLong error // the error for the first line that is too long for readers
}

func NewWriter(to io.Writer) *Writer {
	w := &Writer{to: to, sum: sha256.New()}
	w.buf = bufio.NewWriterSize((*sink)(w), 64<<10)
	return w
}

// sink hashes the buffered output and passes it on.
type sink Writer

func (w *sink) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	w.sum.Write(data[:n])
	w.size += int64(n)
	return n, err
}

// Write writes data verbatim, for example the header before the records.
func (w *Writer) Write(data []byte) (int, error) { return w.buf.Write(data) }

// WriteLine writes a record on its own line.
func (w *Writer) WriteLine(data []byte) {
	if w.lines++; w.lines > 1 {
		w.buf.WriteByte(',')
	}
	w.buf.WriteByte('\n')
	w.buf.Write(data)
	if w.tooLong == nil {
		w.tooLong = CheckLine(data)
	}
}

// CheckLine returns an error if readers would refuse line because of its length.
func CheckLine(line []byte) error {
	const around = 16 // a comma, line breaks
	if len(line) > layout.MaxLine-around {
		return fmt.Errorf("line of %.1f MB, beginning with %.60q: at most %.1f MB are allowed",
			float64(len(line))/1e6, line, float64(layout.MaxLine-around)/1e6)
	}
	return nil
}

// WriteLines writes encoded lines. Each begins with a comma and a line break.
func (w *Writer) WriteLines(data []byte) {
	if w.lines == 0 && len(data) > 0 {
		data = data[len(","):] // the first line has no comma before it
	}
	w.lines++
	w.buf.Write(data)
}

// WriteEnd writes the end of the list.
func (w *Writer) WriteEnd() { w.buf.WriteString("\n]}\n") }

// Flush writes buffered data, and returns the first error of the Writer.
func (w *Writer) Flush() error { return errors.Join(w.tooLong, w.buf.Flush()) }

// Size returns the number of bytes written.
func (w *Writer) Size() int64 { return w.size }

// Digest returns the SHA-256 of the bytes written.
func (w *Writer) Digest() layout.Digest { return layout.Digest(w.sum.Sum(nil)) }
