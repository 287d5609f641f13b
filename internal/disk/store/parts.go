package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
)

// Part is an entry of a zip.
type Part struct {
	Name    []byte // valid until the next part
	Header  int64  // offset of the local header
	Size    int64  // of the file
	Packed  int64  // size in the zip
	Deflate bool   // whether it is deflated
}

// ErrForeign means that this program did not write the zip.
var ErrForeign = errors.New("the zip was not written by this program")

// TailSize is the number of bytes at the end of a zip that FindDirectory reads.
const TailSize = 56 + 20 + 22

// FindDirectory returns the offset of the central directory of a zip that this program wrote. It
// reads only the end of the file, so the rest may be missing.
func FindDirectory(f *os.File) (start int64, err error) {
	z, err := openDirectory(f)
	if err != nil {
		return 0, err
	}
	return z.start, nil
}

func openDirectory(f *os.File) (*zipFS, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z := &zipFS{file: f}
	if info.Size() < TailSize {
		return nil, ErrForeign
	}
	if _, err := z.findDirectory(info.Size()); err != nil || z.foreign != nil {
		return nil, errors.Join(ErrForeign, err)
	}
	return z, nil
}

// entries yields the directory entries of a zip that this program wrote, then an entry without a
// name at the start of the directory. It reads only the directory.
func entries(f *os.File) iter.Seq2[directoryEntry, error] {
	return func(yield func(directoryEntry, error) bool) {
		z, err := openDirectory(f)
		if err != nil {
			yield(directoryEntry{}, err)
			return
		}
		for e, err := range z.directoryEntries() {
			if err == nil && !e.isOurs() {
				err = ErrForeign
			}
			if err == nil {
				err = z.checkEntry(&e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		yield(directoryEntry{header: z.start}, nil)
	}
}

// Parts yields the entries of a zip that this program wrote. It reads only the directory.
func Parts(f *os.File) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for e, err := range entries(f) {
			isEnd := err == nil && e.name == nil
			if isEnd || !yield(Part{e.name, e.header, e.size, e.packed, e.method == deflatedMethod}, err) {
				return
			}
		}
	}
}

// WriteHeaders restores the local headers of a zip that this program wrote from its directory. It
// yields the start and end offsets of each header.
func WriteHeaders(f *os.File) iter.Seq2[[2]int64, error] {
	return func(yield func([2]int64, error) bool) {
		var before directoryEntry // a header's length follows from the offset of the next one
		var line []byte
		for e, err := range entries(f) {
			if err == nil && before.name != nil {
				const long = 20 // length of the extra field of a large file
				field := e.header - before.header - before.packed - int64(30+len(before.name))
				was := entry{size: before.size, packed: before.packed, method: before.method, crc: before.crc}
				line = appendLocalHeader(line[:0], string(before.name), was, field == long)
				if _, err = f.WriteAt(line, before.header); field != 0 && field != long {
					err = ErrForeign
				}
				if err == nil && !yield([2]int64{before.header, before.header + int64(len(line))}, nil) {
					return
				}
			}
			if err != nil {
				yield([2]int64{}, err)
				return
			}
			e.name = bytes.Clone(e.name)
			before = e
		}
	}
}

// WriteDirectory reads the local headers of a zip that this program wrote, and writes the central
// directory and the end records to w. The files in the zip end at offset start. WriteDirectory
// reads nothing else of the zip.
func WriteDirectory(w io.Writer, zip io.ReaderAt, start int64) error {
	out := bufio.NewWriter(w)
	var head [30]byte
	var name, extra, line []byte
	var count uint64
	var listed int64
	for at := int64(0); at < start; count++ {
		if _, err := zip.ReadAt(head[:], at); err != nil {
			return errors.Join(ErrForeign, err)
		}
		le := binary.LittleEndian
		e := entry{
			header: at, method: le.Uint16(head[8:]), crc: le.Uint32(head[14:]),
			packed: int64(le.Uint32(head[18:])), size: int64(le.Uint32(head[22:])),
		}
		name = append(name[:0], make([]byte, le.Uint16(head[26:]))...)
		extra = append(extra[:0], make([]byte, le.Uint16(head[28:]))...)
		at += int64(len(head))
		if _, err := zip.ReadAt(name, at); err != nil {
			return errors.Join(ErrForeign, err)
		}
		at += int64(len(name))
		if len(extra) >= 20 {
			if _, err := zip.ReadAt(extra, at); err != nil {
				return errors.Join(ErrForeign, err)
			}
			e.size, e.packed = int64(le.Uint64(extra[4:])), int64(le.Uint64(extra[12:]))
		}
		at += int64(len(extra))
		if le.Uint32(head[:]) != localSignature || e.size < 0 || e.packed < 0 || e.packed > start-at {
			return ErrForeign
		}
		at += e.packed
		line = appendDirectoryEntry(line[:0], string(name), e)
		listed += int64(len(line))
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	if _, err := out.Write(appendEndRecords(nil, count, start, listed)); err != nil {
		return err
	}
	return out.Flush()
}

// Content returns the offset of the part's data. It reads the local header.
func (p *Part) Content(zip io.ReaderAt) (int64, error) {
	var head [30]byte
	if _, err := zip.ReadAt(head[:], p.Header); err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	return p.Header + int64(len(head)) + int64(le.Uint16(head[26:])) + int64(le.Uint16(head[28:])), nil
}
