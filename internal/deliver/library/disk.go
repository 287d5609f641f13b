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

// ReadAt fills p with what begins somewhere in a body.
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

// openLarge checks a file, unless that is done when what is on disk is indexed, and leaves it open,
// so that it can be sent from where it lies.
func (l *Library) openLarge(path string, size int64, sum release.Digest) (Body, error) {
	f, err := l.release.Files.Open(path)
	if err != nil {
		return Body{}, err
	}
	b, ok := l.onDisk(f, size)
	if !ok {
		return l.keepWhole(path, size, sum)
	}
	if l.inspects(path) {
		return b, nil
	}
	if _, err := lists.Copy(io.Discard, f, size, &sum); err != nil {
		return Body{}, errors.Join(fmt.Errorf("%s %w", path, ErrDamaged), err)
	}
	return b, nil
}

// onDisk is where an open file lies, and keeps it open. It is false for a file that lies in memory.
func (l *Library) onDisk(f fs.File, size int64) (b Body, ok bool) {
	b.Size = size
	switch f := f.(type) {
	case *os.File:
		b.File = f
		l.keepOpen(f)
	case stored: // a part of a zip, which is open anyway
		b.File, b.At = partOf(f)
	case packed: // unpacked where there is room for it, else it has to be held
		if info, err := f.Stat(); err == nil && info.Size() == size {
			b.File, _ = f.Unpacked()
		}
	}
	return b, b.File != nil
}

type stored interface {
	Outer() (outer io.ReaderAt, at, size int64)
}

// packed is a file that lies in a zip compressed, and can be had as it is while the zip is open.
type packed interface {
	fs.File
	Unpacked() (*os.File, error)
	Packed() *io.SectionReader
}

// partOf is the open file that a stored one lies in, and where; nil for one that lies in memory.
func partOf(f stored) (zip *os.File, at int64) {
	outer, at, _ := f.Outer()
	zip, _ = outer.(*os.File)
	return zip, at
}

// packedFile is a large file that lies in a zip packed. When somebody asks for it as it is, it is
// unpacked from its gzip variant, which was checked, where there is room for it; else it is held.
type packedFile struct {
	path string
	size int64
	sum  release.Digest
	in   packed
	from Body // the gzip variant

	mu     sync.Mutex
	body   Body      // empty until it is unpacked
	failed error     // why it could not be unpacked the last time
	again  time.Time // when that is tried again
}

// unpackPause is how long a file that cannot be unpacked is not tried again: each try may write
// gigabytes.
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
		if p.failed != nil && time.Now().Before(p.again) {
			return b, p.failed
		}
		p.body, p.failed = p.unpack(l)
		p.again = time.Now().Add(unpackPause)
	}
	return p.body, p.failed
}

func (p *packedFile) unpack(l *Library) (b Body, err error) {
	if b.File, err = p.onScratch(); err == nil {
		l.keepOpen(b.File)
		return Body{File: b.File, Size: p.size}, nil
	}
	b, tooLarge := l.keepWhole(p.path, p.size, p.sum)
	if tooLarge == nil {
		return b, nil
	}
	return b, errors.Join(tooLarge, err)
}

func (p *packedFile) onScratch() (*os.File, error) {
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

// settle makes sure that a packed file has what its gzip variant has, which was checked. One that
// was packed otherwise, or is damaged, is read now.
func (l *Library) settle(r *resource) (err error) {
	b, p := &r.representations[0].Body, r.representations[0].packed
	if p == nil {
		return nil
	}
	const head, end = 10, 8 // of gzip; between them, it has what a zip has
	p.from = r.in(compress.Gzip).Body
	deflated, sum := p.from.Slice(head, max(p.from.Size-head-end, 0)), sha256.New()
	if _, err = io.Copy(sum, deflated.reader()); err == nil {
		_, err = lists.Copy(io.Discard, p.in.Packed(), deflated.Size, (*release.Digest)(sum.Sum(nil)))
	}
	if err != nil {
		*b, err = l.read(p.path, p.size, p.sum)
	}
	return err
}

func (l *Library) inZip(path string) (zip *os.File, at int64) {
	f, err := l.release.Files.Open(path)
	if err != nil {
		return nil, 0
	}
	defer f.Close() // it was not even read
	if f, ok := f.(stored); ok {
		return partOf(f)
	}
	return nil, 0
}

func (l *Library) keepOpen(f *os.File) {
	l.openMu.Lock()
	defer l.openMu.Unlock()
	l.open = append(l.open, f)
}
