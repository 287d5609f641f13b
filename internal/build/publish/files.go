package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/disk/asyncwriter"
	"stele/release"
)

// files is the files of a release on their way to its writer. Whatever is written passes through
// here, and ends when the build does.
type files struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	w        Writer
	linker   Linker // the same writer, or nil
	opt      *Options
	previous *previous
	listed   []release.File // what the manifest lists
	jobs     []variantJob   // what is to be compressed
	singles  *singles
	draft    *draftWriter // of a release whose files are made when they are asked for; else nil
}

func newFiles(ctx context.Context, b *build, before *previous) *files {
	f := &files{w: b.w, opt: b.opt, previous: before, draft: b.draft}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	f.linker, _ = b.w.(Linker)
	return f
}

// close ends what is still being written.
func (f *files) close() {
	f.cancel(context.Canceled)
	f.singles.wait()
}

// put writes a file that the manifest does not list.
func (f *files) put(at string, data []byte) error {
	if err := context.Cause(f.ctx); err != nil {
		return err
	}
	return f.w.Put(at, data)
}

// add writes a small file and lists it.
func (f *files) add(at string, data []byte) error {
	f.list(release.File{Path: at, Size: int64(len(data)), SHA256: sha256.Sum256(data)}, data)
	return f.put(at, data)
}

// list notes a file for the manifest, and for compressing it. Its bytes are read back if they are
// not given.
func (f *files) list(listed release.File, data []byte) {
	f.listed = append(f.listed, listed)
	if !f.opt.NoVariants && compressible(listed.Path) {
		f.jobs = append(f.jobs, variantJob{listed.Path, listed.Size, data})
	}
}

// sorted returns what is listed so far, in the order of paths.
func (f *files) sorted() []release.File {
	slices.SortFunc(f.listed, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
	return f.listed
}

// find returns what is listed of a file.
func (f *files) find(at string) *release.File {
	return &f.listed[slices.IndexFunc(f.listed, func(x release.File) bool { return x.Path == at })]
}

// compressible leaves out the files that hosts read and never send, and those that are compressed
// already.
func compressible(at string) bool {
	switch path.Ext(at) {
	case "", ".nojekyll", ".png", ".woff2", ".parquet", ".sqlite", ".zip", ".ico", ".zst":
		return false
	}
	return true
}

// link takes a file over from a previous release that is a folder, and reports whether it could.
// The file must be the same; it keeps the time at which it was written then, of which plain web
// servers make entity tags: nobody has to fetch it again.
func (f *files) link(at string, size int64) bool {
	return f.linker != nil && f.previous != nil && f.opt.PreviousDir != "" &&
		f.linker.Link(at, filepath.Join(f.opt.PreviousDir, filepath.FromSlash(at)), size, f.previous.written)
}

func (f *files) scratch() (*os.File, error) {
	if err := context.Cause(f.ctx); err != nil {
		return nil, err
	}
	return f.w.Scratch()
}

// file is a large file in the making: counted, digested and listed. Digesting and writing go on
// while the next part is made.
type file struct {
	files *files
	path  string
	out   io.WriteCloser
	w     *asyncwriter.Writer
	sum   hash.Hash
	size  int64
	lines int
}

func (f *files) create(at string) (*file, error) {
	out, err := f.w.Create(at)
	if err != nil {
		return nil, err
	}
	large := &file{files: f, path: at, out: out, sum: sha256.New()}
	large.w = asyncwriter.New(256<<10, large.sum, (*fileEnd)(large))
	return large, nil
}

// fileEnd is where the bytes of a file arrive, a buffer at a time, when they were digested.
type fileEnd file

func (f *fileEnd) Write(data []byte) (int, error) {
	if err := context.Cause(f.files.ctx); err != nil {
		return 0, err
	}
	n, err := f.out.Write(data)
	f.size += int64(n)
	return n, err
}

// Write writes bytes as they are.
func (f *file) Write(data []byte) (int, error) { return f.w.Write(data) }

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

// addLines adds lines that are made already: each with a line break before it and a comma before
// that, but for the first comma.
func (f *file) addLines(data []byte) {
	if f.lines == 0 {
		data = bytes.TrimPrefix(data, []byte{','})
	}
	f.lines++
	f.w.Write(data)
}

// end ends a list of records.
func (f *file) end() error {
	f.w.WriteString("\n]}\n")
	return f.Close()
}

// finish ends the file: with an error, it is closed and not listed.
func (f *file) finish(err error) error {
	if err != nil {
		return errors.Join(err, f.w.Flush(), f.out.Close())
	}
	return f.Close()
}

// Close ends the file and lists it.
func (f *file) Close() error {
	if err := errors.Join(f.w.Flush(), f.out.Close()); err != nil {
		return err
	}
	f.files.list(release.File{Path: f.path, Size: f.size, SHA256: release.Digest(f.sum.Sum(nil))}, nil)
	return nil
}
