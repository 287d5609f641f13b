package build

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"stele/internal/compress"
	"stele/release"
)

// pagesPath is the listing of the files that Each made.
const pagesPath = "index/pages.json"

// output takes the files of renderers.
type output struct {
	b       *builder
	listing *os.File // lines of the listing, until it is written
	lines   *bufio.Writer
	count   int
}

func (o *output) Put(path string, data []byte) error { return o.b.put(path, data) }

func (o *output) Create(path string) (io.WriteCloser, error) {
	f, err := o.b.create(path)
	if err != nil {
		return nil, err
	}
	return &large{f}, nil
}

func (o *output) Scratch() (*os.File, error) { return o.b.w.Scratch() }

// large is a file that a renderer writes.
type large struct{ f *file }

func (l *large) Write(data []byte) (int, error) { return l.f.w.Write(data) }
func (l *large) Close() error                   { return l.f.close() }

// page is a small file with its compressed variant, if that saves a network packet.
type page struct {
	release.File
	data    []byte
	variant []byte
}

const (
	// manyPages is how many pages of a sort cost so much to compress that only those are compressed that gain by it.
	manyPages = 20_000
	// firstFlight is what a server sends before it waits for an answer (ten packets, RFC 6928). A page up to that size arrives no sooner if it is smaller.
	firstFlight = 14_600
)

// Each makes pages in batches, so that handing them over costs little.
func (o *output) Each(count int, make func(int) (string, []byte, error)) error {
	const batch = 32
	type result struct {
		pages []page
		err   error
	}
	var failed error
	done := 0
	inOrder((count+batch-1)/batch, func(part int) (r result) {
		var m maker
		for i := part * batch; i < min(count, (part+1)*batch) && r.err == nil; i++ {
			var p page
			path, data, err := make(i)
			m.variants = !o.b.opt.NoVariants && (count <= manyPages || len(data) > firstFlight)
			if p, r.err = m.page(path, data, err); r.err == nil {
				r.pages = append(r.pages, p)
			}
		}
		return r
	}, func(r result) {
		for i := range r.pages {
			if failed == nil {
				failed = o.putPage(&r.pages[i])
			}
		}
		if failed == nil {
			failed = r.err
		}
		done += len(r.pages)
		o.b.progress("making pages", int64(done), int64(count))
	})
	return failed
}

// page compresses and digests a page.
func (m *maker) page(path string, data []byte, err error) (page, error) {
	p := page{File: release.File{Path: path, Size: int64(len(data)), SHA256: release.Sum(data)}, data: data}
	if err != nil || !m.variants {
		return p, err
	}
	if p.variant = m.encode(compress.Quick, data); p.variant != nil {
		p.Variants = []release.Variant{{Encoding: compress.Quick.Name, Path: path + compress.Quick.Suffix, Size: int64(len(p.variant)), SHA256: release.Sum(p.variant)}}
	}
	return p, nil
}

func (o *output) putPage(p *page) error {
	if o.listing == nil {
		var err error
		if o.listing, err = o.b.w.Scratch(); err != nil {
			return err
		}
		o.lines = bufio.NewWriter(o.listing)
	}
	if err := o.b.w.Put(p.Path, p.data); err != nil {
		return err
	}
	if p.variant != nil {
		if err := o.b.w.Put(p.Path+compress.Quick.Suffix, p.variant); err != nil {
			return err
		}
	}
	line, err := json.Marshal(p.File)
	if err != nil {
		return err
	}
	o.count++
	o.lines.Write(line)
	return o.lines.WriteByte('\n') // errors stay until then, and until Flush
}

// list writes the listing of the pages into the release.
func (o *output) list(m *release.Manifest) error {
	if o.listing == nil {
		return nil
	}
	if err := o.lines.Flush(); err != nil {
		return err
	}
	if _, err := o.listing.Seek(0, io.SeekStart); err != nil {
		return err
	}
	m.Pages = pagesPath
	f, err := o.b.create(pagesPath)
	if err != nil {
		return err
	}
	f.begin(fmt.Appendf(nil, `{"kind":"page","count":%d,"records":[`, o.count))
	lines := bufio.NewReader(o.listing)
	for range o.count {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		f.line(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return f.end()
}

func (o *output) close() {
	if o.listing != nil {
		o.listing.Close() // it has no name any more, and goes with this
	}
}
