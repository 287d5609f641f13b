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

// Place is a path at which a release lies, in a folder or a zip, and where the next one will. It is
// for one goroutine at a time.
type Place struct {
	path string
	seen fs.FileInfo // the file that told of what was opened last, good or bad
}

// At returns the place at a path.
func At(path string) *Place { return &Place{path: path} }

// Changed reports whether something else lies there than what was opened last. It costs one
// question to the file system.
func (p *Place) Changed() (bool, error) {
	info, err := p.stat()
	if err != nil {
		return false, err
	}
	return p.seen == nil || !os.SameFile(info, p.seen) || !info.ModTime().Equal(p.seen.ModTime()) ||
		info.Size() != p.seen.Size(), nil
}

// Open opens what lies there now. modified is when it came there; closer lets it go.
func (p *Place) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	info, err := p.stat()
	if err != nil {
		return nil, modified, nil, fmt.Errorf("there is no release at %s: %w", p.path, err)
	}
	p.seen = info // before it is opened: a change meanwhile is one
	r, closer, err = Open(p.path)
	return r, info.ModTime(), closer, err
}

// Served does nothing, as Refused: a path keeps nothing of what it brought.
func (*Place) Served() {}

// Refused does nothing.
func (*Place) Refused(error) {}

// GaveUp reports false: nothing is given up for a path.
func (*Place) GaveUp(string) bool { return false }

// stat is about the file that changes with the release: its signature, which may come later than
// the rest, or its manifest.
func (p *Place) stat() (fs.FileInfo, error) {
	info, err := os.Stat(p.path)
	if err != nil || !info.IsDir() {
		return info, err
	}
	if info, err := os.Stat(filepath.Join(p.path, layout.ProofPath)); err == nil {
		return info, nil
	}
	return os.Stat(filepath.Join(p.path, layout.ManifestPath))
}
