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

// diskFiles finds the single records and pages of a release that is too large for memory. It keeps
// some twenty-six bytes for each, which say where it is described and where it lies, and nothing of
// what was asked for: the system keeps that, in memory that it can do without.
type diskFiles struct {
	seed   maphash.Seed
	pages  []listing // of pages, and of what records said before
	kinds  []listing // of those that have single records
	zip    *os.File  // which all files lie in; nil for a folder
	held   atomic.Int64
	proven proven
}

// listing is a file with a line for each record of a kind, or for each of other files.
type listing struct {
	path  string
	lines Body
	index index // by ID, or by path

	kind          *release.Kind // nil for pages, which have none of the rest
	records       Body          // the kind's collection
	head          []byte        // header lines that all its records share
	before, after string        // what the path of a record has before and after its ID
}

// index finds files by the hash of their names. That is the same as a number that was drawn by lot,
// so that its first bits lead close to where it is among the others.
type index struct {
	files []diskFile // by hash
	// where the files begin whose hashes begin with certain bits, and where the last of them end
	starts []uint32
	shift  int // how many bits follow those
}

type diskFile struct {
	hash   uint64
	line   int64 // where in the listing it is described
	record int64 // where in the collection it is; of a page, where it lies in the zip, once that is known
}

func newIndex(files []diskFile) index {
	slices.SortFunc(files, func(a, b diskFile) int { return cmp.Compare(a.hash, b.hash) })
	leading := max(bits.Len(uint(len(files)))-2, 0) // so that two to four begin alike
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

// at are the files whose name has a hash: one, but for the rarest of accidents.
func (x *index) at(hash uint64) []diskFile {
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

func (from *listing) idIn(path string) (id string, ok bool) {
	if len(path) <= len(from.before)+len(from.after) || !strings.HasPrefix(path, from.before) ||
		!strings.HasSuffix(path, from.after) {
		return "", false
	}
	return path[len(from.before) : len(path)-len(from.after)], true
}

func (s *diskFiles) hasPage(path []byte) bool {
	hash := maphash.Bytes(s.seed, path)
	for i := range s.pages {
		if len(s.pages[i].index.at(hash)) > 0 {
			return true
		}
	}
	return false
}

// find brings a file from disk, or nil if it is not there. encoded says that whoever asks
// takes other encodings, too.
func (s *diskFiles) find(l *Library, path string, encoded bool, d *Scratch) (*resource, error) {
	for i := range s.kinds {
		id, ok := s.kinds[i].idIn(path)
		if !ok {
			continue
		}
		for _, e := range s.kinds[i].index.at(s.hash(id)) {
			if r, err := l.single(&s.kinds[i], e, id, encoded, d); r != nil || err != nil {
				return r, err
			}
		}
		return nil, nil
	}
	hash := s.hash(path)
	for i := range s.pages {
		from := &s.pages[i]
		pages := from.index.at(hash)
		for i := range pages {
			if r, err := l.page(from, &pages[i], path, encoded, d); r != nil || err != nil {
				return r, err
			}
		}
	}
	return nil, nil
}

// inspects reports whether a file is read to its end when what is on disk is indexed, so that
// nobody else has to look whether it is whole.
func (l *Library) inspects(path string) bool {
	m := l.release.Manifest
	return slices.Contains(m.FileListings(), path) || slices.ContainsFunc(m.Kinds, func(k release.Kind) bool {
		return k.Single != "" && (path == k.Listing || path == k.Collection)
	})
}

// shelvePages notes where pages are described, and what records said before.
func (l *Library) shelvePages() error {
	s := l.disk
	for _, path := range l.release.Manifest.FileListings() {
		s.zip, _ = l.inZip(path)
		var files []diskFile
		for f, err := range l.release.ListedFiles(path) {
			if err != nil {
				return err
			}
			files = append(files, diskFile{hash: s.hash(f.Path), line: f.Line.Offset})
		}
		s.pages = append(s.pages, listing{path: path, index: newIndex(files)})
	}
	return nil
}

// shelveSingles notes where single records are, once all files are open.
func (l *Library) shelveSingles() error {
	s := l.disk
	for i := range s.pages {
		s.pages[i].lines = l.files[s.pages[i].path].representations[0].Body
	}
	for i := range l.release.Manifest.Kinds {
		k := &l.release.Manifest.Kinds[i]
		if before, after, ok := k.SingleParts(); ok {
			s.kinds = append(s.kinds, listing{
				path: k.Listing, lines: l.files[k.Listing].representations[0].Body,
				kind: k, records: l.files[k.Collection].representations[0].Body, head: l.head(k.SinglePath("")),
				before: before, after: after,
			})
		}
	}
	return onAllCores(len(s.kinds), func(i int) error { return l.shelve(&s.kinds[i]) })
}

const leastLine = len(`{"id":"","version":1,"sha256":""}`) + 2*len(release.Digest{})

// shelve notes where the records of a kind are. A listing and a collection have them in the same
// order.
func (l *Library) shelve(k *listing) error {
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
		return fmt.Errorf("%s describes %d records, and %s has %d: the release is damaged", k.path, len(files), k.kind.Collection, n)
	}
	k.index = newIndex(files)
	return nil
}

// ErrWouldBlock says that something is not in memory, and would have to be waited for.
var ErrWouldBlock = errors.New("this has to be read from a disk")
