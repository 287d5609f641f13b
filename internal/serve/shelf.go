package serve

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"stele/release"
)

// shelf finds the single records and pages of a release that is too large for memory. It keeps sixteen bytes for each: where in a listing it is
// described. What was asked for lately is kept, up to a budget.
type shelf struct {
	seed     maphash.Seed
	entries  []shelved // by hash
	listings []listing

	mu          sync.Mutex
	young, old  map[string]*resource // when the young ones reach half of the budget, they become the old ones
	used, limit int64
}

// shelved is where a file is described.
type shelved struct {
	hash uint64 // of its path
	line uint64 // number of the listing in the highest byte, and where in it
}

// listing is a file with a line for each record of a kind, or for each page.
type listing struct {
	path string
	kind *release.Kind // nil for pages
}

// maxShelved is how large a file may be that is kept in memory.
const maxShelved = 64 << 10

func newShelf(budget int64) *shelf {
	return &shelf{seed: maphash.MakeSeed(), young: map[string]*resource{}, limit: budget / 2}
}

func (s *shelf) add(path string, at int64) {
	s.entries = append(s.entries, shelved{maphash.String(s.seed, path), uint64(len(s.listings)-1)<<56 | uint64(at)})
}

// sort must come before anything is looked for.
func (s *shelf) sort() {
	slices.SortFunc(s.entries, func(a, b shelved) int { return cmp.Compare(a.hash, b.hash) })
}

// lines are the places at which a path may be described: one, but for the rarest of accidents.
func (s *shelf) lines(path string) []shelved {
	hash := maphash.String(s.seed, path)
	from := sort.Search(len(s.entries), func(i int) bool { return s.entries[i].hash >= hash })
	to := from
	for to < len(s.entries) && s.entries[to].hash == hash {
		to++
	}
	return s.entries[from:to]
}

func (s *shelf) has(path string) bool { return len(s.lines(path)) > 0 }

func (l *Library) shelvePages() error {
	if l.release.Manifest.Pages == "" {
		return nil
	}
	s := l.shelf
	s.listings = append(s.listings, listing{path: l.release.Manifest.Pages})
	for line, err := range l.release.Places(l.release.Manifest.Pages) {
		var f release.File
		if err == nil {
			err = json.Unmarshal(line.Text, &f)
		}
		if err != nil {
			return err
		}
		s.add(f.Path, line.At)
	}
	s.sort()
	return nil
}

func (l *Library) shelveSingles(k *release.Kind) error {
	s := l.shelf
	s.listings = append(s.listings, listing{path: k.Index, kind: k})
	for line, err := range l.release.Places(k.Index) {
		var e release.Entry
		if err == nil {
			err = json.Unmarshal(line.Text, &e)
		}
		if err != nil {
			return err
		}
		s.add(singleAt(k, e.ID), line.At)
	}
	return nil
}

// find brings a file from the shelf, or nil if it is not there.
func (s *shelf) find(l *Library, at string) (*resource, error) {
	if r := s.recent(at); r != nil {
		return r, nil
	}
	for _, e := range s.lines(at) {
		listing := s.listings[e.line>>56]
		line, err := l.files[listing.path].forms[0].lineAt(int64(e.line & (1<<56 - 1)))
		if err != nil {
			return nil, err
		}
		r, err := l.fetch(listing, at, line)
		if r != nil || err != nil {
			if r != nil {
				s.keep(at, r)
			}
			return r, err
		}
	}
	return nil, nil
}

// atHand reports whether what lies at an address can be answered with at once, without reading files.
func (l *Library) atHand(address string) bool {
	at := indexed(address[1:])
	return l.shelf == nil || l.files[address[1:]] != nil || l.shelf.recent(at) != nil || !l.shelf.has(at)
}

// prepare brings what lies at an address from the shelf, so that it is at hand. What goes wrong is met again by whoever asks for it.
func (l *Library) prepare(address string) {
	if !l.hold() {
		return
	}
	defer l.letGo()
	if _, err := l.find(address); err != nil && l.options.Refresh != nil {
		l.options.Refresh(l)
	}
}

