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

// Scratch is where an answer is made of what lies in files. What is on it is good until the next
// answer is made there.
type Scratch struct {
	NoWait         bool   // whether nothing may be waited for; what would have to be is ErrWouldBlock
	line           []byte // of a listing
	record         []byte
	head           []byte
	representation [1]representation
	resource       resource
	page           release.File // which the resource is made of, if it is a page
	diskFile       *diskFile    // what is known of the page
	brought        bool         // whether the resource came from disk
}

// Clear takes away what belongs to a release, so that whoever has nothing to do does not keep it.
func (d *Scratch) Clear() {
	d.representation, d.resource = [1]representation{}, resource{}
	d.page, d.diskFile, d.brought = release.File{}, nil, false
}

// SmallBody is how large a body may be that is sent together with its head.
const SmallBody = 16 << 10

// maxShelved is how large a file may be that a large release has in memory, or that room is kept
// for.
const maxShelved = 64 << 10

// How much of a line is read at first. Most lines are shorter.
const (
	usualEntry  = 512
	usualRecord = 2 << 10
)

// single makes a resource of a record on disk; nil if it has another ID.
func (l *Library) single(from *listing, e diskFile, asked string, encoded bool, d *Scratch) (*resource, error) {
	line, err := d.lineAt(from.path, from.lines, e.line, &d.line, usualEntry)
	if err != nil {
		return nil, err
	}
	id, sum, err := release.Line{Text: line}.Pin()
	if err != nil || string(id) != asked {
		return nil, err
	}
	data, err := d.lineAt(from.kind.Collection, from.records, e.record, &d.record, usualRecord)
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

// page makes a resource of a page on disk, whose bodies are left for later; nil if it has
// another path.
func (l *Library) page(from *listing, e *diskFile, path string, encoded bool, d *Scratch) (*resource, error) {
	if d.NoWait && atomic.LoadInt64(&e.record) == 0 {
		return nil, ErrWouldBlock
	}
	line, err := d.lineAt(from.path, from.lines, e.line, &d.line, usualEntry)
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
	return l.take(&d.page, func(_ string, size int64, _ release.Digest) (Body, error) { return Body{Size: size}, nil })
}

// fill is the body in the encoding that was chosen, which is read if it is not there: that of a
// page, or of a large file that lies in a zip packed.
func (l *Library) fill(f *representation, d *Scratch) (Body, error) {
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

// readPage reads a page as it is. Where it lies in a zip is found once, and remembered.
func (l *Library) readPage(d *Scratch) (Body, error) {
	p, at := &d.page, atomic.LoadInt64(&d.diskFile.record)
	if at == 0 {
		b, err := l.readWhole(p.Path, p.Size, p.SHA256)
		if err == nil && l.disk.zip != nil {
			_, at = l.inZip(p.Path)
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

// lineAt is the line of a listing or collection that begins somewhere, without the comma after it.
// It lies in the room that there is for it, or in the body.
func (d *Scratch) lineAt(path string, b Body, at int64, room *[]byte, usual int64) ([]byte, error) {
	for size := usual; ; size *= 8 {
		part, err := d.read(room, b, at, min(size, b.Size-at))
		if end := bytes.IndexByte(part, '\n'); end >= 0 {
			return bytes.TrimSuffix(part[:end], []byte{','}), nil
		}
		switch {
		// a large one would have to stay until it is sent
		case d.NoWait && (err != nil || 8*size > SmallBody):
			return nil, ErrWouldBlock
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case at+size >= b.Size || size > layout.MaxLine:
			return nil, fmt.Errorf("%s has a line without an end", path)
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
		if size <= maxShelved {
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

// proven are pairs of a record and a variant that was seen to decode to it: by digest, so that this
// holds whatever becomes of the files. Decoding takes much longer than all else.
type proven struct {
	mu    sync.Mutex
	pairs map[[2]release.Digest]bool
}

const maxProven = 1 << 15

func (p *proven) has(pair [2]release.Digest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pairs[pair]
}

func (p *proven) add(pair [2]release.Digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pairs == nil || len(p.pairs) >= maxProven {
		p.pairs = map[[2]release.Digest]bool{}
	}
	p.pairs[pair] = true
}
