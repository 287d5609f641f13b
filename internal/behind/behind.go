// Package behind holds a buffered writer that writes behind its caller's back: while a buffer is written, the next one is filled.
package behind

import (
	"io"
	"sync"
)

// Writer is such a writer, for one goroutine. As with a bufio.Writer, what fails is told by a later Write and by Flush, and nothing is written after it.
type Writer struct {
	to          io.Writer
	size        int
	buf, spare  []byte
	writing     sync.WaitGroup
	failed, err error // what a write that has ended, and one that may be under way, came to
}

// New makes a writer with two buffers of a size.
func New(to io.Writer, size int) *Writer {
	return &Writer{to: to, size: size, buf: make([]byte, 0, size), spare: make([]byte, 0, size)}
}

func (w *Writer) Write(data []byte) (int, error) {
	w.buf = append(w.buf, data...)
	return len(data), w.passOn()
}

func (w *Writer) WriteString(s string) (int, error) {
	w.buf = append(w.buf, s...)
	return len(s), w.passOn()
}

func (w *Writer) WriteByte(c byte) error {
	w.buf = append(w.buf, c)
	return w.passOn()
}

// passOn begins to write the buffer if it is full.
func (w *Writer) passOn() error {
	if len(w.buf) >= w.size {
		w.begin()
	}
	return w.failed
}

// begin waits for the buffer before and begins to write this one.
func (w *Writer) begin() {
	w.wait()
	full := w.buf
	w.buf, w.spare = w.spare[:0], full
	if w.failed == nil {
		w.writing.Go(func() { _, w.err = w.to.Write(full) })
	}
}

func (w *Writer) wait() {
	w.writing.Wait()
	if w.failed == nil {
		w.failed = w.err
	}
}

// Flush writes what is left and waits until all is written.
func (w *Writer) Flush() error {
	w.begin()
	w.wait()
	return w.failed
}
