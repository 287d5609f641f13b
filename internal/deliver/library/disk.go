package library

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"stele/internal/base/compress"
	"stele/internal/disk/lists"
	"stele/internal/disk/scratch"
	"stele/release"
)

// ReadAt fills p from offset at of a body.
func (b Body) ReadAt(p []byte, at int64) error {
	if b.Data != nil {
		copy(p, b.Data[at:])
		return nil
	}
	_, err := b.File.ReadAt(p, b.At+at)
	return err
}

func (b Body) reader() io.Reader {
	if b.Data != nil {
		return bytes.NewReader(b.Data)
	}
	return io.NewSectionReader(b.File, b.At, b.Size)
}

// openLarge opens a file and verifies its digest, unless indexing does that. The file stays open,
// so that it can be sent directly.
func (l *Library) openLarge(path string, size int64, sum release.Digest) (Body, error) {
	f, err := l.release.Files.Open(path)
	if err != nil {
		return Body{}, err
	}
	b, ok := l.onDisk(f, size)
	if !ok {
		return l.loadWhole(path, size, sum)
	}
	if l.isIndexed(path) {
		return b, nil
	}
	if _, err := lists.Copy(io.Discard, f, size, &sum); err != nil {
		return Body{}, errors.Join(fmt.Errorf("%s %w", path, ErrDamaged), err)
	}
	return b, nil
}

// onDisk returns the body of the open file f, which stays open. ok is false if the file is in
// memory.
func (l *Library) onDisk(f fs.File, size int64) (b Body, ok bool) {
	b.Size = size
	switch f := f.(type) {
	case *os.File:
		b.File = f
		l.keepOpen(f)
	case stored: // a part of the zip, which is open anyway
		b.File, b.At = positionInZip(f)
	case packed: // unpacked if there is room for it, otherwise held in memory
		if info, err := f.Stat(); err == nil && info.Size() == size {
			b.File, _ = f.Unpacked()
		}
	}
	return b, b.File != nil
}

type stored interface {
	Outer() (outer io.ReaderAt, at, size int64)
}

// packed is a compressed file in a zip. Its Unpacked method decompresses the file while the zip is
// open.
type packed interface {
	fs.File
	Unpacked() (*os.File, error)
	Packed() *io.SectionReader
}

// positionInZip returns the open zip that contains a stored file, and the file's offset. zip is nil
// if it is in memory.
func positionInZip(f stored) (zip *os.File, at int64) {
	outer, at, _ := f.Outer()
	zip, _ = outer.(*os.File)
	return zip, at
}

// packedFile is a large file that is compressed in a zip. When it is first requested without an
// encoding, it is unpacked from its verified gzip variant into a temporary file, or into memory if
// there is no room.
type packedFile struct {
	path string
	size int64
	sum  release.Digest
	in   packed
	from Body // the gzip variant

	mu      sync.Mutex
	body    Body      // empty until the file is unpacked
	failed  error     // why unpacking failed the last time
	retryAt time.Time // when to try again
}

// unpackPause is the pause after a file could not be unpacked: each attempt may write gigabytes.
const unpackPause = time.Minute

func (p *packedFile) open(l *Library, noWait bool) (b Body, err error) {
	if !p.mu.TryLock() {
		if noWait {
			return b, ErrWouldBlock
		}
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if p.body.Size == 0 {
		if noWait {
			return b, ErrWouldBlock
		}
		if p.failed != nil && time.Now().Before(p.retryAt) {
			return b, p.failed
		}
		p.body, p.failed = p.unpack(l)
		p.retryAt = time.Now().Add(unpackPause)
	}
	return p.body, p.failed
}

func (p *packedFile) unpack(l *Library) (b Body, err error) {
	if b.File, err = p.unpackToTemporary(); err == nil {
		l.keepOpen(b.File)
		return Body{File: b.File, Size: p.size}, nil
	}
	b, tooLarge := l.loadWhole(p.path, p.size, p.sum)
	if tooLarge == nil {
		return b, nil
	}
	return b, errors.Join(tooLarge, err)
}

func (p *packedFile) unpackToTemporary() (*os.File, error) {
	f, err := scratch.New("", "stele-unpacked-*")
	if err != nil {
		return nil, err
	}
	gzip, _ := compress.Named(compress.Gzip.String())
	in, err := gzip.Reader(p.from.reader())
	if err == nil {
		_, err = lists.Copy(f, in, p.size, &p.sum)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("unpack %s: %w", p.path, err), f.Close())
	}
	return f, nil
}

// compareWithGzip verifies that a packed file equals its verified gzip variant. It decodes a file
// that was compressed differently.
func (l *Library) compareWithGzip(r *resource) (err error) {
	b, p := &r.representations[0].Body, r.representations[0].packed
	if p == nil {
		return nil
	}
	const head, end = 10, 8 // of gzip; between them are the same bytes as in the zip
	p.from = r.withCoding(compress.Gzip).Body
	deflated, sum := p.from.Slice(head, max(p.from.Size-head-end, 0)), sha256.New()
	if _, err = io.Copy(sum, deflated.reader()); err == nil {
		_, err = lists.Copy(io.Discard, p.in.Packed(), deflated.Size, (*release.Digest)(sum.Sum(nil)))
	}
	if err != nil {
		*b, err = l.read(p.path, p.size, p.sum)
	}
	return err
}

func (l *Library) findInZip(path string) (zip *os.File, at int64) {
	f, err := l.release.Files.Open(path)
	if err != nil {
		return nil, 0
	}
	defer f.Close() // nothing was read from f
	if f, ok := f.(stored); ok {
		return positionInZip(f)
	}
	return nil, 0
}

func (l *Library) keepOpen(f *os.File) {
	l.openMu.Lock()
	defer l.openMu.Unlock()
	l.open = append(l.open, f)
}
