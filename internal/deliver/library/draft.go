package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

// Draft is the files of a release that are made when they are asked for, for a preview.
type Draft interface {
	fs.FS
	Has(path string) bool // whether there is a file, without making it
	Close() error         // called when the library is let go
}

// OpenDraft makes a draft ready to be served. Nothing is read until it is asked for, and what is
// read is not compared with any digest: the draft has just been made.
func OpenDraft(files Draft, modified time.Time, opt Options) (*Library, error) {
	r, err := release.Open(context.Background(), files)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	l := &Library{
		release: r, modified: modified.UTC().Truncate(time.Second), options: opt.withDefaults(),
		draft: files, isHeld: true,
		files: map[string]*resource{}, removed: map[string][]byte{}, closer: files.Close, lease: new(Lease),
	}
	l.holds.Store(1)
	l.setHeads()
	l.addressesOfFolders()
	lost, err := l.fromDraft(layout.NotFoundPage)
	if lost != nil {
		l.files[layout.NotFoundPage] = lost
	}
	if err = errors.Join(err, l.loadRemoved()); err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

// fromDraft makes a resource of a file that is made now; nil if there is none.
func (l *Library) fromDraft(at string) (*resource, error) {
	if !l.draft.Has(at) {
		return nil, nil
	}
	f, err := l.draft.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	if f, ok := f.(stored); ok {
		b := Body{}
		b.File, b.At = partOf(f)
		_, _, b.Size = f.Outer()
		if listed := l.release.Manifest.File(at); b.File != nil && listed != nil {
			return newResource(l.head(at), newRepresentation(compress.Identity, b, listed.SHA256)), nil
		}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return newResource(l.head(at), plainRepresentation(data)), nil
}

// Blank returns a library without a release, of records that cannot be built yet. The first address
// has a page that says so, and so has, for a browser, every other one.
func Blank(page []byte, opt Options) *Library {
	l := &Library{
		release: &release.Release{
			Manifest: &release.Manifest{Release: "none"},
		}, modified: time.Now().UTC().Truncate(time.Second), options: opt.withDefaults(),
		files: map[string]*resource{}, removed: map[string][]byte{}, lease: new(Lease),
	}
	l.holds.Store(1)
	l.setHeads()
	r := newResource(l.head(layout.Index), plainRepresentation(page))
	l.files[""], l.files[layout.NotFoundPage] = r, r
	return l
}

// IsBlank reports whether there is no release yet.
func (l *Library) IsBlank() bool { return l.release.Files == nil }