// fetch makes a resource of the file that a line describes; nil if that is another one.
func (l *Library) fetch(from listing, at string, line []byte) (*resource, error) {
	if from.kind == nil {
		var f release.File
		if err := json.Unmarshal(line, &f); err != nil || f.Path != at {
			return nil, err
		}
		return l.take(&f, l.readWhole) // a file that is left open would be once more each time it is fetched
	}
	var e release.Entry
	if err := json.Unmarshal(line, &e); err != nil || singleAt(from.kind, e.ID) != at {
		return nil, err
	}
	data, err := fs.ReadFile(l.release.Files, at)
	if err == nil && release.Sum(data) != e.SHA256 {
		err = fmt.Errorf("%s %w", at, errDamaged)
	}
	if err != nil {
		return nil, err
	}
	return l.takeSingle(at, data, e.SHA256)
}

// recent is a file that was asked for lately, or nil.
func (s *shelf) recent(at string) *resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.young[at]; r != nil {
		return r
	}
	r := s.old[at]
	if r != nil {
		s.put(at, r)
	}
	return r
}

func (s *shelf) keep(at string, r *resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(at, r)
}

func (s *shelf) put(at string, r *resource) {
	size := int64(len(at) + 200)
	for i := range r.forms {
		size += int64(len(r.forms[i].data) + len(r.forms[i].head) + 150)
	}
	if s.used += size; s.used > s.limit {
		s.old, s.young, s.used = s.young, map[string]*resource{}, size
	}
	s.young[strings.Clone(at)] = r // which lies in a connection's buffer
}

// lineAt is the line of a listing that begins somewhere, without the comma behind it.
func (b body) lineAt(at int64) ([]byte, error) {
	for size := int64(2 << 10); ; size *= 4 {
		part := make([]byte, min(size, b.size-at))
		if err := b.readAt(part, at); err != nil {
			return nil, err
		}
		if end := bytes.IndexByte(part, '\n'); end >= 0 {
			return bytes.TrimSuffix(part[:end], []byte{','}), nil
		}
		if size > release.MaxLine || at+size >= b.size {
			return nil, errors.New("a line of a listing has no end")
		}
	}
}

// readAt fills p with what begins somewhere in a body.
func (b body) readAt(p []byte, at int64) error {
	if b.data != nil {
		copy(p, b.data[at:])
		return nil
	}
	_, err := b.file.ReadAt(p, b.at+at)
	return err
}

// openLarge checks a file and leaves it open, so that it can be sent from where it lies.
func (l *Library) openLarge(path string, size int64, sum release.Digest) (body, error) {
	f, err := l.release.Files.Open(path)
	if err != nil {
		return body{}, err
	}
	b, ok := l.onDisk(f, size)
	if !ok {
		return l.readWhole(path, size, sum)
	}
	hash := sha256.New()
	if n, err := io.Copy(hash, f); err != nil || n != size || release.Digest(hash.Sum(nil)) != sum {
		return body{}, errors.Join(fmt.Errorf("%s %w", path, errDamaged), err)
	}
	return b, nil
}

// onDisk is where an open file lies, and keeps it open. It is false for a file that lies in memory.
func (l *Library) onDisk(f fs.File, size int64) (b body, ok bool) {
	b.size = size
	switch f := f.(type) {
	case *os.File:
		b.file = f
		l.keepOpen(f)
	case interface {
		Outer() (io.ReaderAt, int64, int64)
	}: // a part of a zip, which is open anyway
		outer, at, _ := f.Outer()
		b.file, _ = outer.(*os.File)
		b.at = at
	}
	return b, b.file != nil
}

// keepOpen closes a file when the library is let go.
func (l *Library) keepOpen(f *os.File) {
	l.openMu.Lock()
	defer l.openMu.Unlock()
	l.open = append(l.open, f)
}
