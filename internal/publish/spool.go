package publish

import (
	"errors"
	"io"
	"os"
	"sync/atomic"

	"stele/internal/chunked"
	"stele/release"
)

// spool holds on disk what was made of the records, as long as it is not known in which order they
// leave. Records and lines lie in two files, because they are read at different times.
type spool struct {
	records, lines spoolFile
	stored         chunked.List[stored]
	digests        chunked.List[digest] // only where there is a release to compare with
}

// stored is where a record lies with its variants, one behind the other; and likewise its line of
// the listing and its node of the graph.
type stored struct {
	offset, lines       int64
	record, index, node uint32 // lengths
	variants            [3]uint32
}

// digest is what a later release knows a record by.
type digest struct {
	version int64
	sum     release.Digest
}

func newSpool(w Writer) (*spool, error) {
	records, err := w.Scratch()
	if err != nil {
		return nil, err
	}
	lines, err := w.Scratch()
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	return &spool{records: spoolFile{file: records}, lines: spoolFile{file: lines}}, nil
}

func (s *spool) close() { // the files have no names any more, and go with this
	s.records.file.Close()
	s.lines.file.Close()
}

func (s *spool) at(n int32) *stored { return s.stored.At(int(n)) }

// digest is that of a record, if there is a release to compare with.
func (s *spool) digest(n int32) *digest { return s.digests.At(int(n)) }

// record is the record with a number, valid until the next one is read.
func (s *spool) record(n int32) ([]byte, error) {
	at := s.at(n)
	return s.records.read(at.offset, int64(at.record))
}

// variant is the record in an encoding; empty if it has none.
func (s *spool) variant(n int32, encoding int) ([]byte, error) {
	at := s.at(n)
	offset := at.offset + int64(at.record)
	for _, length := range at.variants[:encoding] {
		offset += int64(length)
	}
	return s.records.read(offset, int64(at.variants[encoding]))
}

// index is the record's line of the listing, valid until the next line is read.
func (s *spool) index(n int32) ([]byte, error) {
	at := s.at(n)
	return s.lines.read(at.lines, int64(at.index))
}

// node is the record's node of the graph, likewise.
func (s *spool) node(n int32) ([]byte, error) {
	at := s.at(n)
	return s.lines.read(at.lines+int64(at.index), int64(at.node))
}

// recordAlone is the record with a number in memory of its own. It may be called from several
// goroutines, and not while records are added.
func (s *spool) recordAlone(n int32) ([]byte, error) {
	at := s.at(n)
	return readAlone(s.records.file, at.offset, at.record)
}

// indexAlone is the record's line of the listing, likewise.
func (s *spool) indexAlone(n int32) ([]byte, error) {
	at := s.at(n)
	return readAlone(s.lines.file, at.lines, at.index)
}

func readAlone(file *os.File, offset int64, length uint32) ([]byte, error) {
	data := make([]byte, length)
	_, err := file.ReadAt(data, offset)
	return data, err
}

// spoolFile is written by several goroutines, a section at a time, and read by one when all is
// written.
type spoolFile struct {
	file *os.File
	size atomic.Int64 // of all sections

	buf   []byte // what was read ahead
	start int64
	next  int64
}

// read reads a piece. What is asked for in the order in which it was added is read ahead; for other
// orders that would be wasted.
func (f *spoolFile) read(offset, length int64) ([]byte, error) {
	const ahead = sectionSize
	if offset >= f.start && offset+length <= f.start+int64(len(f.buf)) {
		f.next = offset + length
		return f.buf[offset-f.start:][:length:length], nil
	}
	size := length
	if offset >= f.next && offset-f.next < ahead/4 {
		size = max(length, ahead)
	}
	if int64(cap(f.buf)) < size {
		f.buf = make([]byte, max(size, ahead))
	}
	n, err := f.file.ReadAt(f.buf[:size], offset)
	if err == io.EOF && int64(n) >= length { // there is no more to read ahead
		err = nil
	}
	f.buf = f.buf[:n]
	if err != nil {
		return nil, err
	}
	f.start, f.next = offset, offset+length
	return f.buf[:length:length], nil
}

// section is a part of a spool file that one goroutine fills. The file is never written to from two
// sides, because each section has its own place.
type section struct {
	file  *spoolFile
	keeps bool   // whether what is added stays in memory after it was written, as long as somebody uses it
	buf   []byte // what is not written yet
	start int64  // where that belongs
	room  int    // how much may stand there
}

const sectionSize = 256 << 10

// add puts parts into the section, one behind the other, and answers with what that is together and
// where it lies.
func (s *section) add(parts ...[]byte) (data []byte, offset int64, err error) {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	if len(s.buf)+length > s.room {
		if err := s.next(max(length, sectionSize)); err != nil {
			return nil, 0, err
		}
	}
	begin := len(s.buf)
	for _, p := range parts {
		s.buf = append(s.buf, p...)
	}
	return s.buf[begin:len(s.buf):len(s.buf)], s.start + int64(begin), nil
}

// next writes the section and begins one of another size.
func (s *section) next(room int) error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.buf = s.buf[:0]; s.keeps || cap(s.buf) < room {
		s.buf = make([]byte, 0, room)
	}
	s.room = room
	s.start = s.file.size.Add(int64(room)) - int64(room)
	return nil
}

// flush writes what was added so far.
func (s *section) flush() error {
	_, err := s.file.file.WriteAt(s.buf, s.start)
	return err
}
