package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/fileinfo"
	"stele/internal/disk/scratch"
)

// Compression methods of the entries that this package writes.
const (
	storedMethod   = 0
	deflatedMethod = 8
)

// Pack adds a file in compressed form, from its gzip variant: the data between the header and
// trailer of a gzip file are those of a deflated zip entry, and the trailer has the checksum.
func (z *zipWriter) Pack(path string, size int64, gz io.ReaderAt, length int64) error {
	if err := checkPath(path); err != nil {
		return err
	}
	var head [10]byte
	var end [8]byte
	if length < int64(len(head)+len(end)) {
		return fmt.Errorf("%s: %w", path, errNoGzip)
	}
	if _, err := gz.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := gz.ReadAt(end[:], length-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != deflatedMethod || head[3] != 0 ||
		binary.LittleEndian.Uint32(end[4:]) != uint32(size) {
		return fmt.Errorf("%s: %w", path, errNoGzip)
	}
	e := entry{
		header: z.offset, size: size, packed: length - int64(len(head)+len(end)), method: deflatedMethod,
		crc: binary.LittleEndian.Uint32(end[:]),
	}
	z.header = appendLocalHeader(z.header[:0], path, e, size >= longField)
	if err := z.write(z.header); err != nil {
		return err
	}
	n, err := io.Copy(writerFunc(z.write), io.NewSectionReader(gz, int64(len(head)), e.packed))
	if err == nil && n != e.packed {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return z.addToDirectory(path, e)
}

var errNoGzip = errors.New("the gzip variant does not belong to the file")

type writerFunc func([]byte) error

func (w writerFunc) Write(b []byte) (int, error) { return len(b), w(b) }

// unpacked are the large deflated files of a zip that were opened for random access, inflated to
// scratch files until the zip is closed.
type unpacked struct {
	mu    sync.Mutex
	files map[int64]*os.File // by offset of their entries
}

// Close closes the zip and its inflated files.
func (z *zipFS) Close() error {
	z.unpackedFiles.mu.Lock()
	defer z.unpackedFiles.mu.Unlock()
	err := z.file.Close()
	for _, f := range z.unpackedFiles.files {
		err = errors.Join(err, f.Close())
	}
	z.unpackedFiles.files = nil
	return err
}

// packedFile is a deflated file in a zip. Reading it to the end checks its size and checksum.
type packedFile struct {
	fileinfo.Info
	zip      *zipFS
	entry    directoryEntry
	data     int64 // offset of the data
	inflated io.ReadCloser
	sum      uint32
	read     int64
	once     sync.Once
	whole    []byte // the content, once ReadAt was called
	err      error
}

func (f *packedFile) Read(b []byte) (int, error) {
	if f.inflated == nil {
		f.inflated = compress.Inflate(f.Packed())
	}
	n, err := f.inflated.Read(b)
	f.sum = crc32.Update(f.sum, crc32.IEEETable, b[:n])
	f.read += int64(n)
	switch {
	case f.read > f.entry.size || err == io.EOF && (f.read != f.entry.size || f.sum != f.entry.crc):
		err = errChecksum
	case err != nil && err != io.EOF:
		err = fmt.Errorf("%w (%w)", errChecksum, err)
	}
	return n, err
}

// maxInMemory is the greatest size of a file that ReadAt inflates into memory.
const maxInMemory = 4 << 20

// ReadAt implements io.ReaderAt. The first call inflates the file.
func (f *packedFile) ReadAt(b []byte, at int64) (int, error) {
	if f.entry.size > maxInMemory {
		on, err := f.Unpacked()
		if err != nil {
			return 0, err
		}
		return on.ReadAt(b, at)
	}
	f.once.Do(func() {
		var whole bytes.Buffer
		f.err = f.inflateTo(&whole)
		f.whole = whole.Bytes()
	})
	if f.err != nil {
		return 0, f.err
	}
	return bytes.NewReader(f.whole).ReadAt(b, at)
}

// Packed returns the compressed data in the zip.
func (f *packedFile) Packed() *io.SectionReader {
	return io.NewSectionReader(f.zip.file, f.data, f.entry.packed)
}

// Unpacked returns a file with the inflated content. It is closed with the zip.
func (f *packedFile) Unpacked() (*os.File, error) {
	u := &f.zip.unpackedFiles
	u.mu.Lock()
	defer u.mu.Unlock()
	if on, ok := u.files[f.entry.header]; ok {
		return on, nil
	}
	on, err := scratch.New("", "stele-unpacked-*")
	if err != nil {
		return nil, err
	}
	if err := f.inflateTo(on); err != nil {
		return nil, errors.Join(err, on.Close())
	}
	if u.files == nil {
		u.files = map[int64]*os.File{}
	}
	u.files[f.entry.header] = on
	return on, nil
}

func (f *packedFile) inflateTo(w io.Writer) error {
	again := &packedFile{zip: f.zip, entry: f.entry, data: f.data}
	_, err := io.Copy(w, again)
	return errors.Join(err, again.Close())
}

func (f *packedFile) Close() error {
	if f.inflated == nil {
		return nil
	}
	return f.inflated.Close()
}
