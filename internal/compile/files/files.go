// Package files writes the files of a release: it counts, hashes and lists them, compresses them if
// that saves space, and reuses unchanged files of the previous release.
package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Writer writes the files of a release. See package store.
type Writer interface {
	Put(path string, data []byte) error
	Create(path string) (store.File, error)
	Files() fs.FS
	Scratch() (*os.File, error) // creates a temporary file
}

// Packer is a Writer that can store a file in the form of its gzip variant, which takes a fraction
// of the space. Readers get the original file.
type Packer interface {
	Pack(path string, size int64, gz io.ReaderAt, length int64) error
}

// Options configure New.
type Options struct {
	Previous    *release.Release // or nil
	PreviousDir string           // its folder, or "" if it is not in a folder
	Trusted     bool             // whether to reuse files without checking their digests
	NoVariants  bool             // whether to write no compressed variants
	ByHash      bool             // whether to make files available by digest
	Redacted    bool             // whether the previous release contains data that was redacted
	Progress    func(step string, done, total int64)
}

// Set writes the files of a release. Writing fails once the build is cancelled.
type Set struct {
	*store.Links // reuses files of the previous release

	ctx          context.Context
	cancel       context.CancelCauseFunc
	running      sync.WaitGroup
	w            Writer
	packer       Packer                  // the writer if it is a Packer and variants are wanted
	pendingFiles map[string]*pendingFile // files that are written together with their variants
	opt          Options
	listed       []release.File // the files for the manifest
	jobs         []variantJob   // the files to compress
	mu           sync.Mutex     // protects pendingFiles
}

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

// Close stops background work and discards unfinished files.
func (f *Set) Close() {
	f.cancel(context.Canceled)
	f.running.Wait()
	for _, p := range f.pendingFiles {
		p.discard()
	}
}

// Go runs write in the background. If it fails, the build ends with its error.
func (f *Set) Go(write func() error) {
	f.running.Go(func() {
		if err := write(); err != nil {
			f.cancel(err)
		}
	})
}

// Wait waits for the background work, and returns the error that ended the build.
func (f *Set) Wait() error {
	f.running.Wait()
	return f.Err()
}

// Err returns the error that ended the build, or nil.
func (f *Set) Err() error { return context.Cause(f.ctx) }

func (f *Set) reportProgress(step string, done, total int64) {
	if f.opt.Progress != nil {
		f.opt.Progress(step, done, total)
	}
}

// Open opens a file that was written.
func (f *Set) Open(path string) (io.ReadCloser, error) {
	if p := f.pendingFileAt(path); p != nil {
		in, err := p.open()
		return io.NopCloser(in), err
	}
	return f.w.Files().Open(path)
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
	f.AddListed(release.File{Path: at, Size: int64(len(data)), SHA256: sha256.Sum256(data)}, data)
	return f.Put(at, data)
}

// AddListed adds a file to the manifest and to the files to compress. If data is nil, compressing
// reads the file back.
func (f *Set) AddListed(listed release.File, data []byte) {
	f.listed = append(f.listed, listed)
	if !f.opt.NoVariants && isCompressible(listed.Path) {
		f.jobs = append(f.jobs, variantJob{listed.Path, listed.Size, data})
	}
}

// Sorted returns the listed files, sorted by path.
func (f *Set) Sorted() []release.File {
	slices.SortFunc(f.listed, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
	return f.listed
}

// Find returns the listed file at the given path, which must be listed.
func (f *Set) Find(at string) *release.File {
	return &f.listed[slices.IndexFunc(f.listed, func(x release.File) bool { return x.Path == at })]
}

// isCompressible reports whether to compress the file called name. It is false for files that are
// compressed already or never sent.
func isCompressible(name string) bool {
	switch path.Ext(name) {
	case "", ".nojekyll", ".png", ".woff2", ".parquet", ".zip", ".ico", ".zst", ".xlsx":
		return false
	}
	return true
}

// isDatabase reports whether clients read a file by ranges. Its only variant is Zstandard, for
// downloading all of it.
func isDatabase(name string) bool { return path.Ext(name) == ".sqlite" }

// Scratch creates a temporary file.
func (f *Set) Scratch() (*os.File, error) {
	if err := context.Cause(f.ctx); err != nil {
		return nil, err
	}
	return f.w.Scratch()
}

// WriteList writes a list of records: head, the lines that fill writes, and the end.
func (f *Set) WriteList(at string, head []byte, fill func(*File) error) error {
	list, err := f.Create(at)
	if err != nil {
		return err
	}
	list.Write(head) // Flush returns write errors
	err = fill(list)
	list.WriteEnd()
	return list.Finish(err)
}

// WriteLines writes a list of records with the given lines.
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

// File is a large file that is being written. Close lists it.
type File struct {
	*lists.Writer
	files *Set
	path  string
	out   io.WriteCloser
}

// Create returns a writer for a large file. A file that a zip will contain in compressed form is
// added to the zip when its variants exist.
func (f *Set) Create(at string) (*File, error) {
	if f.packer == nil || !isCompressible(at) || isServedInParts(at) {
		out, err := f.w.Create(at)
		if err != nil {
			return nil, err
		}
		return &File{lists.NewWriter(contextWriter{f.ctx, out}), f, at, out}, nil
	}
	file, err := f.Scratch()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pendingFiles == nil {
		f.pendingFiles = map[string]*pendingFile{}
	}
	p := &pendingFile{set: f, path: at, file: file}
	f.pendingFiles[at] = p
	return &File{lists.NewWriter(contextWriter{f.ctx, p}), f, at, p}, nil
}

// isServedInParts reports whether a server reads a file in parts: databases, collections of kinds
// with files of single records, and listings of such files or pages. A zip stores these
// uncompressed.
func isServedInParts(name string) bool {
	return name == layout.PagesPath || name == layout.HistoriesPath || isDatabase(name) ||
		slices.ContainsFunc(record.Kinds, func(k *record.Kind) bool {
			return k.HasSingle() && (name == k.Collection.Path[1:] || name == layout.ListingPath(k.Folder()))
		})
}

// pendingFileAt returns the pending file at the given path, or nil.
func (f *Set) pendingFileAt(at string) *pendingFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pendingFiles[at]
}

// contextWriter is a writer that fails once the build has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u contextWriter) Write(data []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(data)
}

// Finish closes the file, or discards it if err is not nil.
func (f *File) Finish(err error) error {
	if err != nil {
		return errors.Join(err, f.out.Close())
	}
	return f.Close()
}

// Close completes the file and lists it.
func (f *File) Close() error {
	if err := errors.Join(f.Flush(), f.out.Close()); err != nil {
		return err
	}
	f.files.AddListed(release.File{Path: f.path, Size: f.Size(), SHA256: f.Digest()}, nil)
	return nil
}

// Finish compresses the files, waits for background work, and returns the files for the manifest.
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

// Commit writes the manifest, the last file of a release.
func (f *Set) Commit(m *release.Manifest) error {
	if err := f.linkByHash(m); err != nil {
		return err
	}
	data, err := m.Encode()
	if err == nil && len(data) > layout.MaxManifest {
		err = fmt.Errorf("%s has %.1f MB for %d files, but at most %d MiB can be read",
			layout.ManifestPath, float64(len(data))/1e6, len(m.Files), layout.MaxManifest>>20)
	}
	if err != nil {
		return err
	}
	return f.Put(layout.ManifestPath, data)
}
