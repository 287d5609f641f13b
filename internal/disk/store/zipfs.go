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

// zipFS reads the files of a zip in place. The standard library's reader takes some hundred
// bytes for each entry; this one takes sixteen to thirty-two, because a release can have a million.
// A zip that some other program packed is left to the standard library.
type zipFS struct {
	file     *os.File
	start    int64 // of the directory
	size     int64
	slots    []slot // where the entries of the directory are, by the hash of their names
	seed     maphash.Seed
	other    *zip.Reader // set if it does the reading
	unpacked unpacked
}

// slot is the offset of an entry in the directory, counted from one, and above that some bits of
// the hash of its name. Zero is a free one.
type slot uint64

const offsetBits = 40

// offset is where the entry is.
func (s slot) offset() int64 { return int64(s&(1<<offsetBits-1)) - 1 }

var errNoZip = errors.New("this is not a zip")

func openZip(path string) (*zipFS, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := regular(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	z := &zipFS{file: f, seed: maphash.MakeSeed()}
	if err := z.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return z, nil
}

// read finds the directory and indexes it.
func (z *zipFS) read() error {
	info, err := z.file.Stat()
	if err != nil {
		return err
	}
	count, err := z.findDirectory(info.Size())
	if err != nil || z.other != nil {
		return err
	}
	if count > uint64(z.size)/listedSize || z.size >= 1<<offsetBits {
		return fmt.Errorf("the zip says that it has %d entries, in a directory of %d bytes: it is damaged", count, z.size)
	}
	z.slots = make([]slot, 1<<bits.Len64(2*count))
	entries := uint64(0)
	for e, err := range z.directory() {
		if err != nil {
			return err
		}
		if !e.isOurs() {
			return z.useOther(info.Size())
		}
		if entries++; entries > count {
			break
		}
		if err := z.check(&e); err != nil {
			return err
		}
		at, mark, other, err := z.look(e.name)
		if err != nil {
			return err
		}
		if other.name != nil {
			return fmt.Errorf("the zip has %s twice: it is damaged", e.name)
		}
		z.slots[at] = mark | slot(e.at+1)
	}
	if entries != count {
		return fmt.Errorf("the zip has %d entries and says %d: it is damaged", entries, count)
	}
	return nil
}

// look finds the entry of a name, or else the free slot where it would be, and the bits of the hash
// of the name that the slot would have.
func (z *zipFS) look(name []byte) (at uint64, mark slot, e listed, err error) {
	hash := maphash.Bytes(z.seed, name)
	most := uint64(len(z.slots) - 1) // there is a power of two of them
	mark = slot(hash >> offsetBits << offsetBits)
	for at = hash & most; z.slots[at] != 0; at = (at + 1) & most {
		if z.slots[at]>>offsetBits<<offsetBits != mark {
			continue
		}
		if e, err = z.readListed(z.slots[at].offset()); err != nil || bytes.Equal(e.name, name) {
			return at, mark, e, err
		}
	}
	return at, mark, listed{}, nil
}

// check refuses an entry that no zip of a release can have.
func (z *zipFS) check(e *listed) error {
	if !layout.ValidPath(e.name) {
		return fmt.Errorf("the zip has an entry %.80q, which is not a path within a release", e.name)
	}
	if e.size < 0 || e.packed < 0 || e.header < 0 || e.header > z.start || e.packed > z.start-e.header {
		return fmt.Errorf("%s lies outside of the zip: it is damaged", e.name)
	}
	return nil
}

// isOurs reports whether an entry is as they are written here: stored, or deflated with its sizes
// before it, and to no less than the format can.
func (e *listed) isOurs() bool {
	const most = 1032 // bytes for one
	return e.method == storedMethod ||
		e.method == deflatedMethod && e.flags == utf8Names && e.size/most <= e.packed
}

// useOther leaves the zip to the standard library, which makes sure of headers and checksums.
func (z *zipFS) useOther(size int64) (err error) {
	z.slots = nil
	if z.other, err = zip.NewReader(z.file, size); err != nil {
		return err
	}
	names := make(map[string]bool, len(z.other.File))
	for _, f := range z.other.File {
		if isFolder(f) {
			continue
		}
		switch {
		case !layout.ValidPath(f.Name):
			return fmt.Errorf("the zip has an entry %.80q, which is not a path within a release", f.Name)
		case names[f.Name]:
			return fmt.Errorf("the zip has %s twice: it is damaged", f.Name)
		case !f.Mode().IsRegular():
			return fmt.Errorf("%s in the zip is not an ordinary file", f.Name)
		case f.UncompressedSize64 > math.MaxInt64:
			return fmt.Errorf("%s in the zip cannot have %d bytes: it is damaged", f.Name, f.UncompressedSize64)
		}
		names[f.Name] = true
	}
	return nil
}

// isFolder reports whether an entry stands for a folder, as many programs write them.
func isFolder(f *zip.File) bool {
	name, ok := strings.CutSuffix(f.Name, "/")
	return ok && f.UncompressedSize64 == 0 && layout.ValidPath(name)
}

// findDirectory reads the records at the end of a zip that was written here: without a comment, and
// with sizes of 64 bits.
func (z *zipFS) findDirectory(size int64) (count uint64, err error) {
	end := make([]byte, 20+22)
	if size < int64(len(end)) {
		return 0, errNoZip
	}
	if _, err := z.file.ReadAt(end, size-int64(len(end))); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(end[20:]) != endSignature || binary.LittleEndian.Uint32(end) != locator64Signature {
		return 0, z.useOther(size)
	}
	end64 := make([]byte, 56)
	if _, err := z.file.ReadAt(end64, int64(binary.LittleEndian.Uint64(end[8:]))); err != nil ||
		binary.LittleEndian.Uint32(end64) != end64Signature {
		return 0, errors.Join(errNoZip, err)
	}
	count = binary.LittleEndian.Uint64(end64[32:])
	z.size, z.start = int64(binary.LittleEndian.Uint64(end64[40:])), int64(binary.LittleEndian.Uint64(end64[48:]))
	if z.size < 0 || z.start < 0 || z.start > size || z.size > size-z.start {
		return 0, fmt.Errorf("the zip's directory lies outside of it: it is damaged")
	}
	return count, nil
}

// listed is an entry of the directory.
type listed struct {
	at                 int64
	name               []byte // valid until the next one
	method, flags      uint16
	size, header, next int64
	packed             int64 // how many bytes the zip has of it
	crc                uint32
}

// directory reads the entries one after the other, without copying them.
func (z *zipFS) directory() iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		// more than an entry can have
		r := bufio.NewReaderSize(io.NewSectionReader(z.file, z.start, z.size), 256<<10)
		for at := int64(0); at < z.size; {
			var e listed
			b, err := r.Peek(listedSize)
			if err == nil {
				b, err = r.Peek(listedSize + listedRest(b))
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
			r.Discard(len(b)) // it was there to peek at
			at = e.next
		}
	}
}

