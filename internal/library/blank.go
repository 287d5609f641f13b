package library

import (
	"fmt"
	"time"

	"stele/internal/layout"
	"stele/release"
)

// Blank returns a library without a release, for a preview of records that cannot be built yet. The
// first address has a page that says so, and so has, for a browser, every other one.
func Blank(opt Options) *Library {
	l := &Library{
		release: &release.Release{
			Manifest: &release.Manifest{Release: "none"},
		}, modified: time.Now().UTC().Truncate(time.Second), options: opt.withDefaults(),
		files: map[string]*resource{}, removed: map[string][]byte{}, lease: new(Lease),
	}
	l.holds.Store(1)
	l.setHeads()
	page := fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No release yet</title></head>
<body><main><h1>There is no release yet</h1><p>The records have errors. Once they are mended, this page shows them.</p></main></body>
</html>
`)
	page = inject(page, l.options.Inject)
	r := newResource(l.head(layout.Index), plainRepresentation(page, nil))
	l.files[""], l.files[layout.NotFoundPage] = r, r
	return l
}

// IsBlank reports whether there is no release yet.
func (l *Library) IsBlank() bool { return l.release.Files == nil }
