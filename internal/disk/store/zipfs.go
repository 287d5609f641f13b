package store

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"math"
	"math/bits"
	"os"
	"strings"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
)

// zipFS reads the files of a zip in place. A release can have a million files, so it uses 16 to 32
// bytes of memory for each entry; archive/zip, which it uses for zips of other programs, needs some
// hundred.
type zipFS struct {
	file          *os.File
	start         int64 // of the directory
	size          int64
	slots         []slot // offsets of directory entries, by hash of the name
	seed          maphash.Seed
	foreign       *zip.Reader // reads zips of other programs; otherwise nil
	unpackedFiles unpacked
}

// slot is the offset of an entry in the directory, counted from one, with bits of its name's hash
// above. Zero is a free slot.
type slot uint64

const offsetBits = 40

func (s slot) offset() int64 { return int64(s&(1<<offsetBits-1)) - 1 }

var errNoZip = errors.New("not a zip file")

func openZip(path string) (*zipFS, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := checkFileOrFolder(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	z := &zipFS{file: f, seed: maphash.MakeSeed()}
	if err := z.readDirectory(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return z, nil
}

// readDirectory finds the directory and indexes it.
func (z *zipFS) readDirectory() error {
	info, err := z.file.Stat()
	if err != nil {
		return err
	}
	count, err := z.findDirectory(info.Size())
	if err != nil || z.foreign != nil {
		return err
	}
	if count > uint64(z.size)/listedSize || z.size >= 1<<offsetBits {
		return fmt.Errorf("damaged zip: %d entries in a directory of %d bytes", count, z.size)
	}
	z.slots = make([]slot, 1<<bits.Len64(2*count))
	entries := uint64(0)
	for e, err := range z.directoryEntries() {
		if err != nil {
			return err
		}
		if !e.isOurs() {
			return z.openForeign(info.Size())
		}
		if entries++; entries > count {
			break
		}
		if err := z.checkEntry(&e); err != nil {
			return err
		}
		at, mark, other, err := z.lookup(e.name)
		if err != nil {
			return err
		}
		if other.name != nil {
			return fmt.Errorf("damaged zip: duplicate entry %s", e.name)
		}
		z.slots[at] = mark | slot(e.at+1)
	}
	if entries != count {
		return fmt.Errorf("damaged zip: %d entries instead of %d", entries, count)
	}
	return nil
}

// lookup returns the entry with a name, or a free slot for the name. mark contains the hash bits
// for that slot.
func (z *zipFS) lookup(name []byte) (at uint64, mark slot, e directoryEntry, err error) {
	hash := maphash.Bytes(z.seed, name)
	most := uint64(len(z.slots) - 1) // the length is a power of two
	mark = slot(hash >> offsetBits << offsetBits)
	for at = hash & most; z.slots[at] != 0; at = (at + 1) & most {
		if z.slots[at]>>offsetBits<<offsetBits != mark {
			continue
		}
		if e, err = z.readListed(z.slots[at].offset()); err != nil || bytes.Equal(e.name, name) {
			return at, mark, e, err
		}
	}
	return at, mark, directoryEntry{}, nil
}

// checkEntry returns an error for an entry that no zip of a release can have.
func (z *zipFS) checkEntry(e *directoryEntry) error {
	if !layout.ValidPath(e.name) {
		return fmt.Errorf("the zip has an invalid path %.80q", e.name)
	}
	if e.size < 0 || e.packed < 0 || e.header < 0 || e.header > z.start || e.packed > z.start-e.header {
		return fmt.Errorf("damaged zip: %s is outside of it", e.name)
	}
	return nil
}

// isOurs reports whether this package could have written e: stored, or deflated with its sizes in
// the header and a possible ratio.
func (e *directoryEntry) isOurs() bool {
	const most = 1032 // greatest ratio of deflate
	return e.method == storedMethod ||
		e.method == deflatedMethod && e.flags == utf8Names && e.size/most <= e.packed
}

// openForeign opens the zip with archive/zip, which checks headers and checksums.
func (z *zipFS) openForeign(size int64) (err error) {
	z.slots = nil
	if z.foreign, err = zip.NewReader(z.file, size); err != nil {
		return err
	}
	names := make(map[string]bool, len(z.foreign.File))
	for _, f := range z.foreign.File {
		if isFolder(f) {
			continue
		}
		switch {
		case !layout.ValidPath(f.Name):
			return fmt.Errorf("the zip has an invalid path %.80q", f.Name)
		case names[f.Name]:
			return fmt.Errorf("damaged zip: duplicate entry %s", f.Name)
		case !f.Mode().IsRegular():
			return fmt.Errorf("%s in the zip is not a regular file", f.Name)
		case f.UncompressedSize64 > math.MaxInt64:
			return fmt.Errorf("damaged zip: impossible size %[2]d of %[1]s", f.Name, f.UncompressedSize64)
		}
		names[f.Name] = true
	}
	return nil
}

// isFolder reports whether f is the entry of a folder, which many programs write.
func isFolder(f *zip.File) bool {
	name, ok := strings.CutSuffix(f.Name, "/")
	return ok && f.UncompressedSize64 == 0 && layout.ValidPath(name)
}

// findDirectory reads the end records of a zip that this package wrote: without a comment, and with
// 64-bit sizes.
func (z *zipFS) findDirectory(size int64) (count uint64, err error) {
	end := make([]byte, 20+22)
	if size < int64(len(end)) {
		return 0, errNoZip
	}
	if _, err := z.file.ReadAt(end, size-int64(len(end))); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(end[20:]) != endSignature || binary.LittleEndian.Uint32(end) != locator64Signature {
		return 0, z.openForeign(size)
	}
	end64 := make([]byte, 56)
	if _, err := z.file.ReadAt(end64, int64(binary.LittleEndian.Uint64(end[8:]))); err != nil ||
		binary.LittleEndian.Uint32(end64) != end64Signature {
		return 0, errors.Join(errNoZip, err)
	}
	count = binary.LittleEndian.Uint64(end64[32:])
	z.size, z.start = int64(binary.LittleEndian.Uint64(end64[40:])), int64(binary.LittleEndian.Uint64(end64[48:]))
	if z.size < 0 || z.start < 0 || z.start > size || z.size > size-z.start {
		return 0, fmt.Errorf("damaged zip: the directory is outside of it")
	}
	return count, nil
}

// directoryEntry is an entry of the central directory.
type directoryEntry struct {
	at                 int64
	name               []byte // valid until the next entry
	method, flags      uint16
	size, header, next int64
	packed             int64 // size in the zip
	crc                uint32
}

// directoryEntries yields the directory entries without copying them.
func (z *zipFS) directoryEntries() iter.Seq2[directoryEntry, error] {
	return func(yield func(directoryEntry, error) bool) {
		// Longer than any entry.
		r := bufio.NewReaderSize(io.NewSectionReader(z.file, z.start, z.size), 256<<10)
		for at := int64(0); at < z.size; {
			var e directoryEntry
			b, err := r.Peek(listedSize)
			if err == nil {
				b, err = r.Peek(listedSize + variableLength(b))
			}
			if err == nil {
				e, err = parseListed(b, at)
			}
			if err != nil {
				yield(e, errors.Join(errDirectory, err))
				return
			}
			if !yield(e, nil) {
				return
			}
			r.Discard(len(b)) // it was peeked
			at = e.next
		}
	}
}

// listedSize is the length of the fixed fields of a directory entry.
const listedSize = 46

var errDirectory = errors.New("damaged zip: malformed directory")

// variableLength returns the length of the variable fields: name, extra field and comment.
func variableLength(fixed []byte) int {
	le := binary.LittleEndian
	return int(le.Uint16(fixed[28:])) + int(le.Uint16(fixed[30:])) + int(le.Uint16(fixed[32:]))
}

func (z *zipFS) readListed(at int64) (directoryEntry, error) {
	directory := io.NewSectionReader(z.file, z.start, z.size)
	b := make([]byte, listedSize, listedSize+128)
	if _, err := directory.ReadAt(b, at); err != nil {
		return directoryEntry{}, errors.Join(errDirectory, err)
	}
	b = append(b, make([]byte, variableLength(b))...)
	if _, err := directory.ReadAt(b[listedSize:], at+listedSize); err != nil {
		return directoryEntry{}, errors.Join(errDirectory, err)
	}
	return parseListed(b, at)
}

func parseListed(b []byte, at int64) (directoryEntry, error) {
	if binary.LittleEndian.Uint32(b) != directorySignature {
		return directoryEntry{}, errDirectory
	}
	names, extras := int(binary.LittleEndian.Uint16(b[28:])), int(binary.LittleEndian.Uint16(b[30:]))
	e := directoryEntry{
		at: at, name: b[listedSize:][:names],
		flags: binary.LittleEndian.Uint16(b[8:]), method: binary.LittleEndian.Uint16(b[10:]),
		packed: int64(binary.LittleEndian.Uint32(b[20:])), size: int64(binary.LittleEndian.Uint32(b[24:])),
		header: int64(binary.LittleEndian.Uint32(b[42:])),
		crc:    binary.LittleEndian.Uint32(b[16:]), next: at + int64(len(b)),
	}
	e.parseZip64(b[listedSize+names:][:extras])
	if e.method == storedMethod && e.packed != e.size {
		return directoryEntry{}, errDirectory
	}
	return e, nil
}

// parseZip64 sets sizes and offsets that need 64 bits from the extra field.
func (e *directoryEntry) parseZip64(extra []byte) {
	if len(extra) < 4 || binary.LittleEndian.Uint16(extra) != 1 {
		return
	}
	extra = extra[4:]
	if e.size == math.MaxUint32 && len(extra) >= 16 {
		e.size, e.packed = int64(binary.LittleEndian.Uint64(extra)), int64(binary.LittleEndian.Uint64(extra[8:]))
		extra = extra[16:]
	}
	if e.header == math.MaxUint32 && len(extra) >= 8 {
		e.header = int64(binary.LittleEndian.Uint64(extra))
	}
}

// Names yields the names of all files, in the order of the zip.
func (z *zipFS) Names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if z.foreign != nil {
			for _, f := range z.foreign.File {
				if !isFolder(f) && !yield(f.Name, nil) {
					return
				}
			}
			return
		}
		for e, err := range z.directoryEntries() {
			if !yield(string(e.name), err) || err != nil {
				return
			}
		}
	}
}

