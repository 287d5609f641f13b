// Package spool holds on disk what was made of records, as long as it is not known in which order
// they leave.
package spool

import (
	"encoding/binary"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"stele/internal/base/compress"
	"stele/internal/base/parallel/chunked"
)

// Parts is what is made of a record.
type Parts struct {
	Entry    []byte    // its line of the listing
	Record   []byte    // its JSON
	Variants [3][]byte // that, compressed; empty where it does not pay
}

// Spool keeps the parts of records in a file, in compressed blocks: records that are written one
// after the other say much the same, and take a tenth of their room. Several goroutines may write,
// each with a Writer of its own, and read with a Reader of its own when all is written.
type Spool struct {
	*file
	refs chunked.List[Ref]
}

// file is the file of a spool, or of several that go on with one another.
type file struct {
	*os.File
	size   atomic.Int64 // of all sections
	spools atomic.Int32 // that are not closed
}

// Ref is where the parts of a record lie: in a block its entry, the record, the lengths of its
// variants, and these, one after the other. The zero Ref is that of no parts.
type Ref struct {
	place         int64  // where the block begins, and in the last withinBits how far in it
	entry, record uint32 // lengths
}

const withinBits = 16

// New makes a spool of a scratch file.
func New(scratch func() (*os.File, error)) (*Spool, error) {
	f, err := scratch()
	if err != nil {
		return nil, err
	}
	s := &Spool{file: &file{File: f}}
	s.spools.Store(1)
	return s, nil
}

// Within lets what is known of each record share a memory.
func (s *Spool) Within(m *chunked.Memory) { s.refs.UseMemory(m) }

// Next makes a spool without parts that goes on in the same file, so that parts of this one can be
// added to it. Each is closed by itself.
func (s *Spool) Next() *Spool {
	s.spools.Add(1)
	return &Spool{file: s.file}
}

// Size returns how many bytes the file has room for, also those of parts that nobody has any more.
func (s *Spool) Size() int64 { return s.size.Load() }

// Close lets the file go, which has no name any more.
func (s *Spool) Close() error {
	if s.spools.Add(-1) > 0 {
		return nil
	}
	return s.File.Close()
}

// Add gives the parts at a place the next number, from 0 on.
func (s *Spool) Add(at Ref) { s.refs.Add(at) }

// Len returns how many were added.
func (s *Spool) Len() int { return s.refs.Len() }

// Has reports whether there are parts with a number.
func (s *Spool) Has(n int32) bool { return s.refs.At(int(n)).record > 0 }

const lengthBytes = 3 * 4 // of the variants

// Reader reads parts. It keeps the block that it read last.
type Reader struct {
	s            *Spool
	at           int64 // where the block begins
	block        []byte
	packed, room []byte
}

// Reader makes a reader, for one goroutine.
func (s *Spool) Reader() *Reader { return &Reader{s: s} }

// Entry returns a line of the listing, valid until something of another record is read.
func (r *Reader) Entry(n int32) ([]byte, error) {
	at := r.s.refs.At(int(n))
	return r.read(at, 0, at.entry)
}

// Record returns the record with a number likewise.
func (r *Reader) Record(n int32) ([]byte, error) {
	at := r.s.refs.At(int(n))
	return r.read(at, at.entry, at.record)
}

// Variant returns one of its variants likewise; empty if it has none.
func (r *Reader) Variant(n int32, variant int) ([]byte, error) {
	at := r.s.refs.At(int(n))
	skip := at.entry + at.record
	lengths, err := r.read(at, skip, lengthBytes)
	if err != nil {
		return nil, err
	}
	skip += lengthBytes
	for i := range variant {
		skip += binary.LittleEndian.Uint32(lengths[4*i:])
	}
	return r.read(at, skip, binary.LittleEndian.Uint32(lengths[4*variant:]))
}

