package library

import (
	"time"

	"stele/internal/base/layout"
	"stele/release"
)

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
	r := newResource(l.head(layout.Index), plainRepresentation(page, nil))
	l.files[""], l.files[layout.NotFoundPage] = r, r
	return l
}

// IsBlank reports whether there is no release yet.
func (l *Library) IsBlank() bool { return l.release.Files == nil }
