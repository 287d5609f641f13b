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

// maxScratch is the greatest size of a file that is stored uncompressed until it is compressed.
var maxScratch int64 = 1 << 30 // tests change it

// pendingFile is a file that is written to the zip together with its variants. If it is larger than
// maxScratch, it is compressed while it is written, and never stored uncompressed.
type pendingFile struct {
	set      *Set
	path     string
	file     *os.File // uncompressed; nil if it is compressed while it is written
	size     int64
	to       io.Writer // writes to all pipes
	pipes    []*io.PipeWriter
	wait     sync.WaitGroup
	variants []variantResult // by index in compress.Encodings, valid after wait
}

func (p *pendingFile) Write(data []byte) (int, error) {
	if p.file != nil && p.size+int64(len(data)) > maxScratch {
		if err := p.startCompression(); err != nil {
			return 0, err
		}
	}
	p.size += int64(len(data))
	if p.file != nil {
		return p.file.Write(data)
	}
	return p.to.Write(data)
}

// startCompression starts compressing the file while it is written.
func (p *pendingFile) startCompression() error {
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

// wholeReader fills the buffer on each read, as files do: the output of compressors depends on the
// sizes of reads.
type wholeReader struct{ io.Reader }

func (r wholeReader) Read(b []byte) (int, error) {
	n, err := io.ReadFull(r.Reader, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// Close finishes the file.
func (p *pendingFile) Close() error { return p.endCompression(nil) }

// endCompression stops the compression and returns its error. If why is not nil, compression fails
// with why.
func (p *pendingFile) endCompression(why error) (err error) {
	for _, pipe := range p.pipes {
		pipe.CloseWithError(why) // never fails
	}
	p.wait.Wait()
	for _, v := range p.variants {
		err = errors.Join(err, v.err)
	}
	return err
}

func (p *pendingFile) open() (io.Reader, error) {
	if p.file != nil {
		return io.NewSectionReader(p.file, 0, math.MaxInt64), nil
	}
	v := p.variants[1]
	return compress.Zstandard.Reader(io.NewSectionReader(v.file, 0, v.size))
}

// discard closes all files, which frees their space.
func (p *pendingFile) discard() {
	p.endCompression(context.Canceled)
	for _, v := range append(p.variants, variantResult{file: p.file}) {
		if v.file != nil {
			v.file.Close()
		}
	}
}
