// Package preview shows a folder of records as the release that it would become: it builds in
// memory, serves, and builds again when a file is saved. Open pages reload by themselves. What is
// wrong with the records is shown in them, and the last good release stays up.
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

// Preview shows a folder.
type Preview struct {
	Files   fs.FS                            // the folder of records
	Dir     string                           // where it lies, to be watched; "" for one that does not change
	Names   func() []string                  // of the files and folders in it that count
	Build   func() (compiler.Options, error) // what the next release is made with
	Listen  []string                         // the addresses that it is asked at
	Options serve.Options
	Forms   Forms // in which the records are written; nil for none
	// tells the publisher what became of a build, and answers with the findings for the pages
	Report func(*compiler.Outcome, time.Duration) string

	server  *serve.Server
	pages   *pages
	watcher *watcher
	kept    compiler.PreviewCache // of the records, from one save to the next
}

// Start builds and serves for the first time. With faulty records it serves a page that says so.
func (p *Preview) Start(ctx context.Context) (s *serve.Server, err error) {
	p.pages = newPages()
	p.Options.Memory = math.MaxInt64 // it is in memory already
	if p.Dir != "" {
		p.Options.Wrap = p.wrap // what does not change holds no drafts
		p.Options.MaxAge = -1   // a page that is reloaded must be the new one
		// before the first build, which a change may follow at once
		if p.watcher, err = newWatcher(p.Dir, p.Names); err != nil {
			return nil, err
		}
	}
	shown, err := p.build(ctx)
	if err != nil {
		return nil, errors.Join(err, p.watcher.Close())
	}
	if shown == nil {
		shown = library.Blank(p.added(blank, "index.html", ""), p.Options.Library())
	}
	p.server = serve.New(shown, p.Options)
	return p.server, nil
}

// Watch builds again whenever something in the folder changes, until the context ends.
func (p *Preview) Watch(ctx context.Context) error {
	defer p.pages.close()
	defer p.kept.Close() // of files without names, which what is shown has no need of
	return p.watcher.run(ctx, func() {
		shown, err := p.build(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.Options.Log.Error("the folder cannot be built; what was shown before stays", "error", err)
			p.pages.show(err.Error(), true)
			return
		}
		if shown == nil {
			return
		}
		if err := p.server.Swap(shown); err != nil {
			p.Options.Log.Warn("the release before was not closed cleanly", "error", err)
		}
		p.pages.tell(func() { p.pages.built++ })
	})
}

// build makes a release of what does not change, in memory; and a draft of what does. It is nil if
// the records are faulty.
func (p *Preview) build(ctx context.Context) (*library.Library, error) {
	started := time.Now()
	opt, err := p.Build()
	if err != nil {
		return nil, err
	}
	if p.Dir != "" {
		return p.draft(ctx, opt, started)
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
	return served(library.Open(r, started, p.Options.Library(), nil))
}

func served(shown *library.Library, err error) (*library.Library, error) {
	if err != nil {
		err = errors.Join(errors.New("the release that was just built cannot be served"), err)
	}
	return shown, err
}

// draft makes a release whose pages are made when somebody looks at them, so that the first is
// there soon after a file was saved, however many there are.
func (p *Preview) draft(ctx context.Context, opt compiler.Options, started time.Time) (*library.Library, error) {
	outcome, draft, err := compiler.Preview(ctx, p.Files, opt, &p.kept)
	if err != nil {
		return nil, err
	}
	p.pages.show(p.Report(outcome, time.Since(started)), draft == nil)
	if draft == nil {
		return nil, nil
	}
	return served(library.OpenDraft(scripted{draft, draft.HeldBack, p}, started, p.Options.Library()))
}