func (z *zipFS) Open(name string) (fs.File, error) {
	if z.foreign != nil {
		return z.foreign.Open(name)
	}
	_, _, e, err := z.lookup([]byte(name))
	if err != nil {
		return nil, err
	}
	if e.name == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return z.openEntry(e)
}

// openEntry opens the file of an entry. Its local header must have the same name and method,
// because other programs rely on it.
func (z *zipFS) openEntry(e directoryEntry) (fs.File, error) {
	const fixed = 30
	header := make([]byte, fixed+len(e.name), fixed+256)
	if _, err := z.file.ReadAt(header, e.header); err != nil ||
		binary.LittleEndian.Uint32(header) != localSignature ||
		binary.LittleEndian.Uint16(header[8:]) != e.method ||
		int(binary.LittleEndian.Uint16(header[26:])) != len(e.name) ||
		!bytes.Equal(header[fixed:], e.name) {
		return nil, &fs.PathError{
			Op:   "open",
			Path: string(e.name),
			Err:  errors.Join(errors.New("damaged zip: malformed header"), err),
		}
	}
	data := e.header + int64(len(header)) + int64(binary.LittleEndian.Uint16(header[28:]))
	if data > z.start || e.packed > z.start-data {
		return nil, &fs.PathError{Op: "open", Path: string(e.name), Err: errOutside}
	}
	if e.method == deflatedMethod {
		return &packedFile{Info: fileinfo.Info{Path: string(e.name), Length: e.size}, zip: z, entry: e, data: data}, nil
	}
	info := fileinfo.Info{Path: string(e.name), Length: e.size}
	in := io.NewSectionReader(z.file, data, e.size)
	return &storedFile{File: &fileinfo.File{Info: info, SectionReader: in}, crc: e.crc}, nil
}

var (
	errOutside  = errors.New("damaged zip: the file is outside of it")
	errChecksum = errors.New("damaged zip: wrong checksum or size")
)

// storedFile is an uncompressed file in a zip. Reading it from beginning to end checks its
// checksum.
type storedFile struct {
	*fileinfo.File
	crc, sum uint32
	read     int64 // number of bytes in sum
}

func (f *storedFile) Read(b []byte) (int, error) {
	at, err := f.SectionReader.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	n, err := f.SectionReader.Read(b)
	if at == f.read {
		f.sum = crc32.Update(f.sum, crc32.IEEETable, b[:n])
		f.read += int64(n)
	}
	if err == io.EOF && f.read == f.Size() && f.sum != f.crc {
		err = errChecksum
	}
	return n, err
}
