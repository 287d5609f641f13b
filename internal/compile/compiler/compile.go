// Package compiler turns a folder of records into a release.
//
// It reads no clock, no environment and no network by itself: what a release depends on is in the
// records, the settings and the Options. The same of these give the same bytes, on any machine and
// any number of cores.
//
// A build has five phases, each of which makes a value from those before it and leaves them as they
// are: the corpus is the records, read, checked and encoded; the comparison is what changed since
// the release before; the publication is the files of the records and of the change events; the
// rendering adds what is made from them, such as pages; and the commit compresses all that and ends
// with the manifest.
package compiler

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"stele/internal/author/reading/input"
	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/record"
	"stele/release"
)

// Build reads the records of a folder and writes a release. If anything is wrong with them, the
// outcome has no manifest, and what was written so far is not a release and must be thrown away.
// When ctx is done, Build ends with its cause.
func Build(ctx context.Context, fsys fs.FS, w files.Writer, opt Options) (*Outcome, error) {
	b := &build{source: source{FS: fsys, w: w, opt: &opt, memory: opt.memory(w)}}
	defer b.close()
	out, err := b.publish(ctx)
	if err != nil || b.published == nil {
		return out, err
	}
	if out.Manifest, err = b.commit(); err != nil {
		return nil, err
	}
	out.Unchanged = b.published.unchanged
	return out, nil
}

// Check is a build that ends after the comparison: it finds what would keep a release of the
// records from being made and from following the previous one, and what would change. It makes only
// scratch files.
func Check(ctx context.Context, fsys fs.FS, w files.Writer, opt Options) (*Outcome, error) {
	opt.NoVariants = true
	light := opt.Previous == nil && !input.HasFiles(fsys, record.KindNamed(changeEvent))
	b := &build{source: source{FS: fsys, w: w, opt: &opt, memory: opt.memory(w), light: light}}
	defer b.close()
	return b.compare(ctx)
}

// build is a release in the making: what the phases so far have made.
type build struct {
	source
	draft *draftWriter // the same as the writer, of a draft; else nil

	records   *corpus
	before    *previous
	changes   *comparison
	files     *files.Set
	published *publication
}

// compare reads the records and compares them with the release before.
func (b *build) compare(ctx context.Context) (*Outcome, error) {
	settings, problems, err := input.ReadSettings(b.FS)
	if err != nil {
		return nil, err
	}
	if err := checkPrevious(b.opt, settings.BaseURL); err != nil {
		return nil, err
	}
	before := sync.OnceValues(func() (*previous, error) { return readPrevious(ctx, b.opt, b.memory) })
	go before()    // while the records are read
	defer before() // after this, whoever opened it may close it

	if b.records, err = readCorpus(ctx, b.source, settings, problems, before); err != nil {
		return nil, err
	}
	if b.before, err = before(); err != nil {
		return nil, err
	}
	if b.changes, err = compare(ctx, b.records, b.before, b.w, b.opt); err != nil {
		return nil, err
	}
	if err := b.memory.Err(); err != nil {
		return nil, err
	}
	return &Outcome{
		Check: b.changes.found.Result(), Changes: b.changes.drafts.Counts(), Shrunk: b.changes.shrunk,
		Unknown: b.changes.events.Unknown,
	}, nil
}

// publish goes on with the files of the records, unless something is wrong with them.
func (b *build) publish(ctx context.Context) (*Outcome, error) {
	out, err := b.compare(ctx)
	if err != nil || out.Check.Errors > 0 || len(out.Shrunk) > 0 {
		return out, err
	}
	return out, b.write(ctx)
}

func (b *build) write(ctx context.Context) (err error) {
	opt := b.opt.files()
	opt.Redacted = b.changes.redacted
	if b.files, err = files.New(ctx, b.w, opt); err != nil {
		return err
	}
	b.published, err = publish(b.records, b.changes, b.before, b.files, b.draft, b.opt)
	return errors.Join(err, b.memory.Err())
}

// commit adds the histories and what renderers make, and ends with the manifest.
func (b *build) commit() (*release.Manifest, error) {
	added := files.NewOutput(b.files)
	defer added.Close()
	if err := b.published.histories.write(added); err != nil {
		return nil, err
	}
	m := *b.published.manifest
	m.Histories = layout.HistoriesPath
	if err := renderAll(b.published, m, b.files, added, b.opt); err != nil {
		return nil, err
	}
	if added.Count() > 0 {
		m.Pages = layout.PagesPath
		if err := added.List(layout.PagesPath, "page"); err != nil {
			return nil, err
		}
	}
	var err error
	if m.Files, err = b.files.Finish(); err == nil {
		err = b.memory.Err()
	}
	if err != nil {
		return nil, err
	}
	return &m, b.files.Commit(&m)
}

// close lets go of everything, the last first.
func (b *build) close() {
	if b.files != nil {
		b.files.Close()
	}
	if b.published != nil {
		b.published.close()
	}
	if b.changes != nil {
		b.changes.close()
	}
	if b.records != nil {
		b.records.close()
	}
	b.memory.Close() // what it held is gone with it
}
