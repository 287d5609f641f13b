package publish

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"

	"stele/internal/asyncwriter"
	"stele/release"
)

// file is a large file in the making: counted, digested and listed. Digesting and writing go on
// while the next part is made.
type file struct {
	b     *builder
	path  string
	out   io.WriteCloser
	w     *asyncwriter.Writer
	sum   hash.Hash
	size  int64
	lines int
}

func (b *builder) create(at string) (*file, error) {
	out, err := b.w.Create(at)
	if err != nil {
		return nil, err
	}
	f := &file{b: b, path: at, out: out, sum: sha256.New()}
	f.w = asyncwriter.New(256<<10, f.sum, f)
	return f, nil
}

// Write counts what goes out, a buffer at a time, when it was digested.
func (f *file) Write(data []byte) (int, error) {
	n, err := f.out.Write(data)
	f.size += int64(n)
	return n, err
}

func (f *file) begin(head []byte) {
	f.w.Write(head) // errors stay until Flush
}

// line adds a record on a line of its own.
func (f *file) line(data []byte) {
	if f.lines++; f.lines > 1 {
		f.w.WriteByte(',')
	}
	f.w.WriteByte('\n')
	f.w.Write(data)
}

// lined adds lines that are made already: each with a line break before it and a comma before that,
// but for the first comma.
func (f *file) lined(data []byte) {
	if f.lines == 0 {
		data = bytes.TrimPrefix(data, []byte{','})
	}
	f.lines++
	f.w.Write(data)
}

// end ends a list of records.
func (f *file) end() error {
	f.w.WriteString("\n]}\n")
	return f.close()
}

func (f *file) close() error {
	if err := f.w.Flush(); err != nil {
		return err
	}
	if err := f.out.Close(); err != nil {
		return err
	}
	f.b.files = append(f.b.files, release.File{Path: f.path, Size: f.size, SHA256: release.Digest(f.sum.Sum(nil))})
	if !f.b.opt.NoVariants && compressible(f.path) {
		f.b.jobs = append(f.b.jobs, variantJob{path: f.path, size: f.size})
	}
	return nil
}
