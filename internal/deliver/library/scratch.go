package library

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

// Scratch is memory for an answer that is read from files. Its content is valid until the next
// answer that uses it.
type Scratch struct {
	NoWait         bool   // return ErrWouldBlock instead of waiting for a disk
	line           []byte // of a listing
	record         []byte
	head           []byte
	representation [1]representation
	resource       resource
	page           release.File // the file that the resource is made from, if it is a page
	diskFile       *diskFile    // index entry of the page
	fromDisk       bool         // whether the resource was read from disk
}

// Clear removes references to a release, so that an idle Scratch does not retain it.
func (d *Scratch) Clear() {
	d.representation, d.resource = [1]representation{}, resource{}
	d.page, d.diskFile, d.fromDisk = release.File{}, nil, false
}

// SmallBody is the maximum size of a body that is sent together with its head.
const SmallBody = 16 << 10

// maxIndexed is the maximum size of a file that stays in memory for a large release, and of a
// buffer that is reused.
const maxIndexed = 64 << 10

// Sizes of the first read of a line. Most lines are shorter.
const (
	usualEntry  = 512
	usualRecord = 2 << 10
)

// singleResource returns the record e on disk as a resource, or nil if its ID is not the requested
// one.
func (l *Library) singleResource(from *listing, e diskFile, asked string, encoded bool, d *Scratch) (*resource, error) {
	line, err := d.readLine(from.path, from.lines, e.line, &d.line, usualEntry)
	if err != nil {
		return nil, err
	}
	id, sum, err := release.Line{Text: line}.Pin()
	if err != nil || string(id) != asked {
		return nil, err
	}
	data, err := d.readLine(from.kind.Collection, from.records, e.record, &d.record, usualRecord)
	if err == nil && sha256.Sum256(data) != sum {
		err = fmt.Errorf("%s: %s %w", from.kind.Collection, id, ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	encoded = encoded && mayHaveVariants(data)
	if encoded && d.NoWait {
		return nil, ErrWouldBlock
	}
	f := appendRepresentation(d.head[:0], compress.Identity, InMemory(data), sum)
	d.head, d.representation[0] = f.head, f
	d.resource = resource{head: from.head, representations: d.representation[:]}
	if encoded {
		forms, err := l.withVariants(f, from.before+asked+from.after, sum)
		if err != nil {
			return nil, err
		}
		d.resource = *newResource(from.head, forms...)
	}
	return &d.resource, nil
}

// pageResource returns the page e on disk as a resource without its bodies, or nil if its path is
// not path.
func (l *Library) pageResource(from *listing, e *diskFile, path string, encoded bool, d *Scratch) (*resource, error) {
	if d.NoWait && atomic.LoadInt64(&e.record) == 0 {
		return nil, ErrWouldBlock
	}
	line, err := d.readLine(from.path, from.lines, e.line, &d.line, usualEntry)
	if err != nil {
		return nil, err
	}
	if d.page, err = (release.Line{Text: line}).File(); err != nil || d.page.Path != path {
		return nil, err
	}
	if d.NoWait && (d.page.Size > SmallBody || encoded && len(d.page.Variants) > 0) {
		return nil, ErrWouldBlock
	}
	d.diskFile = e
	return l.newFileResource(&d.page, func(_ string, size int64, _ release.Digest) (Body, error) {
		return Body{Size: size}, nil
	})
}

// loadBody returns the body of a representation. It reads the body of a page, or of a large file
// that is compressed in a zip.
func (l *Library) loadBody(f *representation, d *Scratch) (Body, error) {
	switch {
	case f.packed != nil:
		return f.packed.open(l, d.NoWait)
	case f.Size == 0 || f.Data != nil || f.File != nil:
		return f.Body, nil
	case f.coding == compress.Identity:
		return l.readPage(d)
	}
	i := slices.IndexFunc(d.page.Variants, func(v release.Variant) bool { return v.Encoding == f.coding.String() })
	v := &d.page.Variants[i]
	return l.readWhole(v.Path, v.Size, v.SHA256)
}

// readPage reads a page without an encoding. If the page is in a zip, readPage looks up its offset
// once and stores it.
func (l *Library) readPage(d *Scratch) (Body, error) {
	p, at := &d.page, atomic.LoadInt64(&d.diskFile.record)
	if at == 0 {
		b, err := l.readWhole(p.Path, p.Size, p.SHA256)
		if err == nil && l.disk.zip != nil {
			_, at = l.findInZip(p.Path)
			atomic.StoreInt64(&d.diskFile.record, at)
		}
		return b, err
	}
	data, err := d.read(&d.record, Body{File: l.disk.zip, At: at}, 0, p.Size)
	if err == nil && sha256.Sum256(data) != p.SHA256 {
		err = ErrDamaged
	}
	if err != nil {
		return Body{}, fmt.Errorf("%s %w", p.Path, err)
	}
	return InMemory(data), nil
}

// readLine returns the line at offset at of a listing or collection, without its comma. The line is
// in room or in the body.
func (d *Scratch) readLine(path string, b Body, at int64, room *[]byte, usual int64) ([]byte, error) {
	for size := usual; ; size *= 8 {
		part, err := d.read(room, b, at, min(size, b.Size-at))
		if end := bytes.IndexByte(part, '\n'); end >= 0 {
			return bytes.TrimSuffix(part[:end], []byte{','}), nil
		}
		switch {
		// a large line would be retained until it is sent
		case d.NoWait && (err != nil || 8*size > SmallBody):
			return nil, ErrWouldBlock
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case at+size >= b.Size || size > layout.MaxLine:
			return nil, fmt.Errorf("%s: unterminated line", path)
		}
	}
}

func (d *Scratch) read(room *[]byte, b Body, at, size int64) ([]byte, error) {
	if b.Data != nil {
		return b.Data[at : at+size], nil
	}
	part := *room
	if int64(cap(part)) < size {
		part = make([]byte, size)
		if size <= maxIndexed {
			*room = part
		}
	}
	part = part[:size]
	if d.NoWait {
		n, err := readCached(b.File, part, b.At+at)
		return part[:n], err
	}
	n, err := b.File.ReadAt(part, b.At+at)
	return part[:n], err
}

// verifiedVariants is a set of records with variants that decode to them. Records and variants are
// identified by digest, so an entry remains valid. Decoding takes much longer than all other steps.
type verifiedVariants struct {
	mu    sync.Mutex
	pairs map[[2]release.Digest]bool
}

const maxProven = 1 << 15

func (p *verifiedVariants) has(pair [2]release.Digest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pairs[pair]
}

func (p *verifiedVariants) add(pair [2]release.Digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pairs == nil || len(p.pairs) >= maxProven {
		p.pairs = map[[2]release.Digest]bool{}
	}
	p.pairs[pair] = true
}
