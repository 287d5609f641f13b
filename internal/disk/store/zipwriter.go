package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"stele/internal/disk/durable"
)

// zipWriter writes a release as one zip. Entries are stored as they are, so that they can be read
// in place, sent without unpacking, and found by ordinary tools, but for those that Pack adds. The
// standard library's writer keeps a few hundred bytes for each entry until the end; this one keeps
// them in a file, because a release can have a million.
type zipWriter struct {
	target    string
	file      *os.File
	out       *writeBack
	w         *bufio.Writer
	header    []byte // of the entry that is added; its memory is used again
	offset    int64
	directory *os.File // the central directory, until it is copied after the entries
	listing   *bufio.Writer
	listed    int64
	count     uint64
	mu        sync.Mutex       // for large: files are read back while others are written
	large     map[string]entry // what Create made
	unlock    func()
	done      bool
}

// entry is where a stored file lies.
type entry struct {
	header, data, size int64
	packed             int64 // how many bytes the zip has of it
	method             uint16
	crc                uint32
}

// Signatures and fixed fields of the format (APPNOTE.TXT 6.3).
const (
	localSignature     = 0x04034b50
	directorySignature = 0x02014b50
	endSignature       = 0x06054b50
	end64Signature     = 0x06064b50
	locator64Signature = 0x07064b50
	needsZip64         = 45        // version needed to extract
	madeByUnix         = 3<<8 | 45 // so that tools set the permissions below
	regularFile        = 0o100644 << 16
	utf8Names          = 0x800
	// 1 January 1980: a zip knows no earlier day, and no day is part of a release's content
	firstDay  = 1<<5 | 1
	longField = math.MaxUint32
)

func newZipWriter(target string, unlock func()) (*zipWriter, error) {
	file, err := os.CreateTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, err
	}
	directory, err := os.CreateTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	out := &writeBack{File: file}
	return &zipWriter{
		target: target, file: file, out: out, w: bufio.NewWriterSize(out, 256<<10), directory: directory,
		listing: bufio.NewWriterSize(directory, 256<<10),
		large:   map[string]entry{}, unlock: unlock,
	}, nil
}

// writeBack is a file whose bytes begin to go to disk while more are written, so that there is
// little to wait for at the end.
type writeBack struct {
	*os.File
	written, begun int64
}

func (f *writeBack) Write(b []byte) (int, error) {
	const piece = 8 << 20
	n, err := f.File.Write(b)
	if f.written += int64(n); f.written-f.begun >= piece {
		startSync(f.File, f.begun, f.written-f.begun)
		f.begun = f.written
	}
	return n, err
}

// Discard removes a file of a folder that was begun.
func (f *writeBack) Discard() error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// Put adds a whole file.
func (z *zipWriter) Put(path string, data []byte) error {
	if err := checkPath(path); err != nil {
		return err
	}
	e := entry{header: z.offset, size: int64(len(data)), packed: int64(len(data)), crc: crc32.ChecksumIEEE(data)}
	z.header = appendLocalHeader(z.header[:0], path, e, false)
	if err := z.write(z.header); err != nil {
		return err
	}
	if err := z.write(data); err != nil {
		return err
	}
	return z.list(path, e)
}

// write adds bytes. A large piece, which somebody else buffered, is not copied once more.
func (z *zipWriter) write(b []byte) error {
	const large = 64 << 10
	z.offset += int64(len(b))
	if len(b) < large {
		_, err := z.w.Write(b)
		return err
	}
	if err := z.w.Flush(); err != nil {
		return err
	}
	_, err := z.out.Write(b)
	return err
}

// Create begins a large file. Its header is written again at the end, when size and checksum are
// known.
func (z *zipWriter) Create(path string) (io.WriteCloser, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	e := entry{header: z.offset}
	if err := z.write(appendLocalHeader(nil, path, e, true)); err != nil {
		return nil, err
	}
	e.data = z.offset
	return &zipEntryWriter{z: z, path: path, entry: e}, nil
}

type zipEntryWriter struct {
	z    *zipWriter
	path string
	entry
}

func (f *zipEntryWriter) Write(b []byte) (int, error) {
	f.crc = crc32.Update(f.crc, crc32.IEEETable, b)
	f.size += int64(len(b))
	f.packed = f.size
	return len(b), f.z.write(b)
}

// Discard lets the zip end where the file began.
func (f *zipEntryWriter) Discard() error {
	if err := f.z.w.Flush(); err != nil {
		return err
	}
	if err := f.z.file.Truncate(f.header); err != nil {
		return err
	}
	f.z.offset, f.z.out.written, f.z.out.begun = f.header, f.header, f.header
	_, err := f.z.file.Seek(f.header, io.SeekStart)
	return err
}

func (f *zipEntryWriter) Close() error {
	if err := f.z.w.Flush(); err != nil {
		return err
	}
	if _, err := f.z.file.WriteAt(appendLocalHeader(nil, f.path, f.entry, true), f.header); err != nil {
		return err
	}
	f.z.mu.Lock()
	f.z.large[f.path] = f.entry
	f.z.mu.Unlock()
	return f.z.list(f.path, f.entry)
}

// Open reads back a file that Create made.
func (z *zipWriter) Open(path string) (io.ReadCloser, error) {
	z.mu.Lock()
	e, ok := z.large[path]
	z.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("%s was not written", path)
	}
	return io.NopCloser(io.NewSectionReader(z.file, e.data, e.size)), nil
}

