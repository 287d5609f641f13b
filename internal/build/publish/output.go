package publish

import (
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
	"stele/internal/base/parallel"
	"stele/record"
	"stele/release"
)

// output takes the files of renderers.
type output struct {
	*files
	earlier earlierPages
	lines   *os.File  // of the next listing, until it is written; nil where there are none
	count   int       // of them
	idle    sync.Pool // batches
}

func (o *output) Put(path string, data []byte) error { return o.add(path, data) }

func (o *output) Make(path string, render func() ([]byte, error)) error {
	data, err := render()
	if err != nil {
		return err
	}
	return o.add(path, data)
}

func (o *output) Create(path string) (io.WriteCloser, error) { return o.create(path) }

func (o *output) Scratch() (*os.File, error) { return o.scratch() }

// batch is pages that are made and handed over together. Their bytes lie one after the other, in
// memory that is used again.
type batch struct {
	compressor
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
func (o *output) Each(count int, path func(int) string, render func(int, []byte) ([]byte, error)) error {
	return o.each(count, path, render, !o.opt.NoVariants)
}

// each makes pages, and compressed variants of them if those are wanted.
func (o *output) each(
	count int, path func(int) string, render func(int, []byte) ([]byte, error), variants bool,
) error {
	const most = 32 // few enough to stay in the cache of a core while they are made, digested and written
	size := min(most, 1+count/256)
	done := 0
	for b := range parallel.Map((count+size-1)/size, func(part int) *batch {
		b, ok := o.idle.Get().(*batch)
		if !ok {
			b = &batch{}
		}
		b.reset()
		for i := part * size; i < min(count, (part+1)*size) && b.err == nil; i++ {
			bytes, err := render(i, b.bytes)
			if b.err = err; err == nil {
				compressed := variants && compress.PageGains(count, int64(len(bytes)-len(b.bytes)))
				b.add(path(i), bytes, compressed, o.earlier)
			}
		}
		return b
	}) {
		if err := o.putBatch(b); err != nil {
			return err
		}
		done += len(b.pages)
		o.opt.progress("making pages", int64(done), int64(count))
		o.idle.Put(b)
	}
	return nil
}

func (b *batch) reset() {
	b.pages, b.bytes, b.lines, b.err = b.pages[:0], b.bytes[:0], b.lines[:0], nil
}

// add takes over a page that stands after the bytes of those before it. It is digested, and
// compressed if it should be.
func (b *batch) add(path string, bytes []byte, compressed bool, earlier earlierPages) {
	p := page{path: path, start: len(b.bytes), end: len(bytes)}
	data := bytes[p.start:]
	listed := release.File{Path: path, Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	if compressed {
		if p.variant = b.compress(nil, compress.Quick, data); p.variant != nil {
			listed.Variants = []release.Variant{
				{
					Encoding: compress.Quick.Name,
					Path:     path + compress.Quick.Suffix,
					Size:     int64(len(p.variant)),
					SHA256:   sha256.Sum256(p.variant),
				},
			}
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
	if record.PlainBytes(path) == len(path) && !strings.ContainsAny(path, "<>&") {
		return append(append(append(b, '"'), path...), '"')
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		panic("publish: " + err.Error()) // a text can be encoded
	}
	return append(b, quoted...)
}

// putBatch writes pages, and keeps their lines of the listing.
func (o *output) putBatch(b *batch) error {
	for i := range b.pages {
		p := &b.pages[i]
		if err := o.putPage(p.path, b.bytes[p.start:p.end], p.unchanged); err != nil {
			return err
		}
		if p.variant == nil {
			continue
		}
		if err := o.putPage(p.path+compress.Quick.Suffix, p.variant, p.unchanged); err != nil {
			return err
		}
	}
	if o.lines == nil {
		var err error
		if o.lines, err = o.scratch(); err != nil {
			return err
		}
	}
	o.count += len(b.pages)
	if _, err := o.lines.Write(b.lines); err != nil {
		return err
	}
	return b.err
}

// putPage writes a page, or takes over the one that is the same.
func (o *output) putPage(path string, data []byte, unchanged bool) error {
	if unchanged && o.link(path, int64(len(data))) {
		return nil
	}
	return o.put(path, data)
}

// listFiles writes a listing of what Each made since the last one into the release.
func (o *output) listFiles(path, kind string) error {
	f, err := o.create(path)
	if err != nil {
		return err
	}
	f.begin(fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, kind, o.count))
	if o.count > 0 {
		// there is nothing before the first line
		if _, err := o.lines.Seek(int64(len(",")), io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(f, o.lines); err != nil {
			return err
		}
	}
	o.close()
	o.lines, o.count = nil, 0
	return f.end()
}

func (o *output) close() {
	if o.lines != nil {
		o.lines.Close() // it has no name any more, and goes with this
	}
}
