// Package compiler builds a release from a folder of records.
//
// It reads no clock, environment or network: a release depends only on the records, the settings
// and the Options. The same inputs give the same bytes on any machine with any number of cores.
//
// A build has five phases. Each computes a value from the values of earlier phases, which it does
// not change. The corpus contains the records, read, checked and encoded. The comparison contains
// the changes since the previous release. The publication contains the files of the records and of
// the change events. Rendering adds files made from them, such as pages. The commit compresses the
// files and writes the manifest last.
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

// Build reads the records in fsys and writes a release to w. If the records have errors, the
// outcome has no manifest, and the caller must discard the written files. If ctx is done, Build
// returns the cause of ctx.
func Build(ctx context.Context, fsys fs.FS, w files.Writer, opt Options) (*Outcome, error) {
	b := &build{source: source{FS: fsys, w: w, opt: &opt, memory: opt.newMemory(w)}}
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

// Check runs a build up to the comparison. It finds the changes, and the errors that would prevent
// a release or prevent it from following the previous one. It writes only temporary files.
func Check(ctx context.Context, fsys fs.FS, w files.Writer, opt Options) (*Outcome, error) {
	opt.NoVariants = true
	light := opt.Previous == nil && !input.HasFiles(fsys, record.KindNamed(changeEvent))
	b := &build{source: source{FS: fsys, w: w, opt: &opt, memory: opt.newMemory(w), withoutRelease: light}}
	defer b.close()
	return b.compare(ctx)
}

// build is the state of a build: the results of its phases so far.
type build struct {
	source
	draft *draftWriter // the writer if the release is a draft; otherwise nil

	records   *corpus
	before    *previous
	changes   *comparison
	files     *files.Set
	published *publication
}

// compare reads the records and compares them with the previous release.
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
	defer before() // wait for it, because the caller may close the previous release

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

// publish compares the records with the previous release and, without errors, writes their files.
func (b *build) publish(ctx context.Context) (*Outcome, error) {
	out, err := b.compare(ctx)
	if err != nil || out.Check.Errors > 0 || len(out.Shrunk) > 0 {
		return out, err
	}
	return out, b.write(ctx)
}

func (b *build) write(ctx context.Context) (err error) {
	opt := b.opt.filesOptions()
	opt.Redacted = b.changes.redacted
	if b.files, err = files.New(ctx, b.w, opt); err != nil {
		return err
	}
	b.published, err = publish(b.records, b.changes, b.before, b.files, b.draft, b.opt)
	return errors.Join(err, b.memory.Err())
}

// commit adds the histories and the rendered files, and writes the manifest.
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

// close closes all resources, in reverse order.
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
	b.memory.Close() // this also deletes its file
}
