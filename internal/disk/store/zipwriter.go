package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"

	"stele/internal/base/fileinfo"
	"stele/internal/disk/durable"
)

// zipWriter writes a release as a zip. Entries are stored uncompressed, except those added with
// Pack, so that they can be served from the zip. A release can have a million files, so the
// directory is collected in a file; archive/zip would need a few hundred bytes of memory for each.
type zipWriter struct {
	target        string
	file          *os.File
	out           *writeBack
	w             *bufio.Writer
	header        []byte // buffer for headers
	offset        int64
	directory     *os.File // the central directory until it is copied to the end
	listing       *bufio.Writer
	directorySize int64
	count         uint64
	mu            sync.Mutex       // protects large, because files are read while others are written
	large         map[string]entry // files that Create wrote
	unlock        func()
	done          bool
}

// entry is the location and description of a file in the zip.
type entry struct {
	header, data, size int64
	packed             int64 // size in the zip
	method             uint16
	crc                uint32
}

// Signatures and fixed fields of the ZIP format (APPNOTE.TXT 6.3).
const (
	localSignature     = 0x04034b50
	directorySignature = 0x02014b50
	endSignature       = 0x06054b50
	end64Signature     = 0x06064b50
	locator64Signature = 0x07064b50
	needsZip64         = 45        // version needed to extract
	madeByUnix         = 3<<8 | 45 // makes tools apply the permissions below
	regularFile        = 0o100644 << 16
	utf8Names          = 0x800
	// 1 January 1980, the earliest date of a zip: a release's content has no times.
	firstDay  = 1<<5 | 1
	longField = math.MaxUint32
)

func newZipWriter(target string, unlock func()) (*zipWriter, error) {
	file, err := os.CreateTemp(filepath.Dir(target), filepath.Base(hiddenPath(target, "new-*")))
	if err != nil {
		return nil, err
	}
	directory, err := os.CreateTemp(filepath.Dir(target), filepath.Base(hiddenPath(target, "new-*")))
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

// writeBack is a file that is synced in the background while it is written, which shortens the wait
// at the end.
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

// Discard closes and removes the file.
func (f *writeBack) Discard() error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// Put adds data as the file at path.
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
	return z.addToDirectory(path, e)
}

// write appends b. It does not buffer a large b.
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

// Create adds a large file. Closing it rewrites its header with the size and checksum.
func (z *zipWriter) Create(path string) (File, error) {
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

// Discard truncates the zip to the beginning of the file.
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
	return f.z.addToDirectory(f.path, f.entry)
}

// Files returns the files that Create wrote.
func (z *zipWriter) Files() fs.FS { return largeFiles{z} }

type largeFiles struct{ *zipWriter }

// Open opens a file that Create wrote.
func (z largeFiles) Open(path string) (fs.File, error) {
	z.mu.Lock()
	e, ok := z.large[path]
	z.mu.Unlock()
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return fileinfo.New(path, io.NewSectionReader(z.file, e.data, e.size), e.size), nil
}

// appendLocalHeader appends a file's local header. That of a large file has room for 64-bit sizes.
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

// appendCommon appends the fields that local headers and directory entries share.
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

func (z *zipWriter) addToDirectory(path string, e entry) error {
	z.header = appendDirectoryEntry(z.header[:0], path, e)
	z.count++
	z.directorySize += int64(len(z.header))
	_, err := z.listing.Write(z.header)
	return err
}

// appendDirectoryEntry appends a file's directory entry.
func appendDirectoryEntry(b []byte, path string, e entry) []byte {
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
	b = append(b, make([]byte, 2+2+2)...) // no comment, disk 0, no internal attributes
	b = binary.LittleEndian.AppendUint32(b, regularFile)
	b = binary.LittleEndian.AppendUint32(b, offset)
	b = append(b, path...)
	if len(long) > 0 {
		b = appendZip64(b, long...)
	}
	return b
}

// Commit writes the directory and moves the zip to its target.
func (z *zipWriter) Commit() error {
	if err := z.moveToTarget(); err != nil {
		return notCommitted(z.target, err)
	}
	z.done = true
	defer z.unlock()
	synced := durable.SyncDir(filepath.Dir(z.target))
	return committedError(errors.Join(synced, z.directory.Close(), os.Remove(z.directory.Name())))
}

func (z *zipWriter) moveToTarget() error {
	if err := z.writeEnd(); err != nil {
		return err
	}
	if err := errors.Join(durable.SyncFile(z.file), z.file.Chmod(0o644), z.file.Close()); err != nil {
		return err
	}
	return os.Rename(z.file.Name(), z.target)
}

func (z *zipWriter) writeEnd() error {
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
	b := appendEndRecords(nil, z.count, start, z.directorySize)
	if _, err := z.w.Write(b); err != nil {
		return err
	}
	return z.w.Flush()
}

// appendEndRecords appends the end records of a zip whose directory has count entries, begins at
// start and has size bytes.
func appendEndRecords(b []byte, count uint64, start, size int64) []byte {
	end := start + size
	b = binary.LittleEndian.AppendUint32(b, end64Signature)
	b = binary.LittleEndian.AppendUint64(b, 44) // size of the rest of the record
	b = binary.LittleEndian.AppendUint16(b, madeByUnix)
	b = binary.LittleEndian.AppendUint16(b, needsZip64)
	b = append(b, make([]byte, 8)...) // disk 0
	for _, n := range []uint64{count, count, uint64(size), uint64(start)} {
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
	b = binary.LittleEndian.AppendUint32(b, uint32(min(size, longField)))
	b = binary.LittleEndian.AppendUint32(b, uint32(min(start, longField)))
	b = binary.LittleEndian.AppendUint16(b, 0) // no comment
	return b
}

// Abort removes everything that was written.
func (z *zipWriter) Abort() error {
	if z.done {
		return nil
	}
	z.done = true
	defer z.unlock()
	z.file.Close() // it may be closed already
	z.directory.Close()
	return errors.Join(os.Remove(z.file.Name()), os.Remove(z.directory.Name()))
}
