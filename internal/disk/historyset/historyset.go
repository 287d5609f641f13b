// Package historyset splits the history files of whole kinds into the histories of single records.
// Building and copying a release share it, so that both give the same bytes.
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

// Set is a set of histories, stored on disk. One goroutine adds them; after Finish, several may
// read.
type Set struct {
	lines    *lists.Lines
	versions []version
	starts   []int // indexes in versions of each history's first version, and the total
}

// version is one line of a history.
type version struct {
	path string // of the record's history file, or another key
	at   lists.Ref
}

// New returns an empty set in the file that scratch creates.
func New(scratch func() (*os.File, error)) (*Set, error) {
	lines, err := lists.NewLines(scratch)
	if err != nil {
		return nil, err
	}
	return &Set{lines: lines}, nil
}

// Add reads the versions in a history file, which is compressed if path has the extension of
// compressed files. find returns the path under which to store the history of a record. The
// manifest m limits the number of versions, because each version has a change event, and the size
// of the file. For a file that this program wrote itself, m is nil.
func (s *Set) Add(path string, in io.Reader, m *release.Manifest, find func(id string) string) error {
	f := release.File{Path: path}
	bytes, versions := int64(math.MaxInt64), int64(math.MaxInt64)
	if m != nil {
		f.Size = m.File(path).Size
		bytes, versions = s.lines.Size()+m.MaxHistorySize(f.Size), m.MaxVersions()
	}
	var line []byte
	last := ""
	for v, err := range f.Versions(in) {
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		line = v.Append(line[:0], false)
		if s.lines.Size()+int64(len(line)) > bytes || int64(len(s.versions)) >= versions {
			return fmt.Errorf("%s: more versions than its size and the number of change events allow", path)
		}
		if to := find(v.ID); to != last {
			last = to
		}
		s.versions = append(s.versions, version{last, s.lines.Add(line[:len(line)-1])})
	}
	return nil
}

// Finish sorts the histories by path. The versions of a record keep their order.
func (s *Set) Finish() error {
	slices.SortStableFunc(s.versions, func(x, y version) int { return strings.Compare(x.path, y.path) })
	for i := range s.versions {
		if i == 0 || s.versions[i].path != s.versions[i-1].path {
			s.starts = append(s.starts, i)
		}
	}
	s.starts = append(s.starts, len(s.versions))
	return s.lines.Flush()
}

// Len returns the number of histories.
func (s *Set) Len() int { return len(s.starts) - 1 }

func (s *Set) Path(i int) string { return s.versions[s.starts[i]].path }

// Find returns the index of the history with a path, or -1.
func (s *Set) Find(path string) int {
	i, ok := slices.BinarySearchFunc(s.starts[:s.Len()], path, func(first int, path string) int {
		return strings.Compare(s.versions[first].path, path)
	})
	if !ok {
		return -1
	}
	return i
}

// Append appends the contents of history i to b.
func (s *Set) Append(i int, b []byte) ([]byte, error) {
	var line []byte
	for _, v := range s.versions[s.starts[i]:s.starts[i+1]] {
		var err error
		if line, err = s.lines.Read(v.at, line); err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// Versions yields the versions in history i. Each is valid until the next.
func (s *Set) Versions(i int) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		var line []byte
		for _, v := range s.versions[s.starts[i]:s.starts[i+1]] {
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

func (s *Set) Close() error { return s.lines.Close() }
