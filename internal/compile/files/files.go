// Package files takes the files of a release on their way to its writer: it counts, digests and
// lists them, compresses them where that pays, and takes over from the previous release what is the
// same.
package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/disk/lists"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
)

// Writer is where a release is written to. See the package store.
type Writer interface {
	Put(path string, data []byte) error
	Create(path string) (io.WriteCloser, error)
	Open(path string) (io.ReadCloser, error)
	Scratch() (*os.File, error) // a file for what is needed only while building
}

// Packer is a Writer that can keep a file as its gzip variant has it, which takes a fraction of the
// room. Whoever reads the file gets it as it is.
type Packer interface {
	Pack(path string, size int64, gz io.ReaderAt, length int64) error
}

// Options of New.
type Options struct {
	Previous    *release.Release // the release before, or nil
	PreviousDir string           // the folder it lies in, if it lies in one
	Trusted     bool             // whether what is taken over from there is not compared with its digests
	NoVariants  bool             // whether to leave out the compressed variants
	ByHash      bool             // whether files get names by digest too
	Redacted    bool             // whether the previous release has what must not be read any more
	Progress    func(step string, done, total int64)
}

// Set is the files of a release on their way to its writer. Whatever is written passes through
// here, and ends when the build does.
type Set struct {
	*store.Links // to files of the previous release

	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
	w       Writer
	packer  Packer              // the same writer, or nil
	packing map[string]*packing // files that are written when their variants are
	opt     Options
	listed  []release.File // what the manifest lists
	jobs    []variantJob   // what is to be compressed
	mu      sync.Mutex     // for packing
}

// New begins the files of a release.
func New(ctx context.Context, w Writer, opt Options) (*Set, error) {
	links, err := store.NewLinks(w, opt.PreviousDir)
	if err != nil {
		return nil, err
	}
	links.Trust = opt.Trusted
	s := &Set{w: w, opt: opt, Links: links}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if !opt.NoVariants {
		s.packer, _ = w.(Packer)
	}
	return s, nil
}

// Close ends what is still being written.
func (f *Set) Close() {
	f.cancel(context.Canceled)
	f.running.Wait()
	for _, p := range f.packing {
		p.letGo()
	}
}

// Meanwhile writes files beside all others. If that fails, everything ends with it.
func (f *Set) Meanwhile(write func() error) {
	f.running.Go(func() {
		if err := write(); err != nil {
			f.cancel(err)
		}
	})
}

// Wait waits until what is written meanwhile is written, and returns what ended the build.
func (f *Set) Wait() error {
	f.running.Wait()
	return f.Err()
}

// Err returns what ended the build, if anything did.
func (f *Set) Err() error { return context.Cause(f.ctx) }

func (f *Set) progress(step string, done, total int64) {
	if f.opt.Progress != nil {
		f.opt.Progress(step, done, total)
	}
}

// Open reads back a file that was written a moment ago.
func (f *Set) Open(path string) (io.ReadCloser, error) {
	if p := f.packed(path); p != nil {
		in, err := p.open()
		return io.NopCloser(in), err
	}
	return f.w.Open(path)
}

// Put writes a file that the manifest does not list.
func (f *Set) Put(at string, data []byte) error {
	if err := context.Cause(f.ctx); err != nil {
		return err
	}
	return f.w.Put(at, data)
}

// Add writes a small file and lists it.
func (f *Set) Add(at string, data []byte) error {
	f.List(release.File{Path: at, Size: int64(len(data)), SHA256: sha256.Sum256(data)}, data)
	return f.Put(at, data)
}

// List notes a file for the manifest, and for compressing it. Its bytes are read back if they are
// not given.
func (f *Set) List(listed release.File, data []byte) {
	f.listed = append(f.listed, listed)
	if !f.opt.NoVariants && compressible(listed.Path) {
		f.jobs = append(f.jobs, variantJob{listed.Path, listed.Size, data})
	}
}

