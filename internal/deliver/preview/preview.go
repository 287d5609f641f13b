// Package preview shows a folder of records as the release that it would become. It builds in
// memory, serves the result, and builds again when a file is saved. Open pages reload automatically
// and show the problems of the records. If there are errors, the last good release remains visible.
package preview

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"time"

	"stele/internal/compile/compiler"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/release"
)

// Preview serves a preview of a folder.
type Preview struct {
	Files   fs.FS                            // the folder of records
	Dir     string                           // path of the folder, to be watched; "" if the folder does not change
	Names   func() []string                  // returns the files and folders in it that affect the release
	Build   func() (compiler.Options, error) // returns the options of the next build
	Listen  []string                         // the addresses that the server listens on
	Options serve.Options
	Forms   Forms // the forms for writing records; nil for none
	// prints the result of a build, and returns its findings for the pages
	Report func(*compiler.Outcome, time.Duration) string

	server  *serve.Server
	pages   *pages
	watcher *watcher
	cache   compiler.PreviewCache // keeps records from one save to the next
}

// Start builds the folder for the first time and returns the server. If the records have errors,
// the server shows a page with the errors.
func (p *Preview) Start(ctx context.Context) (s *serve.Server, err error) {
	p.pages = newPages()
	p.Options.Memory = math.MaxInt64 // the release is in memory anyway
	if p.Dir != "" {
		p.Options.Wrap = p.wrap // a folder that does not change has no drafts
		p.Options.MaxAge = -1   // a reloaded page must be the new one
		// watch before the first build, because a change may follow at once
		if p.watcher, err = newWatcher(p.Dir, p.Names); err != nil {
			return nil, err
		}
	}
	shown, err := p.build(ctx)
	if err != nil {
		return nil, errors.Join(err, p.watcher.Close())
	}
	if shown == nil {
		shown = library.Blank(p.addPreviewParts(blank, "index.html", ""), p.Options.Library())
	}
	p.server = serve.New(shown, p.Options)
	return p.server, nil
}

// Watch builds again after each change to the folder, until ctx ends.
func (p *Preview) Watch(ctx context.Context) error {
	defer p.pages.close()
	defer p.cache.Close() // its files have no names; the library that is shown does not need them
	return p.watcher.run(ctx, func() {
		shown, err := p.build(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.Options.Log.Error("cannot build the folder; showing the previous state", "error", err)
			p.pages.show(err.Error(), true)
			return
		}
		if shown == nil {
			return
		}
		if err := p.server.Swap(shown); err != nil {
			p.Options.Log.Warn("cannot close the previous release", "error", err)
		}
		p.pages.update(func() { p.pages.built++ })
	})
}

// build builds the folder: a draft if the folder can change, or a whole release in memory if it
// cannot. It returns nil if the records have errors.
func (p *Preview) build(ctx context.Context) (*library.Library, error) {
	started := time.Now()
	opt, err := p.Build()
	if err != nil {
		return nil, err
	}
	if p.Dir != "" {
		return p.buildDraft(ctx, opt, started)
	}
	memory := store.NewMemory()
	outcome, err := compiler.Build(ctx, p.Files, memory, opt)
	if err != nil {
		return nil, err
	}
	p.pages.show(p.Report(outcome, time.Since(started)), outcome.Manifest == nil)
	if outcome.Manifest == nil {
		return nil, memory.Abort()
	}
	r, err := release.Open(ctx, memory.Files())
	if err != nil {
		return nil, err
	}
	return wrapServeError(library.Open(r, started, p.Options.Library(), nil))
}

func wrapServeError(shown *library.Library, err error) (*library.Library, error) {
	if err != nil {
		err = errors.Join(errors.New("cannot serve the new release"), err)
	}
	return shown, err
}

// buildDraft builds a draft, whose pages are rendered on request. The first page is therefore ready
// soon after a file is saved, even if there are many pages.
func (p *Preview) buildDraft(ctx context.Context, opt compiler.Options, started time.Time) (*library.Library, error) {
	outcome, draft, err := compiler.Preview(ctx, p.Files, opt, &p.cache)
	if err != nil {
		return nil, err
	}
	p.pages.show(p.Report(outcome, time.Since(started)), draft == nil)
	if draft == nil {
		return nil, nil
	}
	return wrapServeError(library.OpenDraft(scripted{draft, draft.ReasonExcluded, p}, started, p.Options.Library()))
}
