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

// Output takes the files of renderers.
type Output struct {
	set     *Set
	earlier earlierPages
	lines   *os.File  // of the next listing, until it is written; nil where there are none
	count   int       // of them
	idle    sync.Pool // batches
}

// NewOutput begins to take files of renderers.
func NewOutput(set *Set) *Output { return &Output{set: set, earlier: readEarlierPages(set)} }

// Put writes a small file, which the manifest lists.
func (o *Output) Put(path string, data []byte) error { return o.set.Add(path, data) }

// Make does the same with one that is made now.
func (o *Output) Make(path string, render func() ([]byte, error)) error {
	data, err := render()
	if err != nil {
		return err
	}
	return o.set.Add(path, data)
}

// Create begins a large file.
func (o *Output) Create(path string) (io.WriteCloser, error) { return o.set.Create(path) }

// Scratch makes a file for what is needed only while building.
func (o *Output) Scratch() (*os.File, error) { return o.set.Scratch() }

// batch is pages that are made and handed over together. Their bytes lie one after the other, in
// memory that is used again.
type batch struct {
	Compressor
	pages []page
	bytes []byte
	lines []byte // of the listing, each with a comma and a line break before it
	err   error
}

// page is a small file with its compressed variant, if that saves a network packet.
type page struct {
	path       string
	start, end int // in the bytes of the batch
	variant    []byte
	unchanged  bool // whether the previous release has it
}

// Each makes pages in batches, so that handing them over costs little. Where there are few pages it
// costs nothing, and they may be large ones.
func (o *Output) Each(count int, path func(int) string, render func(int, []byte) ([]byte, error)) error {
	return o.EachWith(!o.set.opt.NoVariants, count, path, render)
}

// EachWith makes pages, and compressed variants of them if those are wanted.
func (o *Output) EachWith(
	variants bool, count int, path func(int) string, render func(int, []byte) ([]byte, error),
) error {
	const most = 32 // few enough to stay in the cache of a core while they are made, digested and written
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
				compressed := variants && compressible(path(i)) &&
					compress.PageGains(count, int64(len(bytes)-len(b.bytes)))
				b.add(path(i), bytes, compressed, o.earlier)
			}
		}
		return b
	}) {
		if err := o.putBatch(b); err != nil {
			return err
		}
		done += len(b.pages)
		o.set.progress("making pages", int64(done), int64(count))
		o.idle.Put(b)
	}
	return nil
}

// add takes over a page that stands after the bytes of those before it. It is digested, and
// compressed if it should be.
func (b *batch) add(path string, bytes []byte, compressed bool, earlier earlierPages) {
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
	p.unchanged = earlier.have(b.lines[line:])
	b.bytes, b.pages = bytes, append(b.pages, p)
}

// appendPage writes a line of a listing of files, as encoding/json does, in a tenth of its time.
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

// appendPath writes a path, which nearly always stands for itself.
func appendPath(b []byte, path string) []byte {
	if jsonline.PlainBytes(path) == len(path) && !strings.ContainsAny(path, "<>&") {
		return append(append(append(b, '"'), path...), '"')
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		panic("publish: " + err.Error()) // a text can be encoded
	}
	return append(b, quoted...)
}

// putBatch writes pages, and keeps their lines of the listing.
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

// putPage writes a page, or takes over the one that is the same.
func (o *Output) putPage(path string, data []byte, unchanged bool) error {
	if unchanged && o.set.Link(path, int64(len(data)), sha256.Sum256(data)) {
		return nil
	}
	return o.set.Put(path, data)
}

// Count returns how many files Each made since the last listing.
func (o *Output) Count() int { return o.count }

// List writes a listing of what Each made since the last one into the release.
func (o *Output) List(path, kind string) error {
	head := fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, kind, o.count)
	err := o.set.WriteList(path, head, func(f *File) error {
		if o.count == 0 {
			return nil
		}
		// there is nothing before the first line
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

// Close lets go of what is in no listing yet.
func (o *Output) Close() {
	if o.lines != nil {
		o.lines.Close() // it has no name any more, and goes with this
	}
}
