package library

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"stele/release"
)

// diskFiles is an index of the single records and pages of a release that is too large for memory.
// For each file it stores 26 bytes: the positions of its description and of its content. File
// contents are cached by the system alone.
type diskFiles struct {
	seed     maphash.Seed
	pages    []listing // of pages, and of histories
	kinds    []listing // of kinds with single records
	zip      *os.File  // contains all files; nil for a folder
	held     atomic.Int64
	verified verifiedVariants
}

// listing describes a file with one line for each record of a kind, or for each file of a group.
type listing struct {
	path  string
	lines Body
	index index // by ID or by path

	kind          *release.Kind // nil for pages, which have none of the following
	records       Body          // the kind's collection
	head          []byte        // header lines of all its records
	before, after string        // parts of a record's path before and after the ID
}

// index finds files by the hash of their names. Hashes are evenly distributed, so the first bits of
// a hash lead close to its file.
type index struct {
	files []diskFile // sorted by hash
	// where the files with each hash prefix begin; the last element is the number of files
	starts []uint32
	shift  int // number of bits after the prefix
}

type diskFile struct {
	hash   uint64
	line   int64 // offset of its description in the listing
	record int64 // offset in the collection; for a page, its offset in the zip, once known
}

func newIndex(files []diskFile) index {
	slices.SortFunc(files, func(a, b diskFile) int { return cmp.Compare(a.hash, b.hash) })
	leading := max(bits.Len(uint(len(files)))-2, 0) // two to four files for each prefix
	x := index{files: files, starts: make([]uint32, 1<<leading+1), shift: 64 - leading}
	start := 0
	for i := range x.starts {
		for start < len(files) && files[start].hash>>x.shift < uint64(i) {
			start++
		}
		x.starts[i] = uint32(start)
	}
	return x
}

// filesWithHash returns the files whose names have the given hash: at most one file, except in rare
// collisions.
func (x *index) filesWithHash(hash uint64) []diskFile {
	if len(x.files) == 0 {
		return nil
	}
	alike := x.files[x.starts[hash>>x.shift]:x.starts[hash>>x.shift+1]]
	for len(alike) > 0 && alike[0].hash < hash {
		alike = alike[1:]
	}
	for len(alike) > 0 && alike[len(alike)-1].hash > hash {
		alike = alike[:len(alike)-1]
	}
	return alike
}

func newDiskFiles() *diskFiles { return &diskFiles{seed: maphash.MakeSeed()} }

func (s *diskFiles) hash(name string) uint64 { return maphash.String(s.seed, name) }

func (from *listing) idFromPath(path string) (id string, ok bool) {
	if len(path) <= len(from.before)+len(from.after) || !strings.HasPrefix(path, from.before) ||
		!strings.HasSuffix(path, from.after) {
		return "", false
	}
	return path[len(from.before) : len(path)-len(from.after)], true
}

func (s *diskFiles) hasPage(path []byte) bool {
	hash := maphash.Bytes(s.seed, path)
	for i := range s.pages {
		if len(s.pages[i].index.filesWithHash(hash)) > 0 {
			return true
		}
	}
	return false
}

// find returns a file on disk, or nil if it does not exist. encoded is true if the client accepts
// compressed answers too.
func (s *diskFiles) find(l *Library, path string, encoded bool, d *Scratch) (*resource, error) {
	for i := range s.kinds {
		id, ok := s.kinds[i].idFromPath(path)
		if !ok {
			continue
		}
		for _, e := range s.kinds[i].index.filesWithHash(s.hash(id)) {
			if r, err := l.singleResource(&s.kinds[i], e, id, encoded, d); r != nil || err != nil {
				return r, err
			}
		}
		return nil, nil
	}
	hash := s.hash(path)
	for i := range s.pages {
		from := &s.pages[i]
		pages := from.index.filesWithHash(hash)
		for i := range pages {
			if r, err := l.pageResource(from, &pages[i], path, encoded, d); r != nil || err != nil {
				return r, err
			}
		}
	}
	return nil, nil
}

// isIndexed reports whether indexing reads the whole file, so that it need not be verified
// separately.
func (l *Library) isIndexed(path string) bool {
	m := l.release.Manifest
	return slices.Contains(m.FileListings(), path) || slices.ContainsFunc(m.Kinds, func(k release.Kind) bool {
		return k.Single != "" && (path == k.Listing || path == k.Collection)
	})
}

func (l *Library) indexPages() error {
	s := l.disk
	for _, path := range l.release.Manifest.FileListings() {
		s.zip, _ = l.findInZip(path)
		var files []diskFile
		for f, err := range l.release.ListedFiles(path) {
			if err != nil {
				return err
			}
			files = append(files, diskFile{hash: s.hash(f.Path), line: f.Line.Offset})
			l.addName(f.Path)
		}
		s.pages = append(s.pages, listing{path: path, index: newIndex(files)})
	}
	return nil
}

// indexSingles indexes the single records, after all files are opened.
func (l *Library) indexSingles() error {
	s := l.disk
	for i := range s.pages {
		s.pages[i].lines = l.files[s.pages[i].path].representations[0].Body
	}
	for i := range l.release.Manifest.Kinds {
		k := &l.release.Manifest.Kinds[i]
		if before, after, ok := k.SingleParts(); ok {
			s.kinds = append(s.kinds, listing{
				path: k.Listing, lines: l.files[k.Listing].representations[0].Body,
				kind: k, records: l.files[k.Collection].representations[0].Body, head: l.sharedHead(k.SinglePath("")),
				before: before, after: after,
			})
		}
	}
	return onAllCores(len(s.kinds), func(i int) error { return l.indexRecords(&s.kinds[i]) })
}

const leastLine = len(`{"id":"","version":1,"sha256":""}`) + 2*len(release.Digest{})

// indexRecords indexes the records of a kind. Its listing and its collection have the same order.
func (l *Library) indexRecords(k *listing) error {
	files := make([]diskFile, 0, min(int64(max(k.kind.Count, 0)), k.lines.Size/int64(leastLine)))
	for line, err := range l.release.Lines(k.path) {
		if err != nil {
			return err
		}
		id, _, err := line.Pin()
		if err != nil {
			return fmt.Errorf("%s: %w", k.path, err)
		}
		files = append(files, diskFile{hash: maphash.Bytes(l.disk.seed, id), line: line.Offset})
	}
	n := 0
	for line, err := range l.release.Lines(k.kind.Collection) {
		if err != nil {
			return err
		}
		if n < len(files) {
			files[n].record = line.Offset
		}
		n++
	}
	if n != len(files) {
		return fmt.Errorf("%s describes %d records, but %s contains %d: the release is damaged", k.path, len(files), k.kind.Collection, n)
	}
	k.index = newIndex(files)
	return nil
}

// ErrWouldBlock means that data is not in memory, so reading it would wait for a disk.
var ErrWouldBlock = errors.New("must be read from a disk")
