package store

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"slices"
	"sort"
	"time"
)

// zipFiles reads the files of a zip in place. The standard library's reader takes some hundred bytes for each entry; this one takes sixteen, because
// a release can have a million. A zip that some other program packed is left to the standard library.
type zipFiles struct {
	file    *os.File
	start   int64 // of the directory
	size    int64
	entries []zipEntry // by hash
	seed    maphash.Seed
	other   *zip.Reader // set if it does the reading
}

// zipEntry is where an entry of the directory lies.
type zipEntry struct {
	hash uint64 // of the name
	at   int64  // from the directory's start
}

var errNoZip = errors.New("this is no zip")

func openZip(path string) (*zipFiles, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	z := &zipFiles{file: f, seed: maphash.MakeSeed()}
	if err := z.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return z, nil
}

// read finds the directory and indexes it.
func (z *zipFiles) read() error {
	info, err := z.file.Stat()
	if err != nil {
		return err
	}
	count, err := z.findDirectory(info.Size())
	if err != nil || z.other != nil {
		return err
	}
	z.entries = make([]zipEntry, 0, min(count, uint64(z.size)/46))
	for e, err := range z.directory() {
		if err != nil {
			return err
		}
		if e.method != 0 {
			return z.useOther(info.Size())
		}
		z.entries = append(z.entries, zipEntry{maphash.Bytes(z.seed, e.name), e.at})
	}
	if uint64(len(z.entries)) != count {
		return fmt.Errorf("the zip has %d entries and says %d: it is damaged", len(z.entries), count)
	}
	slices.SortFunc(z.entries, func(a, b zipEntry) int { return cmp.Compare(a.hash, b.hash) })
	return nil
}

func (z *zipFiles) useOther(size int64) (err error) {
	z.entries = nil
	z.other, err = zip.NewReader(z.file, size)
	return err
}

// findDirectory reads the records at the end of a zip that was written here: without a comment, and with sizes of 64 bits.
func (z *zipFiles) findDirectory(size int64) (count uint64, err error) {
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
	if _, err := z.file.ReadAt(end64, int64(binary.LittleEndian.Uint64(end[8:]))); err != nil || binary.LittleEndian.Uint32(end64) != end64Signature {
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
	method             uint16
	size, header, next int64
}

// directory reads the entries one after the other.
func (z *zipFiles) directory() iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		r := bufio.NewReaderSize(io.NewSectionReader(z.file, z.start, z.size), 256<<10)
		for at := int64(0); at < z.size; {
			e, err := readListed(r, at)
			if !yield(e, err) || err != nil {
				return
			}
			at = e.next
		}
	}
}

// readListed reads an entry.
func readListed(r io.Reader, at int64) (listed, error) {
	var fixed [46]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil || binary.LittleEndian.Uint32(fixed[:]) != directorySignature {
		return listed{}, errors.Join(errors.New("the zip's directory is damaged"), err)
	}
	names, extras, comments := binary.LittleEndian.Uint16(fixed[28:]), binary.LittleEndian.Uint16(fixed[30:]), binary.LittleEndian.Uint16(fixed[32:])
	rest := make([]byte, int(names)+int(extras)+int(comments))
	if _, err := io.ReadFull(r, rest); err != nil {
		return listed{}, err
	}
	e := listed{
		at: at, name: rest[:names], method: binary.LittleEndian.Uint16(fixed[10:]),
		size: int64(binary.LittleEndian.Uint32(fixed[24:])), header: int64(binary.LittleEndian.Uint32(fixed[42:])),
		next: at + int64(len(fixed)+len(rest)),
	}
	e.widen(rest[names : int(names)+int(extras)])
	return e, nil
}

// widen takes sizes of 64 bits from the extra field, where the others are full.
func (e *listed) widen(extra []byte) {
	if len(extra) < 4 || binary.LittleEndian.Uint16(extra) != 1 {
		return
	}
	extra = extra[4:]
	if e.size == math.MaxUint32 && len(extra) >= 16 {
		e.size = int64(binary.LittleEndian.Uint64(extra))
		extra = extra[16:]
	}
	if e.header == math.MaxUint32 && len(extra) >= 8 {
		e.header = int64(binary.LittleEndian.Uint64(extra))
	}
}

// Names are the names of all files, in the order of the zip.
func (z *zipFiles) Names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if z.other != nil {
			for _, f := range z.other.File {
				if !yield(f.Name, nil) {
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
func (z *zipFiles) Open(name string) (fs.File, error) {
	if z.other != nil {
		return z.other.Open(name)
	}
	hash := maphash.String(z.seed, name)
	for i := sort.Search(len(z.entries), func(i int) bool { return z.entries[i].hash >= hash }); i < len(z.entries) && z.entries[i].hash == hash; i++ {
		at := z.entries[i].at
		e, err := readListed(io.NewSectionReader(z.file, z.start+at, z.size-at), at)
		if err != nil {
			return nil, err
		}
		if string(e.name) == name {
			return z.open(e)
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// open reads the header before a file, which says where the file begins.
func (z *zipFiles) open(e listed) (fs.File, error) {
	var header [30]byte
	if _, err := z.file.ReadAt(header[:], e.header); err != nil || binary.LittleEndian.Uint32(header[:]) != localSignature {
		return nil, &fs.PathError{Op: "open", Path: string(e.name), Err: errors.Join(errors.New("the zip is damaged"), err)}
	}
	data := e.header + 30 + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	return &storedFile{io.NewSectionReader(z.file, data, e.size), string(bytes.Clone(e.name))}, nil
}

// storedFile is a file in a zip.
type storedFile struct {
	*io.SectionReader
	name string
}

func (f *storedFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *storedFile) Close() error               { return nil }

// What a file in a zip can tell of itself.

func (f *storedFile) Name() string       { return path.Base(f.name) }
func (f *storedFile) Mode() fs.FileMode  { return 0o444 }
func (f *storedFile) ModTime() time.Time { return time.Time{} }
func (f *storedFile) IsDir() bool        { return false }
func (f *storedFile) Sys() any           { return nil }
