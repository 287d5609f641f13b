package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"stele/internal/base/layout"
	"stele/release"
)

// Source is a path at which a server looks for its release, in a folder or a zip. It is for one
// goroutine at a time.
type Source struct {
	path string
	seen fs.FileInfo // the file that identifies the release opened last, valid or not
}

// NewSource returns the source at path.
func NewSource(path string) *Source { return &Source{path: path} }

// Changed reports whether the release at path differs from the last opened release. It takes one
// file system call.
func (p *Source) Changed() (bool, error) {
	info, err := p.stat()
	if err != nil {
		return false, err
	}
	return p.seen == nil || !os.SameFile(info, p.seen) || !info.ModTime().Equal(p.seen.ModTime()) ||
		info.Size() != p.seen.Size(), nil
}

// Open opens the release that is at path now. modified is its modification time.
func (p *Source) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	info, err := p.stat()
	if err != nil {
		return nil, modified, nil, fmt.Errorf("no release found at %s: %w", p.path, err)
	}
	p.seen = info // before opening: a change in between must be noticed
	r, closer, err = Open(p.path)
	return r, info.ModTime(), closer, err
}

// MarkServed and Refused do nothing: nothing is stored for a path.
func (*Source) MarkServed() {}

// MarkRefused does nothing.
func (*Source) MarkRefused(error) {}

func (*Source) GaveUp(string) bool { return false }

// stat describes the file that changes with each release: its signature, which may come later than
// the rest, or else its manifest.
func (p *Source) stat() (fs.FileInfo, error) {
	info, err := os.Stat(p.path)
	if err != nil || !info.IsDir() {
		return info, err
	}
	if info, err := os.Stat(filepath.Join(p.path, layout.ProofPath)); err == nil {
		return info, nil
	}
	return os.Stat(filepath.Join(p.path, layout.ManifestPath))
}