// appendLocalHeader adds what stands before a file. A large one has room for sizes of 64 bits.
func appendLocalHeader(b []byte, path string, e entry, large bool) []byte {
	b = binary.LittleEndian.AppendUint32(b, localSignature)
	b = appendCommon(b, e)
	extra := uint16(0)
	packed, size := uint32(e.packed), uint32(e.size)
	if large {
		extra, packed, size = 20, longField, longField
	}
	b = binary.LittleEndian.AppendUint32(b, packed)
	b = binary.LittleEndian.AppendUint32(b, size)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(path)))
	b = binary.LittleEndian.AppendUint16(b, extra)
	b = append(b, path...)
	if large {
		b = appendZip64(b, uint64(e.size), uint64(e.packed))
	}
	return b
}

// appendCommon adds the fields that local header and directory share.
func appendCommon(b []byte, e entry) []byte {
	b = binary.LittleEndian.AppendUint16(b, needsZip64)
	b = binary.LittleEndian.AppendUint16(b, utf8Names)
	b = binary.LittleEndian.AppendUint16(b, e.method)
	b = binary.LittleEndian.AppendUint16(b, 0) // midnight
	b = binary.LittleEndian.AppendUint16(b, firstDay)
	return binary.LittleEndian.AppendUint32(b, e.crc)
}

func appendZip64(b []byte, values ...uint64) []byte {
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, uint16(8*len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// list adds a file to the directory.
func (z *zipWriter) list(path string, e entry) error {
	z.header = appendListed(z.header[:0], path, e)
	z.count++
	z.listed += int64(len(z.header))
	_, err := z.listing.Write(z.header)
	return err
}

// appendListed adds what the directory has of a file.
func appendListed(b []byte, path string, e entry) []byte {
	b = binary.LittleEndian.AppendUint32(b, directorySignature)
	b = binary.LittleEndian.AppendUint16(b, madeByUnix)
	b = appendCommon(b, e)
	packed, size, offset := uint32(e.packed), uint32(e.size), uint32(e.header)
	var long []uint64
	if e.size >= longField {
		packed, size, long = longField, longField, append(long, uint64(e.size), uint64(e.packed))
	}
	if e.header >= longField {
		offset, long = longField, append(long, uint64(e.header))
	}
	extra := 0
	if len(long) > 0 {
		extra = 4 + 8*len(long)
	}
	b = binary.LittleEndian.AppendUint32(b, packed)
	b = binary.LittleEndian.AppendUint32(b, size)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(path)))
	b = binary.LittleEndian.AppendUint16(b, uint16(extra))
	b = append(b, make([]byte, 2+2+2)...) // no comment, one disk, no internal attributes
	b = binary.LittleEndian.AppendUint32(b, regularFile)
	b = binary.LittleEndian.AppendUint32(b, offset)
	b = append(b, path...)
	if len(long) > 0 {
		b = appendZip64(b, long...)
	}
	return b
}

// Commit writes the directory and puts the zip in its place.
func (z *zipWriter) Commit() error {
	if err := z.replace(); err != nil {
		return notInPlace(z.target, err)
	}
	z.done = true
	defer z.unlock()
	synced := durable.SyncDir(filepath.Dir(z.target))
	return inPlace(errors.Join(synced, z.directory.Close(), os.Remove(z.directory.Name())))
}

func (z *zipWriter) replace() error {
	if err := z.finish(); err != nil {
		return err
	}
	if err := errors.Join(durable.SyncFile(z.file), z.file.Chmod(0o644), z.file.Close()); err != nil {
		return err
	}
	return os.Rename(z.file.Name(), z.target)
}

func (z *zipWriter) finish() error {
	start := z.offset
	if err := z.listing.Flush(); err != nil {
		return err
	}
	if _, err := z.directory.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(z.w, z.directory); err != nil {
		return err
	}
	b := appendEnd(nil, z.count, start, z.listed)
	if _, err := z.w.Write(b); err != nil {
		return err
	}
	return z.w.Flush()
}

// appendEnd adds what stands after a directory, which has so many files, begins somewhere and is so
// long.
func appendEnd(b []byte, count uint64, start, listed int64) []byte {
	end := start + listed
	b = binary.LittleEndian.AppendUint32(b, end64Signature)
	b = binary.LittleEndian.AppendUint64(b, 44) // of what follows
	b = binary.LittleEndian.AppendUint16(b, madeByUnix)
	b = binary.LittleEndian.AppendUint16(b, needsZip64)
	b = append(b, make([]byte, 8)...) // one disk
	for _, n := range []uint64{count, count, uint64(listed), uint64(start)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = binary.LittleEndian.AppendUint32(b, locator64Signature)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(end))
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, endSignature)
	b = append(b, make([]byte, 4)...)
	for range 2 {
		b = binary.LittleEndian.AppendUint16(b, uint16(min(count, math.MaxUint16)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(min(listed, longField)))
	b = binary.LittleEndian.AppendUint32(b, uint32(min(start, longField)))
	b = binary.LittleEndian.AppendUint16(b, 0) // no comment
	return b
}

// Abort removes what was written.
func (z *zipWriter) Abort() error {
	if z.done {
		return nil
	}
	z.done = true
	defer z.unlock()
	z.file.Close() // it may be closed already, and is removed in any case
	z.directory.Close()
	return errors.Join(os.Remove(z.file.Name()), os.Remove(z.directory.Name()))
}
