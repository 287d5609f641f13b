package build

import (
	"bufio"
	"os"

	"stele/internal/list"
	"stele/release"
)

// spool holds the pieces of all records on disk, in the order in which they came, and where each lies.
type spool struct {
	file   *os.File
	w      *bufio.Writer
	size   int64
	stored list.List[stored]

	buf   []byte // what was read ahead
	start int64
	next  int64
}

// stored is where the pieces of a record lie: one behind the other.
type stored struct {
	offset              int64
	record, index, node uint32 // lengths
	variants            [3]uint32
	version             int64
	sum                 release.Digest
}

func newSpool(w Writer) (*spool, error) {
	f, err := w.Scratch()
	if err != nil {
		return nil, err
	}
	return &spool{file: f, w: bufio.NewWriterSize(f, 1<<20)}, nil
}

func (s *spool) close() { s.file.Close() } // it has no name any more, and goes with this

func (s *spool) add(p *piece) error {
	at := stored{offset: s.size, record: uint32(len(p.record)), index: uint32(len(p.index)), node: uint32(len(p.node)), version: p.version, sum: p.sum}
	for _, part := range [][]byte{p.record, p.index, p.node, p.variants[0], p.variants[1], p.variants[2]} {
		n, err := s.w.Write(part)
		s.size += int64(n)
		if err != nil {
			return err
		}
	}
	for i, v := range p.variants {
		at.variants[i] = uint32(len(v))
	}
	s.stored.Add(at)
	return nil
}

func (s *spool) flush() error { return s.w.Flush() }

func (s *spool) at(n int32) *stored { return s.stored.At(int(n)) }

// record is the record with a number, valid until the next read.
func (s *spool) record(n int32) ([]byte, error) {
	at := s.at(n)
	return s.read(at.offset, int64(at.record))
}

// recordAlone is the record with a number in memory of its own. It may be called from several goroutines, and not while records are added.
func (s *spool) recordAlone(n int32) ([]byte, error) {
	at := s.at(n)
	return s.readAlone(at.offset, at.record)
}

// indexAlone is the record's line of the listing, likewise.
func (s *spool) indexAlone(n int32) ([]byte, error) {
	at := s.at(n)
	return s.readAlone(at.offset+int64(at.record), at.index)
}

func (s *spool) readAlone(offset int64, length uint32) ([]byte, error) {
	data := make([]byte, length)
	_, err := s.file.ReadAt(data, offset)
	return data, err
}

// index is the record's line of the listing.
func (s *spool) index(n int32) ([]byte, error) {
	at := s.at(n)
	return s.read(at.offset+int64(at.record), int64(at.index))
}

// node is the record's node of the graph.
func (s *spool) node(n int32) ([]byte, error) {
	at := s.at(n)
	return s.read(at.offset+int64(at.record)+int64(at.index), int64(at.node))
}

// variant is the record in an encoding; empty if it has none.
func (s *spool) variant(n int32, encoding int) ([]byte, error) {
	at := s.at(n)
	offset := at.offset + int64(at.record) + int64(at.index) + int64(at.node)
	for _, length := range at.variants[:encoding] {
		offset += int64(length)
	}
	return s.read(offset, int64(at.variants[encoding]))
}

// read reads a piece. Records that are asked for in the order in which they came are read ahead; for others that would be wasted.
func (s *spool) read(offset, length int64) ([]byte, error) {
	const ahead = 256 << 10
	if offset >= s.start && offset+length <= s.start+int64(len(s.buf)) {
		s.next = offset + length
		return s.buf[offset-s.start:][:length:length], nil
	}
	size := length
	if offset >= s.next && offset-s.next < 64<<10 {
		size = max(length, min(ahead, s.size-offset))
	}
	if int64(cap(s.buf)) < size {
		s.buf = make([]byte, size, max(size, ahead))
	}
	s.buf = s.buf[:size]
	if _, err := s.file.ReadAt(s.buf, offset); err != nil {
		return nil, err
	}
	s.start, s.next = offset, offset+length
	return s.buf[:length:length], nil
}
