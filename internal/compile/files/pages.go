package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/jsonline"
	"stele/internal/base/parallel"
	"stele/release"
)

// Output implements render.Output.
type Output struct {
	set     *Set
	earlier earlierPages
	lines   *os.File  // of the next listing; nil if there are none
	count   int       // number of lines
	idle    sync.Pool // batches to reuse
}

func NewOutput(set *Set) *Output { return &Output{set: set, earlier: readEarlierPages(set)} }

// Put writes a small file and lists it in the manifest.
func (o *Output) Put(path string, data []byte) error { return o.set.Add(path, data) }

// Make renders a file and writes it like Put.
func (o *Output) Make(path string, render func() ([]byte, error)) error {
	data, err := render()
	if err != nil {
		return err
	}
	return o.set.Add(path, data)
}

// Create returns a writer for a large file.
func (o *Output) Create(path string) (io.WriteCloser, error) { return o.set.Create(path) }

// Scratch creates a temporary file.
func (o *Output) Scratch() (*os.File, error) { return o.set.Scratch() }

// batch is a group of pages that are rendered and written together, stored one after the other in
// memory that is reused.
type batch struct {
	Compressor
	pages []page
	bytes []byte
	lines []byte // of the listing, each after a comma and a line break
	err   error
}

// page is a small file with its compressed variant, if that saves a network packet.
type page struct {
	path       string
	start, end int // in the batch's bytes
	variant    []byte
	unchanged  bool // whether the previous release contains it
}

// Each renders and writes count pages. It works in batches to reduce overhead. If there are few
// pages, each batch has one, because these pages may be large.
func (o *Output) Each(count int, path func(int) string, render func(int, []byte) ([]byte, error)) error {
	return o.EachWith(!o.set.opt.NoVariants, count, path, render)
}

// EachWith is like Each, but writes compressed variants only if variants is true.
func (o *Output) EachWith(
	variants bool, count int, path func(int) string, render func(int, []byte) ([]byte, error),
) error {
	const most = 32 // fits into the cache of a core
	size := min(most, 1+count/256)
	done := 0
	for b := range parallel.Map((count+size-1)/size, func(part int) *batch {
		b, ok := o.idle.Get().(*batch)
		if !ok {
			b = &batch{}
		}
		b.pages, b.bytes, b.lines, b.err = b.pages[:0], b.bytes[:0], b.lines[:0], nil
		for i := part * size; i < min(count, (part+1)*size) && b.err == nil; i++ {
			bytes, err := render(i, b.bytes)
			if b.err = err; err == nil {
				compressed := variants && isCompressible(path(i)) &&
					compress.IsPageCompressed(count, int64(len(bytes)-len(b.bytes)))
				b.addPage(path(i), bytes, compressed, o.earlier)
			}
		}
		return b
	}) {
		if err := o.putBatch(b); err != nil {
			return err
		}
		done += len(b.pages)
		o.set.reportProgress("making pages", int64(done), int64(count))
		o.idle.Put(b)
	}
	return nil
}

// addPage adds the page that was just appended to the batch's bytes. It hashes the page, and
// compresses it if compressed is true.
func (b *batch) addPage(path string, bytes []byte, compressed bool, earlier earlierPages) {
	p := page{path: path, start: len(b.bytes), end: len(bytes)}
	data := bytes[p.start:]
	listed := release.File{Path: path, Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	if compressed {
		if p.variant = b.Compress(nil, compress.Quick, data); p.variant != nil {
			listed.Variants = []release.Variant{{
				Encoding: compress.Quick.Name, Path: path + compress.Quick.Suffix,
				Size: int64(len(p.variant)), SHA256: sha256.Sum256(p.variant),
			}}
		}
	}
	b.lines = append(b.lines, ",\n"...)
	line := len(b.lines)
	b.lines = appendPage(b.lines, &listed)
	p.unchanged = earlier.contains(b.lines[line:])
	b.bytes, b.pages = bytes, append(b.pages, p)
}

// appendPage appends the line of f in a listing of files. The line is the same as from
// encoding/json, but written ten times as fast.
func appendPage(b []byte, f *release.File) []byte {
	b = appendFile(append(b, '{'), f.Path, f.Size, f.SHA256)
	for i, v := range f.Variants {
		if i == 0 {
			b = append(b, `,"variants":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"encoding":"`...), v.Encoding...), `",`...)
		b = append(appendFile(b, v.Path, v.Size, v.SHA256), '}')
	}
	if len(f.Variants) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendFile(b []byte, path string, size int64, sum release.Digest) []byte {
	b = appendPath(append(b, `"path":`...), path)
	b = strconv.AppendInt(append(b, `,"size":`...), size, 10)
	b = hex.AppendEncode(append(b, `,"sha256":"`...), sum[:])
	return append(b, '"')
}

// appendPath appends a path as a JSON string. Nearly all paths need no escapes.
func appendPath(b []byte, path string) []byte {
	if jsonline.PlainBytes(path) == len(path) && !strings.ContainsAny(path, "<>&") {
		return append(append(append(b, '"'), path...), '"')
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		panic("files: " + err.Error()) // a text can be encoded
	}
	return append(b, quoted...)
}

// putBatch writes the pages of a batch, and their lines to the next listing.
func (o *Output) putBatch(b *batch) error {
	for i := range b.pages {
		p := &b.pages[i]
		if p.variant == nil {
			if err := o.putPage(p.path, b.bytes[p.start:p.end], p.unchanged); err != nil {
				return err
			}
			continue
		}
		if err := o.putPacked(p, b.bytes[p.start:p.end]); err != nil {
			return err
		}
		if err := o.putPage(p.path+compress.Quick.Suffix, p.variant, p.unchanged); err != nil {
			return err
		}
	}
	if o.lines == nil {
		var err error
		if o.lines, err = o.set.Scratch(); err != nil {
			return err
		}
	}
	o.count += len(b.pages)
	if _, err := o.lines.Write(b.lines); err != nil {
		return err
	}
	return b.err
}

// putPacked writes a page that has a variant.
func (o *Output) putPacked(p *page, data []byte) error {
	if o.set.packer == nil {
		return o.putPage(p.path, data, p.unchanged)
	}
	if err := o.set.Err(); err != nil {
		return err
	}
	return o.set.packer.Pack(p.path, int64(len(data)), bytes.NewReader(p.variant), int64(len(p.variant)))
}

// putPage writes a page, or links the previous release's if it is unchanged.
func (o *Output) putPage(path string, data []byte, unchanged bool) error {
	if unchanged && o.set.Link(path, int64(len(data)), sha256.Sum256(data)) {
		return nil
	}
	return o.set.Put(path, data)
}

// Count returns the number of files that Each wrote since the last listing.
func (o *Output) Count() int { return o.count }

// List writes a listing of the files that Each wrote since the last listing.
func (o *Output) List(path, kind string) error {
	head := fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, kind, o.count)
	err := o.set.WriteList(path, head, func(f *File) error {
		if o.count == 0 {
			return nil
		}
		// The first line has no comma before it.
		if _, err := o.lines.Seek(int64(len(",")), io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(f, o.lines)
		return err
	})
	o.Close()
	o.lines, o.count = nil, 0
	return err
}

// Close discards the lines that are in no listing yet.
func (o *Output) Close() {
	if o.lines != nil {
		o.lines.Close() // frees its space
	}
}
