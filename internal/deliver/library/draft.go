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

// Draft contains the files of a preview, which are rendered on request.
type Draft interface {
	fs.FS
	Has(path string) bool // whether a file exists, without rendering it
	Close() error         // called when the library is closed
}

// OpenDraft returns a library that serves a draft. Files are read when they are requested, and not
// verified, because the draft has just been built.
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
	l.prepareHeads()
	l.addFolderURLs()
	lost, err := l.draftResource(layout.NotFoundPage)
	if lost != nil {
		l.files[layout.NotFoundPage] = lost
	}
	if err = errors.Join(err, l.loadRemoved()); err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

// draftResource returns a file of the draft as a resource, or nil if it does not exist.
func (l *Library) draftResource(at string) (*resource, error) {
	if !l.draft.Has(at) {
		return nil, nil
	}
	f, err := l.draft.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close() // f was only read
	if f, ok := f.(stored); ok {
		b := Body{}
		b.File, b.At = positionInZip(f)
		_, _, b.Size = f.Outer()
		if listed := l.release.Manifest.File(at); b.File != nil && listed != nil {
			return newResource(l.sharedHead(at), newRepresentation(compress.Identity, b, listed.SHA256)), nil
		}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return newResource(l.sharedHead(at), plainRepresentation(data)), nil
}

// Blank returns a library without a release, for a folder that cannot be built yet. It answers
// browsers with page at every URL.
func Blank(page []byte, opt Options) *Library {
	l := &Library{
		release: &release.Release{
			Manifest: &release.Manifest{Release: "none"},
		}, modified: time.Now().UTC().Truncate(time.Second), options: opt.withDefaults(),
		files: map[string]*resource{}, removed: map[string][]byte{}, lease: new(Lease),
	}
	l.holds.Store(1)
	l.prepareHeads()
	r := newResource(l.sharedHead(layout.Index), plainRepresentation(page))
	l.files[""], l.files[layout.NotFoundPage] = r, r
	return l
}

// IsBlank reports whether the library has no release.
func (l *Library) IsBlank() bool { return l.release.Files == nil }