// listedSize is the length of what every entry of the directory has; its name and more follow.
const listedSize = 46

var errDirectory = errors.New("the zip's directory is damaged")

// listedRest is the length of what follows: name, extra field and comment.
func listedRest(fixed []byte) int {
	le := binary.LittleEndian
	return int(le.Uint16(fixed[28:])) + int(le.Uint16(fixed[30:])) + int(le.Uint16(fixed[32:]))
}

// readListed reads the entry at an offset of the directory.
func (z *zipFS) readListed(at int64) (listed, error) {
	directory := io.NewSectionReader(z.file, z.start, z.size)
	b := make([]byte, listedSize, listedSize+128)
	if _, err := directory.ReadAt(b, at); err != nil {
		return listed{}, errors.Join(errDirectory, err)
	}
	b = append(b, make([]byte, listedRest(b))...)
	if _, err := directory.ReadAt(b[listedSize:], at+listedSize); err != nil {
		return listed{}, errors.Join(errDirectory, err)
	}
	return parseListed(b, at)
}

// parseListed reads an entry of the directory.
func parseListed(b []byte, at int64) (listed, error) {
	if binary.LittleEndian.Uint32(b) != directorySignature {
		return listed{}, errDirectory
	}
	names, extras := int(binary.LittleEndian.Uint16(b[28:])), int(binary.LittleEndian.Uint16(b[30:]))
	e := listed{
		at: at, name: b[listedSize:][:names],
		flags: binary.LittleEndian.Uint16(b[8:]), method: binary.LittleEndian.Uint16(b[10:]),
		packed: int64(binary.LittleEndian.Uint32(b[20:])), size: int64(binary.LittleEndian.Uint32(b[24:])),
		header: int64(binary.LittleEndian.Uint32(b[42:])),
		crc:    binary.LittleEndian.Uint32(b[16:]), next: at + int64(len(b)),
	}
	e.widen(b[listedSize+names:][:extras])
	if e.method == storedMethod && e.packed != e.size {
		return listed{}, errDirectory
	}
	return e, nil
}

// widen takes sizes of 64 bits from the extra field, where the others are full.
func (e *listed) widen(extra []byte) {
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

// Names returns the names of all files, in the order of the zip.
func (z *zipFS) Names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if z.other != nil {
			for _, f := range z.other.File {
				if !isFolder(f) && !yield(f.Name, nil) {
					return
				}
			}
			return
		}
		for e, err := range z.directory() {
			if !yield(string(e.name), err) || err != nil {
				return
			}
		}
	}
}

// Open opens a file.
func (z *zipFS) Open(name string) (fs.File, error) {
	if z.other != nil {
		return z.other.Open(name)
	}
	_, _, e, err := z.look([]byte(name))
	if err != nil {
		return nil, err
	}
	if e.name == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return z.open(e)
}

// open reads the header before a file, which says where the file begins. It must be the header of
// the same file: other programs go by it.
func (z *zipFS) open(e listed) (fs.File, error) {
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
			Err:  errors.Join(errors.New("the zip is damaged"), err),
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
	errOutside  = errors.New("it lies outside of the zip, which is damaged")
	errChecksum = errors.New("it does not have the checksum that the zip says: it is damaged")
)

// storedFile is a file in a zip. Whoever reads it from beginning to end learns whether its checksum
// is right.
type storedFile struct {
	*fileinfo.File
	crc, sum uint32
	read     int64 // how much of it is in the sum
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
