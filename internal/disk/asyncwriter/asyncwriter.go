// Package asyncwriter holds a buffered writer that writes behind its caller's back: while buffers
// are written, the next ones are filled.
package asyncwriter

import (
	"io"
	"sync"
)

// Writer is such a writer, for one goroutine. As with a bufio.Writer, what fails is told by a later
// Write and by Flush, and nothing is written after it.
type Writer struct {
	size   int
	buf    []byte
	idle   chan []byte // buffers that may be filled
	first  *stage
	failed error // as far as it is known here
	*fault
}

// buffers is how many there are: enough that nobody waits because another is a little late.
const buffers = 6

// New makes a writer with buffers of a size. Each buffer goes to one writer after the other; while
// it is with one of them, the buffer after it can be with the one before.
func New(size int, to ...io.Writer) *Writer {
	w := &Writer{size: size, idle: make(chan []byte, buffers), fault: &fault{}}
	for range buffers - 1 {
		w.idle <- nil // it grows when it is filled: most files are small
	}
	pass := func(buf []byte) { w.idle <- buf }
	for i := len(to) - 1; i >= 0; i-- {
		w.first = &stage{to: to[i], pass: pass, fault: w.fault}
		pass = w.first.take
	}
	return w
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

// passOn hands the buffer over if it is full.
func (w *Writer) passOn() error {
	if len(w.buf) >= w.size {
		w.handOver()
	}
	return w.failed
}

// handOver hands the buffer over and waits for another.
func (w *Writer) handOver() {
	w.first.take(w.buf)
	w.buf = (<-w.idle)[:0]
	w.failed = w.get()
}

// Flush writes what is left and waits until all is written.
func (w *Writer) Flush() error {
	if len(w.buf) > 0 {
		w.handOver()
	}
	var all [buffers - 1][]byte
	for i := range all {
		all[i] = <-w.idle
	}
	for _, buf := range all {
		w.idle <- buf
	}
	w.failed = w.get()
	return w.failed
}

// fault is the first error of all stages.
type fault struct {
	mu  sync.Mutex
	err error
}

func (f *fault) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fault) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

// stage gives buffers to one writer, in their order. Its goroutine ends when there are none, so
// that nobody has to close it.
type stage struct {
	to   io.Writer
	pass func([]byte) // what becomes of a buffer then
	*fault

	mu      sync.Mutex
	waiting [][]byte
	running bool
}

func (s *stage) take(buf []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, buf)
	if !s.running {
		s.running = true
		go s.run()
	}
}

func (s *stage) run() {
	for buf := s.next(); buf != nil; buf = s.next() {
		if s.get() == nil {
			if _, err := s.to.Write(buf); err != nil {
				s.set(err)
			}
		}
		s.pass(buf)
	}
}

// next is the next buffer, or nil if there is none, which ends the goroutine.
func (s *stage) next() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.running = false
		return nil
	}
	buf := s.waiting[0]
	s.waiting = append(s.waiting[:0], s.waiting[1:]...)
	return buf
}