// read returns what stands in a block so far behind a place.
func (r *Reader) read(at *Ref, skip, length uint32) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	if err := r.bring(at.place >> withinBits); err != nil {
		return nil, err
	}
	from := at.place&(1<<withinBits-1) + int64(skip)
	if from+int64(length) > int64(len(r.block)) {
		return nil, io.ErrUnexpectedEOF
	}
	return r.block[from:][:length:length], nil
}

// usual is how much is read of a block at first; most have less.
const usual = 2 << 10

// bring brings a block, if it is not the one that is here.
func (r *Reader) bring(at int64) error {
	if r.block != nil && r.at == at {
		return nil
	}
	r.packed = slices.Grow(r.packed[:0], usual)[:usual]
	n, err := r.s.ReadAt(r.packed, at)
	if n < headBytes {
		return err
	}
	size := headBytes + int(binary.LittleEndian.Uint32(r.packed))
	if n < size {
		r.packed = slices.Grow(r.packed[:n], size-n)[:size]
		if _, err := r.s.ReadAt(r.packed[n:], at+int64(n)); err != nil {
			return err
		}
	}
	r.block = nil
	if r.room, err = compress.OpenBlock(r.room, r.packed[headBytes:size]); err == nil {
		r.at, r.block = at, r.room
	}
	return err
}

// Writer writes parts, for one goroutine. It fills sections of the file, which is never written to
// from two sides, because each section has its own place.
type Writer struct {
	file  *file
	block []byte // which is not complete yet
	at    int64  // where it will begin
	buf   []byte // what is not written yet: blocks, each after its length
	start int64  // where that belongs
	room  int    // how much may stand there
}

const (
	sectionSize = 256 << 10
	// blockSize is how much is compressed together, besides what is larger by itself: ten records
	// of an indicator, of which one is read nearly as quickly as alone.
	blockSize = 8 << 10
	headBytes = 4
)

// Writer makes a writer.
func (s *Spool) Writer() *Writer { return &Writer{file: s.file} }

// Add writes the parts of a record and returns where they lie.
func (w *Writer) Add(p *Parts) (at Ref, err error) {
	length := len(p.Entry) + len(p.Record) + lengthBytes
	for _, v := range p.Variants {
		length += len(v)
	}
	if len(w.block) > 0 && len(w.block)+length > blockSize {
		w.end()
	}
	if len(w.block) == 0 {
		if err := w.reserve(headBytes + compress.MaxBlockSize(max(length, blockSize))); err != nil {
			return Ref{}, err
		}
	}
	at = Ref{w.at<<withinBits | int64(len(w.block)), uint32(len(p.Entry)), uint32(len(p.Record))}
	w.block = append(append(w.block, p.Entry...), p.Record...)
	for _, v := range p.Variants {
		w.block = binary.LittleEndian.AppendUint32(w.block, uint32(len(v)))
	}
	for _, v := range p.Variants {
		w.block = append(w.block, v...)
	}
	return at, nil
}

// reserve makes sure that there is room for a block, and begins another section where there is not.
func (w *Writer) reserve(length int) error {
	if len(w.buf)+length > w.room {
		if err := w.Flush(); err != nil {
			return err
		}
		w.buf, w.room = w.buf[:0], max(length, sectionSize)
		w.start = w.file.size.Add(int64(w.room)) - int64(w.room)
	}
	w.at = w.start + int64(len(w.buf))
	return nil
}

// end compresses the block, which has its room.
func (w *Writer) end() {
	if len(w.block) == 0 {
		return
	}
	head := len(w.buf)
	w.buf = compress.AppendBlock(append(w.buf, make([]byte, headBytes)...), w.block)
	binary.LittleEndian.PutUint32(w.buf[head:], uint32(len(w.buf)-head-headBytes))
	w.block = w.block[:0]
}

// Flush writes what is still in memory.
func (w *Writer) Flush() error {
	w.end()
	_, err := w.file.WriteAt(w.buf, w.start)
	return err
}
