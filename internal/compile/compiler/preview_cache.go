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
	"stele/internal/base/fileinfo"
	"stele/internal/compile/files"
	"stele/internal/disk/scratch"
	"stele/internal/disk/spool"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
)

// PreviewCache contains results of previews, so that after a save only changed files are read
// again. The zero PreviewCache is empty.
type PreviewCache struct {
	date     record.Date // of the checks, which depend on it
	texts    uint64      // digest of the source texts that quotes are checked against
	files    map[string]*cachedFile
	spool    *spool.Spool // contains the records
	fullSize int64        // size of the spool after the first preview
	// By path: collections that contain only the records of their listings.
	collections map[string]cachedCollection
}

// cachedCollection is a collection of the last draft.
type cachedCollection struct {
	source [sha256.Size]byte // digest of its inputs
	file   *sharedFile
	listed release.File
}

// draftWriter stores small files in memory and large ones on disk. Except for collections, all
// files are written before any is read.
type draftWriter struct {
	files map[string][]byte
	large map[string]*sharedFile
	cache *PreviewCache // nil if there are no other drafts
}

func (w *draftWriter) Put(path string, data []byte) error {
	w.files[path] = bytes.Clone(data)
	return nil
}

func (w *draftWriter) Create(path string) (store.File, error) {
	f, err := w.Scratch()
	if err != nil {
		return nil, err
	}
	w.large[path] = (&sharedFile{File: f}).retain()
	return openFile{f}, nil
}

// openFile is a file that is still read after closing the writer.
type openFile struct{ io.Writer }

func (openFile) Close() error   { return nil }
func (openFile) Discard() error { return nil }

func (w *draftWriter) Files() fs.FS { return largeFiles(w.large) }

type largeFiles map[string]*sharedFile

func (l largeFiles) Open(path string) (fs.File, error) {
	f := l[path]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	size, err := f.Seek(0, io.SeekEnd)
	return fileinfo.New(path, f.File, size), err
}

func (w *draftWriter) Scratch() (*os.File, error) { return scratch.New("", "stele-preview-*") }

// reuseCollection adds the previous draft's collection at path if its inputs have the digest
// source.
func (w *draftWriter) reuseCollection(path string, source [sha256.Size]byte) (listed release.File, ok bool) {
	if w.cache == nil {
		return listed, false
	}
	c, ok := w.cache.collections[path]
	if !ok || c.source != source {
		return listed, false
	}
	w.large[path] = c.file.retain()
	return c.listed, true
}

// cacheCollection makes a collection available to the next draft.
func (w *draftWriter) cacheCollection(listed release.File, source [sha256.Size]byte) error {
	if w.cache == nil {
		return nil
	}
	if w.cache.collections == nil {
		w.cache.collections = map[string]cachedCollection{}
	}
	before, had := w.cache.collections[listed.Path]
	w.cache.collections[listed.Path] = cachedCollection{source, w.large[listed.Path].retain(), listed}
	if had {
		return before.file.release()
	}
	return nil
}

// sharedFile is a temporary file that several drafts read. The last one closes it.
type sharedFile struct {
	*os.File
	users atomic.Int32
}

func (f *sharedFile) retain() *sharedFile { f.users.Add(1); return f }

func (f *sharedFile) release() error {
	if f.users.Add(-1) > 0 {
		return nil
	}
	return f.Close()
}

// cachedFile contains the results for the records of a file, in pieces that grow with the file, so
// that small files need little memory.
type cachedFile struct {
	digest uint64
	pieces [][]cachedRecord
}

type cachedRecord struct {
	facts   check.Facts
	ref     spool.Ref
	updated record.Date
}

// maxCached is the greatest number of cached records. Each takes some hundred bytes.
const maxCached = 500_000

func (f *cachedFile) add(r cachedRecord) {
	last := len(f.pieces) - 1
	if last < 0 || len(f.pieces[last]) == cap(f.pieces[last]) {
		f.pieces = append(f.pieces, make([]cachedRecord, 0, 1<<min(2*len(f.pieces), 12)))
		last++
	}
	f.pieces[last] = append(f.pieces[last], r)
}

// newSpool returns the spool of the next preview. It continues the previous spool, unless more than
// half of that is obsolete.
func (k *PreviewCache) newSpool(date record.Date, texts uint64, w files.Writer) (*spool.Spool, error) {
	if k.spool != nil && k.date == date && k.texts == texts && k.spool.Size() <= 2*k.fullSize {
		return k.spool.Continue(), nil
	}
	if err := k.Close(); err != nil {
		return nil, err
	}
	k.date, k.texts = date, texts
	return spool.New(w.Scratch)
}

// hasRecordsOf reports whether the records of the file s are cached.
func (k *PreviewCache) hasRecordsOf(s *input.Source) bool {
	f := k.files[s.Path]
	return f != nil && f.digest == s.Digest && s.Digest != 0
}

// Close closes all files and empties the cache.
func (k *PreviewCache) Close() (err error) {
	if k.spool != nil {
		err = k.spool.Close()
	}
	for _, c := range k.collections {
		err = errors.Join(err, c.file.release())
	}
	*k = PreviewCache{}
	return err
}

// cacheBuilder collects the results that the next preview can reuse. A nil cacheBuilder collects
// nothing.
type cacheBuilder struct {
	cache *PreviewCache
	files map[string]*cachedFile
	count int
}

func newCacheBuilder(k *PreviewCache) *cacheBuilder {
	if k == nil {
		return nil
	}
	return &cacheBuilder{cache: k, files: map[string]*cachedFile{}}
}

// uncachedBatches returns the batches of the folder fsys, without the records of cached files.
func (k *cacheBuilder) uncachedBatches(fsys fs.FS, progress func(done, total int64)) iter.Seq[input.Batch] {
	if k == nil {
		return input.Batches(fsys, progress)
	}
	return input.BatchesSince(fsys, k.cache.hasRecordsOf, progress)
}

// reuse calls add for the cached records of the file at path, and keeps them in the cache.
func (k *cacheBuilder) reuse(path string, add func(*encoded)) {
	f := k.cache.files[path]
	k.files[path] = f
	for _, piece := range f.pieces {
		k.count += len(piece)
		for i := range piece {
			add(&encoded{facts: piece[i].facts, ref: piece[i].ref, updated: piece[i].updated})
		}
	}
}

// add caches the result e for a record, unless its file cannot be cached completely.
func (k *cacheBuilder) add(e *encoded) {
	if k == nil || e.source == nil || e.source.Digest == 0 {
		return
	}
	f, begun := k.files[e.source.Path]
	if !begun {
		f = &cachedFile{digest: e.source.Digest}
		k.files[e.source.Path] = f
	}
	switch k.count++; {
	case f == nil:
	case k.count > maxCached || !e.facts.CloneStrings():
		k.files[e.source.Path] = nil
	default:
		f.add(cachedRecord{e.facts, e.ref, record.Date(strings.Clone(string(e.updated)))})
	}
}

// finish makes the collected results available to the next preview.
func (k *cacheBuilder) finish(s *spool.Spool) {
	if k == nil {
		return
	}
	if k.cache.spool == nil {
		k.cache.spool, k.cache.fullSize = s.Continue(), s.Size()
	}
	k.cache.files = k.files
}
