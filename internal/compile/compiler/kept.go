package compiler

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"sync/atomic"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/compile/files"
	"stele/internal/disk/scratch"
	"stele/internal/disk/spool"
	"stele/record"
	"stele/release"
)

// Kept is what previews keep of the files of a folder from one to the next, so that after a save
// only the files are read that it changed. The zero Kept has nothing yet.
type Kept struct {
	date  record.Date // what is right on one day may be wrong on another
	texts uint64      // and what is quoted from one text, beside another
	files map[string]*keptFile
	spool *spool.Spool // where the records lie
	whole int64        // its size when all was read
	// by path: collections that have the records of their listings and nothing else
	collections map[string]keptCollection
}

// keptCollection is a collection of the last draft.
type keptCollection struct {
	source [sha256.Size]byte // of what it was made from
	file   *sharedFile
	listed release.File
}

// draftWriter keeps small files in memory and large ones on disk. All are written before any is
// read, but for collections.
type draftWriter struct {
	files map[string][]byte
	large map[string]*sharedFile
	kept  *Kept // nil if there is no draft before and after this one
}

func (w *draftWriter) Put(path string, data []byte) error {
	w.files[path] = bytes.Clone(data)
	return nil
}

func (w *draftWriter) Create(path string) (io.WriteCloser, error) {
	f, err := w.Scratch()
	if err != nil {
		return nil, err
	}
	w.large[path] = (&sharedFile{File: f}).join()
	return keptOpen{f}, nil
}

// keptOpen is a file that is read after it is closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

func (w *draftWriter) Open(path string) (io.ReadCloser, error) {
	f := w.large[path]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(io.NewSectionReader(f, 0, size)), nil
}

func (w *draftWriter) Scratch() (*os.File, error) { return scratch.New("", "stele-preview-*") }

// again gives a draft the collection that the one before had at a path, if it was made from the
// same.
func (w *draftWriter) again(path string, source [sha256.Size]byte) (listed release.File, ok bool) {
	if w.kept == nil {
		return listed, false
	}
	c, ok := w.kept.collections[path]
	if !ok || c.source != source {
		return listed, false
	}
	w.large[path] = c.file.join()
	return c.listed, true
}

// keep lets the next draft have a collection of this one.
func (w *draftWriter) keep(listed release.File, source [sha256.Size]byte) error {
	if w.kept == nil {
		return nil
	}
	if w.kept.collections == nil {
		w.kept.collections = map[string]keptCollection{}
	}
	before, had := w.kept.collections[listed.Path]
	w.kept.collections[listed.Path] = keptCollection{source, w.large[listed.Path].join(), listed}
	if had {
		return before.file.leave()
	}
	return nil
}

// sharedFile is a file without a name that several drafts read. The last one closes it.
type sharedFile struct {
	*os.File
	users atomic.Int32
}

func (f *sharedFile) join() *sharedFile { f.users.Add(1); return f }

func (f *sharedFile) leave() error {
	if f.users.Add(-1) > 0 {
		return nil
	}
	return f.Close()
}

// keptFile is what was made of the records of a file, in pieces, so that large files need no more
// memory than that and small ones hardly any.
type keptFile struct {
	digest uint64
	pieces [][]keptRecord
}

type keptRecord struct {
	facts   check.Facts
	ref     spool.Ref
	updated record.Date
}

// mostKept is how many records are kept. Each takes some hundred bytes.
const mostKept = 500_000

func (f *keptFile) add(r keptRecord) {
	last := len(f.pieces) - 1
	if last < 0 || len(f.pieces[last]) == cap(f.pieces[last]) {
		f.pieces = append(f.pieces, make([]keptRecord, 0, 1<<min(2*len(f.pieces), 12)))
		last++
	}
	f.pieces[last] = append(f.pieces[last], r)
}

// begin makes the spool of the next preview. It goes on with that of the one before, unless more
// than half of that is of no use any more.
func (k *Kept) begin(date record.Date, texts uint64, w files.Writer) (*spool.Spool, error) {
	if k.spool != nil && k.date == date && k.texts == texts && k.spool.Size() <= 2*k.whole {
		return k.spool.Continue(), nil
	}
	if err := k.Close(); err != nil {
		return nil, err
	}
	k.date, k.texts = date, texts
	return spool.New(w.Scratch)
}

// knows reports whether the records of a file are kept.
func (k *Kept) knows(s *input.Source) bool {
	f := k.files[s.Path]
	return f != nil && f.digest == s.Digest && s.Digest != 0
}

// Close lets everything go.
func (k *Kept) Close() (err error) {
	if k.spool != nil {
		err = k.spool.Close()
	}
	for _, c := range k.collections {
		err = errors.Join(err, c.file.leave())
	}
	*k = Kept{}
	return err
}

// keeper collects what the next preview can use. nil collects nothing.
type keeper struct {
	was   *Kept
	files map[string]*keptFile
	count int
}

func newKeeper(k *Kept) *keeper {
	if k == nil {
		return nil
	}
	return &keeper{was: k, files: map[string]*keptFile{}}
}

// batches are those of a folder, without the records of files that are kept.
func (k *keeper) batches(fsys fs.FS, progress func(done, total int64)) iter.Seq[input.Batch] {
	if k == nil {
		return input.Batches(fsys, progress)
	}
	return input.BatchesSince(fsys, k.was.knows, progress)
}

// again yields what is kept of a file, and keeps it.
func (k *keeper) again(path string, add func(*encoded)) {
	f := k.was.files[path]
	k.files[path] = f
	for _, piece := range f.pieces {
		k.count += len(piece)
		for i := range piece {
			add(&encoded{facts: piece[i].facts, ref: piece[i].ref, updated: piece[i].updated})
		}
	}
}

// keep keeps what was made of a record, or of what should be one, if all of its file can be kept.
func (k *keeper) keep(e *encoded) {
	if k == nil || e.source == nil || e.source.Digest == 0 {
		return
	}
	f, begun := k.files[e.source.Path]
	if !begun {
		f = &keptFile{digest: e.source.Digest}
		k.files[e.source.Path] = f
	}
	switch k.count++; {
	case f == nil:
	case k.count > mostKept || !e.facts.Keep():
		k.files[e.source.Path] = nil
	default:
		f.add(keptRecord{e.facts, e.ref, record.Date(strings.Clone(string(e.updated)))})
	}
}

// done lets the next preview use what was collected.
func (k *keeper) done(s *spool.Spool) {
	if k == nil {
		return
	}
	if k.was.spool == nil {
		k.was.spool, k.was.whole = s.Continue(), s.Size()
	}
	k.was.files = k.files
}
