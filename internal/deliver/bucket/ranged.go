package bucket

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// ranged reads files of a pack by ranges of the object, as long as few of them are wanted. Whoever
// reads them compares them with the manifest.
type ranged struct {
	bucket *Bucket
	pack   *Pack
	whole  func(context.Context) (files, error) // fetches the pack

	mu    sync.Mutex
	zip   map[string]*zip.File
	at    block // read last
	guess int64 // how many bytes to read at once
	left  int64 // bytes that the directory may still take
	ctx   context.Context
	count int
	over  files // that take its place when many are wanted
}

// block is a part of the pack.
type block struct {
	at   int64
	data []byte
}

const (
	mostRanges    = 500       // files; beyond that the pack is fetched
	mostOfFile    = 1 << 20   // bytes of a file that is read into memory
	mostDirectory = 256 << 20 // bytes
	tail          = 64 << 10
)

// newRanged reads the directory of a pack.
func newRanged(ctx context.Context, b *Bucket, p *Pack, whole func(context.Context) (files, error)) (*ranged, error) {
	r := &ranged{bucket: b, pack: p, whole: whole, zip: map[string]*zip.File{}, ctx: ctx}
	r.guess, r.left = mostOfFile, mostDirectory
	begin := max(0, p.Size-tail)
	if _, err := r.read(begin, p.Size-begin); err != nil {
		return nil, err
	}
	in, err := zip.NewReader(directory{r}, p.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", b.name, p.Path, err)
	}
	for _, f := range in.File {
		r.zip[f.Name] = f
	}
	r.left = math.MaxInt64
	return r, nil
}

// directory reads a ranged pack in blocks, for the reader of its directory.
type directory struct{ *ranged }

// ReadAt reads from the last block, or reads another one.
func (d directory) ReadAt(to []byte, at int64) (int, error) {
	n := 0
	for n < len(to) {
		from, err := d.read(at+int64(n), int64(len(to)-n))
		if err != nil {
			return n, err
		}
		n += copy(to[n:], from)
	}
	return n, nil
}

// read returns the bytes at a position, as far as a block has them.
func (r *ranged) read(at, length int64) ([]byte, error) {
	if at >= r.pack.Size {
		return nil, io.EOF
	}
	if end := r.at.at + int64(len(r.at.data)); at < r.at.at || at >= end {
		size := min(max(length, r.guess), r.pack.Size-at)
		if r.left -= size; r.left < 0 || size > 64<<20 {
			return nil, errors.New("the directory of the pack is too large")
		}
		data := make([]byte, size)
		if _, err := r.bucket.ReadRange(r.ctx, r.pack.Path, at, size, &bytesAt{data, at}); err != nil {
			return nil, err
		}
		r.at = block{at, data}
	}
	return r.at.data[at-r.at.at:], nil
}

// bytesAt takes what is written from an offset on.
type bytesAt struct {
	data []byte
	at   int64
}

// WriteAt writes within the bytes.
func (b *bytesAt) WriteAt(from []byte, at int64) (int, error) {
	if at < b.at || at-b.at+int64(len(from)) > int64(len(b.data)) {
		return 0, io.ErrShortBuffer
	}
	return copy(b.data[at-b.at:], from), nil
}

func (r *ranged) open(ctx context.Context, name string, from int64) (*content, error) {
	in, size, err := r.compressed(ctx, name)
	if err != nil || r.over != nil && in == nil {
		if err == nil {
			return r.over.open(ctx, name, from)
		}
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &content{in, size}, nil
}

// compressed opens a file of the pack, unpacked while it is read; nil if many were wanted already.
func (r *ranged) compressed(ctx context.Context, name string) (in io.ReadCloser, size int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count++; r.count > mostRanges && r.over == nil {
		if r.over, err = r.whole(ctx); err != nil {
			return nil, 0, err
		}
	}
	f := r.zip[name]
	switch {
	case r.over != nil:
		return nil, 0, nil
	case f == nil:
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case f.Method != zip.Store && f.Method != zip.Deflate || f.CompressedSize64 > uint64(r.pack.Size):
		return nil, 0, fmt.Errorf("%s: %s: %w", r.bucket.name, name, errOther)
	}
	length := int64(f.CompressedSize64)
	const head = 30 + 64 // before a file, besides its name
	r.ctx, r.guess = ctx, min(mostOfFile, head+int64(len(name))+length)
	at, err := f.DataOffset()
	if err != nil {
		return nil, 0, err
	}
	var packed io.ReadCloser
	if have := r.at.at + int64(len(r.at.data)) - at; at >= r.at.at && have >= length {
		packed = io.NopCloser(bytes.NewReader(r.at.data[at-r.at.at:][:length]))
	} else {
		var on *os.File
		if on, err = r.bucket.Part(ctx, r.pack.Path, at, length); err != nil {
			return nil, 0, err
		}
		packed = on
	}
	if f.Method == zip.Store {
		return packed, int64(f.UncompressedSize64), nil
	}
	return unpacking{flate.NewReader(packed), packed}, int64(f.UncompressedSize64), nil
}

// unpacking unpacks what it closes.
type unpacking struct {
	io.Reader
	packed io.Closer
}

// Close closes what is unpacked.
func (u unpacking) Close() error { return u.packed.Close() }
