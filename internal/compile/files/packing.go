package files

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"sync"

	"stele/internal/base/compress"
)

// mostScratch is how large a file may become that lies on a scratch file until it is compressed.
var mostScratch int64 = 1 << 30 // tests change it

// packing is a file that is to be packed. One larger than mostScratch lies nowhere as it is: it is
// compressed while it is written.
type packing struct {
	set      *Set
	path     string
	file     *os.File // nil once it is compressed
	size     int64
	to       io.Writer // all of these
	pipes    []*io.PipeWriter
	wait     sync.WaitGroup
	variants []variantResult // by place in compress.Encodings, once they are waited for
}

func (p *packing) Write(data []byte) (int, error) {
	if p.file != nil && p.size+int64(len(data)) > mostScratch {
		if err := p.stream(); err != nil {
			return 0, err
		}
	}
	p.size += int64(len(data))
	if p.file != nil {
		return p.file.Write(data)
	}
	return p.to.Write(data)
}

// stream begins to compress the file, with what there is of it.
func (p *packing) stream() error {
	before, all := p.file, []io.Writer(nil)
	p.file, p.variants = nil, make([]variantResult, len(compress.Encodings))
	for i, e := range compress.For(p.path, math.MaxInt64) {
		r, w := io.Pipe()
		p.pipes, all = append(p.pipes, w), append(all, w)
		p.wait.Go(func() {
			p.variants[i] = p.set.encode(e, wholeReader{r}, math.MaxInt64)
			r.CloseWithError(p.variants[i].err)
		})
	}
	p.to = io.MultiWriter(all...)
	_, err := io.Copy(p.to, io.NewSectionReader(before, 0, p.size))
	return errors.Join(err, before.Close())
}

// wholeReader fills what is to be read into, as files do: compressors make other bytes of other
// pieces.
type wholeReader struct{ io.Reader }

func (r wholeReader) Read(b []byte) (int, error) {
	n, err := io.ReadFull(r.Reader, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// Close ends the file, which is then read.
func (p *packing) Close() error { return p.end(nil) }

// end ends what compresses, and returns what failed of it.
func (p *packing) end(why error) (err error) {
	for _, pipe := range p.pipes {
		pipe.CloseWithError(why) // which fails for none, and does nothing a second time
	}
	p.wait.Wait()
	for _, v := range p.variants {
		err = errors.Join(err, v.err)
	}
	return err
}

// open reads the file.
func (p *packing) open() (io.Reader, error) {
	if p.file != nil {
		return io.NewSectionReader(p.file, 0, math.MaxInt64), nil
	}
	v := p.variants[1]
	return compress.Zstandard.Reader(io.NewSectionReader(v.file, 0, v.size))
}

// letGo lets files go that have no names any more.
func (p *packing) letGo() {
	p.end(context.Canceled)
	for _, v := range append(p.variants, variantResult{file: p.file}) {
		if v.file != nil {
			v.file.Close()
		}
	}
}
