// Package spool stores encoded records in a temporary file until their final order is known.
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

// Parts are the encoded forms of one record.
type Parts struct {
	Entry    []byte    // its line in the listing
	Record   []byte    // its JSON
	Variants [3][]byte // Record compressed with each encoding; empty if compression saves nothing
}

// Spool stores the parts of records in a file, in compressed blocks: consecutive records are
// similar and compress to a tenth of their size. Several goroutines may write, each with its own
// Writer, and then read, each with its own Reader.
type Spool struct {
	*file
	refs chunked.List[Ref]
}

// file is the temporary file that one or more spools append to.
type file struct {
	*os.File
	size       atomic.Int64 // of all sections
	openSpools atomic.Int32 // number of spools that still use the file
}

// Ref locates a record's parts. A block contains, in this order, the entry, the record, the lengths
// of the variants and the variants. The zero Ref refers to nothing.
type Ref struct {
	position      int64  // file offset of the block, shifted left by withinBits, plus the offset within the block
	entry, record uint32 // lengths
}

const withinBits = 16

// New returns an empty spool that writes to the file that scratch creates.
func New(scratch func() (*os.File, error)) (*Spool, error) {
	f, err := scratch()
	if err != nil {
		return nil, err
	}
	s := &Spool{file: &file{File: f}}
	s.openSpools.Store(1)
	return s, nil
}

// UseMemory stores the refs in m, which other lists share.
func (s *Spool) UseMemory(m *chunked.Memory) { s.refs.UseMemory(m) }

// Continue returns an empty spool that appends to the same file, so that it can refer to parts that
// s has written. Close each spool.
func (s *Spool) Continue() *Spool {
	s.openSpools.Add(1)
	return &Spool{file: s.file}
}

// Size returns the size of the file in bytes, including parts that no spool refers to any more.
func (s *Spool) Size() int64 { return s.size.Load() }

// Close closes the file if no other spool uses it. The file has no directory entry, so closing it
// frees the space.
func (s *Spool) Close() error {
	if s.openSpools.Add(-1) > 0 {
		return nil
	}
	return s.File.Close()
}

// Add assigns the next number, counting from 0, to the parts at ref at.
func (s *Spool) Add(at Ref) { s.refs.Add(at) }

// Len returns the number of refs that were added.
func (s *Spool) Len() int { return s.refs.Len() }

// Has reports whether number n has parts.
func (s *Spool) Has(n int32) bool { return s.refs.At(int(n)).record > 0 }

const lengthBytes = 3 * 4 // of the variants

// Reader reads parts. It caches one block.
type Reader struct {
	s              *Spool
	at             int64 // file offset of the block
	block          []byte
	packed, buffer []byte
}

// Reader returns a reader for one goroutine.
func (s *Spool) Reader() *Reader { return &Reader{s: s} }

// Entry returns the listing entry of record n, valid until the next call that reads another record.
func (r *Reader) Entry(n int32) ([]byte, error) {
	at := r.s.refs.At(int(n))
	return r.read(at, 0, at.entry)
}

// Record returns the JSON of record n, valid until the next call that reads another record.
func (r *Reader) Record(n int32) ([]byte, error) {
	at := r.s.refs.At(int(n))
	return r.read(at, at.entry, at.record)
}

// Variant returns the given variant of record n, or nil if it has none, valid until the next call
// that reads another record.
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

// read returns length bytes of at's block, starting skip bytes after at, or nil if length is 0.
func (r *Reader) read(at *Ref, skip, length uint32) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	if err := r.loadBlock(at.position >> withinBits); err != nil {
		return nil, err
	}
	from := at.position&(1<<withinBits-1) + int64(skip)
	if from+int64(length) > int64(len(r.block)) {
		return nil, io.ErrUnexpectedEOF
	}
	return r.block[from:][:length:length], nil
}

// firstRead is the number of bytes that are read first. Most blocks are smaller.
const firstRead = 2 << 10

// loadBlock loads the block at file offset at, unless it is loaded.
func (r *Reader) loadBlock(at int64) error {
	if r.block != nil && r.at == at {
		return nil
	}
	r.packed = slices.Grow(r.packed[:0], firstRead)[:firstRead]
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
	if r.buffer, err = compress.OpenBlock(r.buffer, r.packed[headBytes:size]); err == nil {
		r.at, r.block = at, r.buffer
	}
	return err
}

// Writer writes parts, for one goroutine. It reserves sections of the file, so that writers never
// write to the same part of it.
type Writer struct {
	file     *file
	block    []byte // the current block, uncompressed
	at       int64  // file offset of the current block
	buf      []byte // complete blocks to be written, each after its length
	start    int64  // file offset of buf
	capacity int    // size of the section
}

const (
	sectionSize = 256 << 10
	// blockSize is the amount of data that is compressed together, unless a single record is
	// larger: about ten records of an indicator. Reading one of them is nearly as fast as if it
	// were alone.
	blockSize = 8 << 10
	headBytes = 4
)

// Writer returns a writer for one goroutine.
func (s *Spool) Writer() *Writer { return &Writer{file: s.file} }

// Add writes the parts of a record and returns their location.
func (w *Writer) Add(p *Parts) (at Ref, err error) {
	length := len(p.Entry) + len(p.Record) + lengthBytes
	for _, v := range p.Variants {
		length += len(v)
	}
	if len(w.block) > 0 && len(w.block)+length > blockSize {
		w.endBlock()
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

// reserve reserves length bytes for a block, in a new section if the current one is full.
func (w *Writer) reserve(length int) error {
	if len(w.buf)+length > w.capacity {
		if err := w.Flush(); err != nil {
			return err
		}
		w.buf, w.capacity = w.buf[:0], max(length, sectionSize)
		w.start = w.file.size.Add(int64(w.capacity)) - int64(w.capacity)
	}
	w.at = w.start + int64(len(w.buf))
	return nil
}

// endBlock compresses the current block.
func (w *Writer) endBlock() {
	if len(w.block) == 0 {
		return
	}
	head := len(w.buf)
	w.buf = compress.AppendBlock(append(w.buf, make([]byte, headBytes)...), w.block)
	binary.LittleEndian.PutUint32(w.buf[head:], uint32(len(w.buf)-head-headBytes))
	w.block = w.block[:0]
}

// Flush writes all complete blocks and the current one to the file.
func (w *Writer) Flush() error {
	w.endBlock()
	_, err := w.file.WriteAt(w.buf, w.start)
	return err
}
