// Package spool holds on disk what was made of records, as long as it is not known in which order
// they leave.
package spool

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync/atomic"

	"stele/internal/base/parallel/chunked"
)

// Parts is what is made of a record.
type Parts struct {
	Record   []byte    // its JSON
	Variants [3][]byte // that, compressed; empty where it does not pay
	Entry    []byte    // its line of the listing
}

// Spool keeps the parts of records in two files, because records and lines are read at different
// times. Several goroutines may write, each with a Writer of its own, and read with a Reader of its
// own when all is written.
type Spool struct {
	*files
	refs chunked.List[Ref]
}

// files are those of a spool, or of several that go on with one another.
type files struct {
	records, lines file
	spools         atomic.Int32 // that are not closed
}

// Ref is where the parts of a record lie: the record, the lengths of its variants, these, one after
// the other, and its entry. The zero Ref is that of no parts.
type Ref struct {
	offset, lines int64
	record, entry uint32 // lengths
}

// New makes a spool of two scratch files.
func New(scratch func() (*os.File, error)) (*Spool, error) {
	records, err := scratch()
	if err != nil {
		return nil, err
	}
	lines, err := scratch()
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	s := &Spool{files: &files{records: file{File: records}, lines: file{File: lines}}}
	s.spools.Store(1)
	return s, nil
}

// Within lets what is known of each record share a memory.
func (s *Spool) Within(m *chunked.Memory) { s.refs.In(m) }

// Next makes a spool without parts that goes on in the same files, so that parts of this one can be
// added to it. Each is closed by itself.
func (s *Spool) Next() *Spool {
	s.spools.Add(1)
	return &Spool{files: s.files}
}

// Size returns how many bytes the files have room for, also those of parts that nobody has any
// more.
func (s *Spool) Size() int64 { return s.records.size.Load() + s.lines.size.Load() }

// Close lets the files go, which have no names any more.
func (s *Spool) Close() error {
	if s.spools.Add(-1) > 0 {
		return nil
	}
	return errors.Join(s.records.Close(), s.lines.Close())
}

// Add gives the parts at a place the next number, from 0 on.
func (s *Spool) Add(at Ref) { s.refs.Add(at) }

// Len returns how many were added.
func (s *Spool) Len() int { return s.refs.Len() }

// Has reports whether there are parts with a number.
func (s *Spool) Has(n int32) bool { return s.at(n).record > 0 }

func (s *Spool) at(n int32) *Ref { return s.refs.At(int(n)) }

// Record returns the record with a number in memory of its own. Several goroutines may call it.
func (s *Spool) Record(n int32) ([]byte, error) {
	at := s.at(n)
	return s.records.readNew(at.offset, at.record)
}

// Entry returns a line of the listing likewise.
func (s *Spool) Entry(n int32) ([]byte, error) {
	at := s.at(n)
	return s.lines.readNew(at.lines, at.entry)
}

const lengthBytes = 3 * 4 // of the variants

// Reader reads parts. What is asked for in the order in which it was written is read ahead.
type Reader struct {
	s              *Spool
	records, lines readAhead
}

// Reader makes a reader, for one goroutine.
func (s *Spool) Reader() *Reader {
	return &Reader{s, readAhead{file: s.records.File}, readAhead{file: s.lines.File}}
}

// Record returns the record with a number, valid until the next record or variant is read.
func (r *Reader) Record(n int32) ([]byte, error) {
	at := r.s.at(n)
	return r.records.read(at.offset, int64(at.record))
}

// Variant returns one of its variants likewise; empty if it has none.
func (r *Reader) Variant(n int32, variant int) ([]byte, error) {
	at := r.s.at(n)
	offset := at.offset + int64(at.record)
	lengths, err := r.records.read(offset, lengthBytes)
	if err != nil {
		return nil, err
	}
	offset += lengthBytes
	for i := range variant {
		offset += int64(binary.LittleEndian.Uint32(lengths[4*i:]))
	}
	return r.records.read(offset, int64(binary.LittleEndian.Uint32(lengths[4*variant:])))
}

