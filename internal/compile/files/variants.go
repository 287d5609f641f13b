package files

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/parallel"
	"stele/release"
)

// variantJob is a file to compress. If data is nil, it is read back from the writer.
type variantJob struct {
	path string
	size int64
	data []byte
}

// variantResult is a compressed file that is not in the release yet.
type variantResult struct {
	file *os.File
	size int64
	err  error
}

// compression compresses the files of a release.
type compression struct {
	*Set
	jobs    []variantJob
	results []variantResult // of each job, by index in compress.Encodings
	mu      sync.Mutex
	done    int64 // bytes
	total   int64
}

// writeVariants compresses the files of the release on all cores, and writes the variants that save
// a network packet.
func (f *Set) writeVariants() error {
	slices.SortFunc(f.jobs, func(x, y variantJob) int { return strings.Compare(x.path, y.path) })
	var jobs []variantJob
	for _, j := range f.jobs {
		if compress.Saves(j.size, 1) {
			jobs = append(jobs, j)
		} else if p := f.pendingFileAt(j.path); p != nil {
			if err := f.writeUnpacked(p); err != nil {
				return err
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	c := &compression{Set: f, jobs: jobs, results: make([]variantResult, len(jobs)*len(compress.Encodings))}
	for _, j := range jobs {
		c.total += j.size * int64(len(compress.Encodings))
	}
	order := largestFirst(jobs)
	small := slices.IndexFunc(order, func(n int) bool { return compress.IsSmall(jobs[n].size) })
	if small < 0 {
		small = len(order)
	}
	c.compressLarge(order[:small])
	c.compressSmall(order[small:])
	return f.copyVariants(jobs, c.results)
}

// compressLarge compresses large files, one file in one encoding per core.
func (c *compression) compressLarge(order []int) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, n := range order {
		for i := range compress.Encodings {
			slots <- struct{}{}
			group.Go(func() {
				c.compressOne(n, i)
				<-slots
			})
		}
	}
	group.Wait()
}

// compressSmall compresses small files, with one compressor per encoding, because compressors use
// more memory than these files.
func (c *compression) compressSmall(order []int) {
	var group sync.WaitGroup
	for i := range compress.Encodings {
		group.Go(func() {
			for _, n := range order {
				c.compressOne(n, i)
			}
		})
	}
	group.Wait()
}

func (c *compression) compressOne(n, encoding int) {
	j, r := c.jobs[n], &c.results[n*len(compress.Encodings)+encoding]
	if p := c.pendingFileAt(j.path); p != nil && p.variants != nil {
		*r = p.variants[encoding]
	} else if isDatabase(j.path) && compress.Encodings[encoding].Coding != compress.Zstd {
		r.size = j.size // saves nothing
	} else {
		*r = c.newVariant(j, compress.For(j.path, j.size)[encoding])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += c.jobs[n].size
	c.reportProgress("compressing", c.done, c.total)
}

// largestFirst returns the jobs' indexes in descending order of size, so that no core works on a
// large file at the end.
func largestFirst(jobs []variantJob) []int {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(jobs[y].size, jobs[x].size) })
	return order
}

// newVariant compresses a file to a temporary file, or reuses the previous release's variant.
func (f *Set) newVariant(j variantJob, e compress.Encoding) (r variantResult) {
	if r, ok := f.reuseVariant(j, e); ok {
		return r
	}
	in := io.NopCloser(bytes.NewReader(j.data))
	if j.data == nil {
		if in, r.err = f.Open(j.path); r.err != nil {
			return r
		}
	}
	defer in.Close() // it was only read
	return f.encode(e, in, j.size)
}

// encode compresses in to a temporary file.
func (f *Set) encode(e compress.Encoding, in io.Reader, size int64) (r variantResult) {
	if r.file, r.err = f.Scratch(); r.err != nil {
		return r
	}
	if r.err = e.Encode(r.file, parallel.Reader(f.ctx, in), size); r.err != nil {
		return r
	}
	r.size, r.err = r.file.Seek(0, io.SeekCurrent)
	return r
}

// copyVariants copies into the release those variants that are smaller by at least one network
// packet. It keeps the order of the files.
func (f *Set) copyVariants(jobs []variantJob, results []variantResult) (err error) {
	defer func() {
		for _, r := range results {
			if r.file != nil {
				err = errors.Join(err, r.file.Close())
			}
		}
	}()
	for n, j := range jobs {
		listed := f.Find(j.path)
		of := results[n*len(compress.Encodings):][:len(compress.Encodings)]
		for _, r := range of {
			if r.err != nil {
				return r.err
			}
		}
		if err := f.writePending(j, of); err != nil {
			return err
		}
		for i, e := range compress.Encodings {
			r := of[i]
			if !compress.Saves(j.size, r.size) {
				continue
			}
			v, err := f.copyVariant(j.path+e.Suffix, e.Name, r)
			if err != nil {
				return err
			}
			listed.Variants = append(listed.Variants, v)
		}
	}
	return nil
}

// writePending writes a pending file, as its gzip variant if that saves a network packet.
func (f *Set) writePending(j variantJob, results []variantResult) error {
	p := f.pendingFileAt(j.path)
	if p == nil {
		return nil
	}
	for i, e := range compress.Encodings {
		if r := results[i]; e.Coding == compress.Gzip && compress.Saves(j.size, r.size) {
			return f.packer.Pack(j.path, j.size, r.file, r.size)
		}
	}
	return f.writeUnpacked(p)
}

func (f *Set) writeUnpacked(p *pendingFile) error {
	in, err := p.open()
	if err != nil {
		return err
	}
	out, err := f.w.Create(p.path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, parallel.Reader(f.ctx, in))
	return errors.Join(err, out.Close())
}

func (f *Set) copyVariant(at, encoding string, r variantResult) (release.Variant, error) {
	v := release.Variant{Encoding: encoding, Path: at, Size: r.size}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return v, err
	}
	out, err := f.w.Create(at)
	if err != nil {
		return v, err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), parallel.Reader(f.ctx, r.file))
	v.SHA256 = release.Digest(sum.Sum(nil))
	return v, errors.Join(err, out.Close())
}

// Compressor compresses small files.
type Compressor struct{ buf bytes.Buffer }

// Compress appends the compressed data to b, unless that would not save a network packet.
func (c *Compressor) Compress(b []byte, e compress.Encoding, data []byte) []byte {
	if !compress.Saves(int64(len(data)), 1) {
		return b
	}
	c.buf.Reset()
	if err := e.Encode(&c.buf, bytes.NewReader(data), int64(len(data))); err != nil {
		return b // writing to memory does not fail, and the variant is optional
	}
	if !compress.Saves(int64(len(data)), int64(c.buf.Len())) {
		return b
	}
	return append(b, c.buf.Bytes()...)
}
