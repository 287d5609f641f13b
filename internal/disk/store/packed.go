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

// The methods of the entries that are written here.
const (
	storedMethod   = 0
	deflatedMethod = 8
)

// Pack adds a file as its gzip variant has it, without compressing anything: between a head and an
// end, a gzip file is what a zip has of a deflated entry, and the end has the checksum.
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
	return z.list(path, e)
}

var errNoGzip = errors.New("its variant is not what gzip makes of it")

type writerFunc func([]byte) error

func (w writerFunc) Write(b []byte) (int, error) { return len(b), w(b) }

// unpacked are the large deflated files of a zip that somebody reads from anywhere, on scratch
// files until the zip is closed.
type unpacked struct {
	mu    sync.Mutex
	files map[int64]*os.File // by where their entries begin; their order does not matter
}

// Close lets go of a zip.
func (z *zipFS) Close() error {
	z.unpacked.mu.Lock()
	defer z.unpacked.mu.Unlock()
	err := z.file.Close()
	for _, f := range z.unpacked.files {
		err = errors.Join(err, f.Close())
	}
	z.unpacked.files = nil
	return err
}

// packedFile is a deflated file in a zip. Whoever reads it to its end learns whether its size and
// its checksum are right.
type packedFile struct {
	fileinfo.Info
	zip      *zipFS
	entry    listed
	data     int64 // where it begins
	inflated io.ReadCloser
	sum      uint32
	read     int64
	once     sync.Once
	whole    []byte // if somebody read it from anywhere
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

// mostInflated is how large a file may be that is unpacked into memory to be read from anywhere.
const mostInflated = 4 << 20

// ReadAt unpacks the file when it is called first.
func (f *packedFile) ReadAt(b []byte, at int64) (int, error) {
	if f.entry.size > mostInflated {
		on, err := f.Unpacked()
		if err != nil {
			return 0, err
		}
		return on.ReadAt(b, at)
	}
	f.once.Do(func() {
		var whole bytes.Buffer
		f.err = f.unpack(&whole)
		f.whole = whole.Bytes()
	})
	if f.err != nil {
		return 0, f.err
	}
	return bytes.NewReader(f.whole).ReadAt(b, at)
}

// Packed is the file as it lies in the zip.
func (f *packedFile) Packed() *io.SectionReader {
	return io.NewSectionReader(f.zip.file, f.data, f.entry.packed)
}

// Unpacked is a file that has what this one holds, and is open as long as the zip.
func (f *packedFile) Unpacked() (*os.File, error) {
	u := &f.zip.unpacked
	u.mu.Lock()
	defer u.mu.Unlock()
	if on, ok := u.files[f.entry.header]; ok {
		return on, nil
	}
	on, err := scratch.New("", "stele-unpacked-*")
	if err != nil {
		return nil, err
	}
	if err := f.unpack(on); err != nil {
		return nil, errors.Join(err, on.Close())
	}
	if u.files == nil {
		u.files = map[int64]*os.File{}
	}
	u.files[f.entry.header] = on
	return on, nil
}

// unpack writes the file, from its beginning.
func (f *packedFile) unpack(w io.Writer) error {
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