// Entry returns the line of the listing, valid until the next one is read.
func (r *Reader) Entry(n int32) ([]byte, error) {
	at := r.s.at(n)
	return r.lines.read(at.lines, int64(at.entry))
}

// readAhead reads a file with a buffer.
type readAhead struct {
	file  *os.File
	buf   []byte
	start int64 // where the buffer's bytes lie
	next  int64 // where what was read last ends
	ahead int64 // how much was read ahead last
}

// read reads some bytes. What is asked for in the order in which it was added is read ahead, the
// more the longer the order is kept: for other orders, and short parts of it, that would be wasted.
func (r *readAhead) read(offset, length int64) ([]byte, error) {
	const least, most = 16 << 10, sectionSize
	if offset >= r.start && offset+length <= r.start+int64(len(r.buf)) {
		r.next = offset + length
		return r.buf[offset-r.start:][:length:length], nil
	}
	if offset >= r.next && offset-r.next < most/4 {
		r.ahead = min(max(2*r.ahead, least), most)
	} else {
		r.ahead = 0
	}
	size := max(length, r.ahead)
	if int64(cap(r.buf)) < size {
		r.buf = make([]byte, max(size, most))
	}
	n, err := r.file.ReadAt(r.buf[:size], offset)
	if err == io.EOF && int64(n) >= length { // there is no more to read ahead
		err = nil
	}
	r.buf = r.buf[:n]
	if err != nil {
		return nil, err
	}
	r.start, r.next = offset, offset+length
	return r.buf[:length:length], nil
}

// file is written by several goroutines, a section at a time.
type file struct {
	*os.File
	size atomic.Int64 // of all sections
}

func (f *file) readNew(offset int64, length uint32) ([]byte, error) {
	data := make([]byte, length)
	_, err := f.ReadAt(data, offset)
	return data, err
}

// Writer writes parts, for one goroutine.
type Writer struct{ records, lines section }

// Writer makes a writer.
func (s *Spool) Writer() *Writer { return &Writer{section{file: &s.records}, section{file: &s.lines}} }

// Add writes the parts of a record and returns where they lie.
func (w *Writer) Add(p *Parts) (at Ref, err error) {
	at.record, at.entry = uint32(len(p.Record)), uint32(len(p.Entry))
	lengths := make([]byte, 0, lengthBytes)
	for _, v := range p.Variants {
		lengths = binary.LittleEndian.AppendUint32(lengths, uint32(len(v)))
	}
	if at.offset, err = w.records.add(p.Record, lengths, p.Variants[0], p.Variants[1], p.Variants[2]); err != nil {
		return Ref{}, err
	}
	if at.lines, err = w.lines.add(p.Entry); err != nil {
		return Ref{}, err
	}
	return at, nil
}

// Flush writes what is still in memory.
func (w *Writer) Flush() error { return errors.Join(w.records.flush(), w.lines.flush()) }

// section is a part of a file that one goroutine fills. The file is never written to from two
// sides, because each section has its own place.
type section struct {
	file  *file
	buf   []byte // what is not written yet
	start int64  // where that belongs
	room  int    // how much may stand there
}

const sectionSize = 256 << 10

// add puts parts into the section, one after the other, and returns where they lie.
func (s *section) add(parts ...[]byte) (offset int64, err error) {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	if len(s.buf)+length > s.room {
		if err := s.next(max(length, sectionSize)); err != nil {
			return 0, err
		}
	}
	offset = s.start + int64(len(s.buf))
	for _, p := range parts {
		s.buf = append(s.buf, p...)
	}
	return offset, nil
}

// next writes the section and begins one of another size.
func (s *section) next(room int) error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.buf = s.buf[:0]; cap(s.buf) < room {
		s.buf = make([]byte, 0, room)
	}
	s.room = room
	s.start = s.file.size.Add(int64(room)) - int64(room)
	return nil
}

// flush writes what was added so far.
func (s *section) flush() error {
	_, err := s.file.WriteAt(s.buf, s.start)
	return err
}
