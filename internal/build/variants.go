package build

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"stele/internal/compress"
	"stele/release"
)

// variantJob is a file to compress. Its bytes are given, or can be read back from the writer.
type variantJob struct {
	path string
	size int64
	data []byte
}

// variantResult is a compressed file on its way into the release.
type variantResult struct {
	file *os.File
	size int64
	err  error
}

// writeVariants compresses the files of the release on all cores, and keeps what saves a network packet.
func (b *builder) writeVariants() error {
	slices.SortFunc(b.jobs, func(x, y variantJob) int { return strings.Compare(x.path, y.path) })
	jobs := slices.DeleteFunc(b.jobs, func(j variantJob) bool { return !compress.Saves(j.size, 1) })
	results := make([]variantResult, len(jobs)*len(compress.Encodings))
	var total, done int64
	for _, j := range jobs {
		total += j.size * int64(len(compress.Encodings))
	}
	runtime.GC() // what reading left behind would else be there while compressors take their tens of megabytes
	var group sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, n := range largestFirst(jobs) {
		for i, e := range compress.Encodings {
			slots <- struct{}{}
			group.Go(func() {
				r := b.variant(jobs[n], e)
				results[n*len(compress.Encodings)+i] = r
				mu.Lock()
				done += jobs[n].size
				b.progress("compressing", done, total)
				mu.Unlock()
				<-slots
			})
		}
	}
	group.Wait()
	return b.keepVariants(jobs, results)
}

// largestFirst orders jobs so that no core is left with a large one at the end.
func largestFirst(jobs []variantJob) []int {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return int(min(1, max(-1, jobs[y].size-jobs[x].size))) })
	return order
}

// variant compresses a file into a scratch file.
func (b *builder) variant(j variantJob, e compress.Encoding) (r variantResult) {
	in := io.NopCloser(bytes.NewReader(j.data))
	if j.data == nil {
		if in, r.err = b.w.Open(j.path); r.err != nil {
			return r
		}
	}
	defer in.Close() // it was only read
	if r.file, r.err = b.w.Scratch(); r.err != nil {
		return r
	}
	if r.err = e.Encode(r.file, in, j.size); r.err != nil {
		return r
	}
	r.size, r.err = r.file.Seek(0, io.SeekCurrent)
	return r
}

// keepVariants copies the variants that are worth it into the release, in order.
func (b *builder) keepVariants(jobs []variantJob, results []variantResult) (err error) {
	defer func() {
		for _, r := range results {
			if r.file != nil {
				err = errors.Join(err, r.file.Close())
			}
		}
	}()
	for n, j := range jobs {
		listed := &b.files[slices.IndexFunc(b.files, func(f release.File) bool { return f.Path == j.path })]
		for i, e := range compress.Encodings {
			r := results[n*len(compress.Encodings)+i]
			if r.err != nil {
				return r.err
			}
			if !compress.Saves(j.size, r.size) {
				continue
			}
			v, err := b.keepVariant(j.path+e.Suffix, e.Name, r)
			if err != nil {
				return err
			}
			listed.Variants = append(listed.Variants, v)
		}
	}
	return nil
}

func (b *builder) keepVariant(at, encoding string, r variantResult) (release.Variant, error) {
	v := release.Variant{Encoding: encoding, Path: at, Size: r.size}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return v, err
	}
	out, err := b.w.Create(at)
	if err != nil {
		return v, err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), r.file); err != nil {
		return v, err
	}
	v.SHA256 = release.Digest(sum.Sum(nil))
	return v, out.Close()
}
