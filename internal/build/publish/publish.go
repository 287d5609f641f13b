// Package publish turns a folder of records into a release.
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
package publish

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"stele/internal/author/check"
	"stele/internal/author/input"
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/record"
	"stele/release"
)

// Options of Build.
type Options struct {
	Date     record.Date      // the release date
	Previous *release.Release // the release before, or nil
	// whether there may be one although it is nil: what only its events explain is not reported
	PreviousUnknown bool
	// the folder it lies in, if it lies in one: what did not change is taken over from there
	PreviousDir  string
	AllowRemoved []string // IDs of records that may be gone, or patterns of them, and why: "sig-a: Withdrawn."
	AllowShrink  bool     // whether a kind may lose more than a tenth of its records
	AllowLicense bool     // whether licence and notice may be others than before
	AllowMove    bool     // whether the service may be at another address than before
	NoVariants   bool     // whether to leave out the compressed variants
	NoDeltas     bool     // whether to leave out what changed since the last releases
	ByHash       bool     // whether a folder gets names by digest too
	// what makes further files from the records: pages, descriptions, downloads
	Render []render.Renderer
	// what the manifest says of these, and of the program
	Downloads, Program string
	Workers            int // goroutines that read; 0 for one per core
	Progress           func(step string, done, total int64)
}

func (o *Options) progress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

func (o *Options) reading(done, total int64) { o.progress("reading", done, total) }

// Writer is where a release is written to. See the package store.
type Writer interface {
	Put(path string, data []byte) error
	Create(path string) (io.WriteCloser, error)
	Open(path string) (io.ReadCloser, error)
	Scratch() (*os.File, error) // a file for what is needed only while building
}

// Linker is a Writer that can take over a file from the previous release without copying it, in
// place of one that is there, if the file has a size and was not written to after a time, as make
// and rsync judge it. It takes files from several goroutines.
type Linker interface {
	Link(path, from string, size int64, until time.Time) bool
}

// Aliaser is a Writer that can give a file a second name, at which it can be read by its digest.
type Aliaser interface {
	Alias(path, of string) error
}

// Outcome is what became of a build.
type Outcome struct {
	Check     *check.Result
	Manifest  *release.Manifest         // nil if the build was stopped
	Changes   map[record.ChangeType]int // new change events
	Shrunk    []Shrinkage               // kinds that lost too much, if that stopped the build
	Unchanged bool                      // whether the release is the previous one, to the byte
	Unknown   int                       // changes that only a release before can explain, with PreviousUnknown
}

// Shrinkage is a kind that has fewer records than before.
type Shrinkage struct {
	Kind          string
	Before, After int
}

// Build reads the records of a folder and writes a release. If anything is wrong with them, the
// outcome has no manifest, and what was written so far is not a release and must be thrown away.
// When ctx is done, Build ends with its cause.
func Build(ctx context.Context, fsys fs.FS, w Writer, opt Options) (*Outcome, error) {
	b := &build{w: w, opt: &opt}
	defer b.close()
	out, err := b.publish(ctx, fsys)
	if err != nil || b.published == nil {
		return out, err
	}
	added := &output{files: b.files, earlier: readEarlierPages(b.files)}
	defer added.close()
	if err := b.published.histories.write(added); err != nil {
		return nil, err
	}
	b.published.manifest.Histories = layout.HistoriesPath
	if err := renderAll(b.published, added, &opt); err != nil {
		return nil, err
	}
	if err := commit(b.published.manifest, b.files); err != nil {
		return nil, err
	}
	out.Manifest, out.Unchanged = b.published.manifest, b.published.unchanged
	return out, nil
}

// Check is a build that ends after the comparison: it finds what would keep a release of the
// records from being made and from following the previous one, and what would change. It makes only
// scratch files.
func Check(ctx context.Context, fsys fs.FS, w Writer, opt Options) (*Outcome, error) {
	opt.NoVariants = true
	b := &build{w: w, opt: &opt, light: opt.Previous == nil && !input.HasFiles(fsys, record.KindNamed(changeEvent))}
	defer b.close()
	return b.compare(ctx, fsys)
}

// build is a release in the making: what the phases so far have made.
type build struct {
	w    Writer
	opt  *Options
	kept *Kept // of the previews before this one; nil for a release
	// whether records are only checked: there is nothing that they have to be compared with
	light bool
	draft *draftWriter // the same as w, of a draft; else nil

	records   *corpus
	changes   *comparison
	files     *files
	published *publication
}

// compare reads the records and compares them with the release before.
func (b *build) compare(ctx context.Context, fsys fs.FS) (*Outcome, error) {
	settings, problems, err := input.ReadSettings(fsys)
	if err != nil {
		return nil, err
	}
	if err := checkPrevious(b.opt, settings.BaseURL); err != nil {
		return nil, err
	}
	before := sync.OnceValues(func() (*previous, error) { return readPrevious(ctx, b.opt) })
	go before()    // while the records are read
	defer before() // after this, whoever opened it may close it

	if b.records, err = readCorpus(ctx, fsys, b, settings, problems); err != nil {
		return nil, err
	}
	was, err := before()
	if err != nil {
		return nil, err
	}
	if b.changes, err = compare(ctx, b.records, was, b.w, b.opt); err != nil {
		return nil, err
	}
	b.files = newFiles(ctx, b, was)
	return &Outcome{
		Check: b.records.checker.Result(), Changes: b.changes.drafts.Counts(), Shrunk: b.changes.shrunk,
		Unknown: b.changes.events.Unknown,
	}, nil
}

// publish goes on with the files of the records, unless something is wrong with them.
func (b *build) publish(ctx context.Context, fsys fs.FS) (*Outcome, error) {
	out, err := b.compare(ctx, fsys)
	if err != nil || out.Check.Errors > 0 || len(out.Shrunk) > 0 {
		return out, err
	}
	b.published, err = publish(b.records, b.changes, b.files, b.opt)
	return out, err
}

// close lets go of everything, the last first.
func (b *build) close() {
	if b.files != nil {
		b.files.close()
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
}
