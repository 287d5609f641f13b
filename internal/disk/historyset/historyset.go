// Package historyset derives what each record said before from the files that have the histories of
// all records of a kind. Whoever builds a release and whoever copies one does it here, and gets the
// same bytes.
package historyset

import (
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"

	"stele/internal/disk/lists"
	"stele/release"
)

// Set is the histories of records, on disk until all are read. One goroutine adds them; after
// Finish, several may read.
type Set struct {
	lines    *lists.Lines
	versions []version
	files    []int // where in versions the history of each record begins, by path; and their end
}

// version is a line of a history.
type version struct {
	path string // of the record's own history, or what else it is found by
	at   lists.Ref
}

// New makes an empty set.
func New(scratch func() (*os.File, error)) (*Set, error) {
	lines, err := lists.NewLines(scratch)
	if err != nil {
		return nil, err
	}
	return &Set{lines: lines}, nil
}

// Add takes in the versions in a file, whose path says whether it is compressed. find names the
// file that the history of a record is derived to. The manifest limits what is taken in: each
// version has a change event, and the file has a size. Without one, the program itself wrote it.
func (s *Set) Add(path string, in io.Reader, m *release.Manifest, find func(id string) string) error {
	f := release.File{Path: path}
	bytes, versions := int64(math.MaxInt64), int64(math.MaxInt64)
	if m != nil {
		f.Size = m.File(path).Size
		bytes, versions = s.lines.Size()+m.MaxHistory(f.Size), m.MaxVersions()
	}
	var line []byte
	last := ""
	for v, err := range f.Versions(in) {
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		line = v.Append(line[:0], false)
		if s.lines.Size()+int64(len(line)) > bytes || int64(len(s.versions)) >= versions {
			return fmt.Errorf("%s has more versions than the change events and its size explain", path)
		}
		if to := find(v.ID); to != last {
			last = to
		}
		s.versions = append(s.versions, version{last, s.lines.Put(line[:len(line)-1])})
	}
	return nil
}

// Finish brings the histories into the order of their paths. The versions of a record stay in the
// order in which they came.
func (s *Set) Finish() error {
	slices.SortStableFunc(s.versions, func(x, y version) int { return strings.Compare(x.path, y.path) })
	for i := range s.versions {
		if i == 0 || s.versions[i].path != s.versions[i-1].path {
			s.files = append(s.files, i)
		}
	}
	s.files = append(s.files, len(s.versions))
	return s.lines.Flush()
}

// Len returns how many histories there are.
func (s *Set) Len() int { return len(s.files) - 1 }

// Path returns the path of a history.
func (s *Set) Path(i int) string { return s.versions[s.files[i]].path }

// Find returns which history has a path; -1 for none.
func (s *Set) Find(path string) int {
	i, ok := slices.BinarySearchFunc(s.files[:s.Len()], path, func(first int, path string) int {
		return strings.Compare(s.versions[first].path, path)
	})
	if !ok {
		return -1
	}
	return i
}

// Append appends a history to b, as it stands in its file.
func (s *Set) Append(i int, b []byte) ([]byte, error) {
	var line []byte
	for _, v := range s.versions[s.files[i]:s.files[i+1]] {
		var err error
		if line, err = s.lines.Read(v.at, line); err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// Versions yields the versions in a history. Each is valid until the next one.
func (s *Set) Versions(i int) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		var line []byte
		for _, v := range s.versions[s.files[i]:s.files[i+1]] {
			var err error
			var is release.Version
			if line, err = s.lines.Read(v.at, line); err == nil {
				err = is.Parse(line)
			}
			if !yield(is, err) || err != nil {
				return
			}
		}
	}
}

// Close lets the lines go.
func (s *Set) Close() error { return s.lines.Close() }