// Sorted returns what is listed so far, in the order of paths.
func (f *Set) Sorted() []release.File {
	slices.SortFunc(f.listed, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
	return f.listed
}

// Find returns what is listed of a file.
func (f *Set) Find(at string) *release.File {
	return &f.listed[slices.IndexFunc(f.listed, func(x release.File) bool { return x.Path == at })]
}

// compressible leaves out the files that hosts read and never send, and those that are compressed
// already.
func compressible(at string) bool {
	switch path.Ext(at) {
	case "", ".nojekyll", ".png", ".woff2", ".parquet", ".zip", ".ico", ".zst", ".xlsx":
		return false
	}
	return true
}

// isDatabase reports whether a file is read by ranges. Only its Zstandard variant is kept, for
// those who download it whole.
func isDatabase(at string) bool { return path.Ext(at) == ".sqlite" }

// Scratch makes a file for what is needed only while building.
func (f *Set) Scratch() (*os.File, error) {
	if err := context.Cause(f.ctx); err != nil {
		return nil, err
	}
	return f.w.Scratch()
}

// WriteList writes a list of records: what stands before them, the lines that fill adds, and the
// end.
func (f *Set) WriteList(at string, head []byte, fill func(*File) error) error {
	list, err := f.Create(at)
	if err != nil {
		return err
	}
	list.Write(head) // errors stay until Flush
	err = fill(list)
	list.End()
	return list.Finish(err)
}

// WriteLines does the same with lines that are made already.
func (f *Set) WriteLines(at string, head []byte, lines iter.Seq2[[]byte, error]) error {
	return f.WriteList(at, head, func(list *File) error {
		for line, err := range lines {
			if err != nil {
				return err
			}
			list.WriteLine(line)
		}
		return nil
	})
}

// File is a large file in the making: counted, digested and listed.
type File struct {
	*lists.Writer
	files *Set
	path  string
	out   io.WriteCloser
}

// Create begins a large file. Where the release is a zip that can have it packed, it waits for its
// variants.
func (f *Set) Create(at string) (*File, error) {
	if f.packer == nil || !compressible(at) || inParts(at) {
		out, err := f.w.Create(at)
		if err != nil {
			return nil, err
		}
		return &File{lists.NewWriter(untilDone{f.ctx, out}), f, at, out}, nil
	}
	file, err := f.Scratch()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.packing == nil {
		f.packing = map[string]*packing{}
	}
	p := &packing{set: f, path: at, file: file}
	f.packing[at] = p
	return &File{lists.NewWriter(untilDone{f.ctx, p}), f, at, p}, nil
}

// inParts reports whether a server reads a file in parts, as it answers: those in which single
// records and pages are listed, and in which the records lie, and databases.
func inParts(at string) bool {
	return at == layout.PagesPath || at == layout.HistoriesPath || isDatabase(at) ||
		slices.ContainsFunc(record.Kinds, func(k *record.Kind) bool {
			return k.HasSingle() && (at == k.Collection.Path[1:] || at == layout.ListingPath(k.Folder()))
		})
}

// packed is a file that is to be packed, or nil.
func (f *Set) packed(at string) *packing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.packing[at]
}

// untilDone is a writer that fails once the build has ended.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(data []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(data)
}

// Finish ends the file: with an error, it is closed and not listed.
func (f *File) Finish(err error) error {
	if err != nil {
		return errors.Join(err, f.out.Close())
	}
	return f.Close()
}

// Close ends the file and lists it.
func (f *File) Close() error {
	if err := errors.Join(f.Flush(), f.out.Close()); err != nil {
		return err
	}
	f.files.List(release.File{Path: f.path, Size: f.Size(), SHA256: f.Digest()}, nil)
	return nil
}

// Finish compresses the files, waits until all are written, and returns what the manifest is to
// list.
func (f *Set) Finish() ([]release.File, error) {
	if err := f.writeVariants(); err != nil {
		return nil, err
	}
	if err := f.Wait(); err != nil {
		return nil, err
	}
	f.linkUnchanged()
	return f.Sorted(), nil
}

// Commit ends a release with its manifest.
func (f *Set) Commit(m *release.Manifest) error {
	if err := f.nameByHash(m); err != nil {
		return err
	}
	data, err := m.Encode()
	if err == nil && len(data) > layout.MaxManifest {
		err = fmt.Errorf("%s has %.1f MB for %d files; at most %d MiB are allowed, or no program could read the release",
			layout.ManifestPath, float64(len(data))/1e6, len(m.Files), layout.MaxManifest>>20)
	}
	if err != nil {
		return err
	}
	return f.Put(layout.ManifestPath, data)
}
