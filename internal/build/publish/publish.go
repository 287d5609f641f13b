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
	"stele/internal/build/render"
	"stele/record"
	"stele/release"
)

// Options of Build.
type Options struct {
	Date     record.Date      // the release date
	Previous *release.Release // the release before, or nil
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
	Render   []render.Renderer
	Workers  int // goroutines that read; 0 for one per core
	Progress func(step string, done, total int64)
}

func (o *Options) progress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

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
	return build(ctx, fsys, w, opt, false)
}

// Check finds what would keep a release of the records from following the previous one, and what
// would change. It makes only scratch files.
func Check(ctx context.Context, fsys fs.FS, w Writer, opt Options) (*Outcome, error) {
	return build(ctx, fsys, w, opt, true)
}

// build makes a release, or goes only as far as finding out whether one can be made.
func build(ctx context.Context, fsys fs.FS, w Writer, opt Options, checkOnly bool) (*Outcome, error) {
	settings, problems, err := input.ReadSettings(fsys)
	if err != nil {
		return nil, err
	}
	if err := checkPrevious(&opt, settings.BaseURL); err != nil {
		return nil, err
	}
	readPrevious := sync.OnceValues(func() (*previous, error) { return readPrevious(ctx, &opt) })
	go readPrevious()    // while the records are read
	defer readPrevious() // after this, whoever opened it may close it

	records, err := readCorpus(ctx, fsys, w, &opt, settings, problems, nil)
	if err != nil {
		return nil, err
	}
	defer records.close()
	before, err := readPrevious()
	if err != nil {
		return nil, err
	}
	changes, err := compare(ctx, records, before, w, &opt)
	if err != nil {
		return nil, err
	}
	defer changes.close()
	out := &Outcome{Check: records.checker.Result(), Changes: changes.drafts.Counts(), Shrunk: changes.shrunk}
	if checkOnly || out.Check.Errors > 0 || len(out.Shrunk) > 0 {
		return out, nil
	}
	files := newFiles(ctx, w, &opt, before)
	defer files.close()
	published, err := publish(records, changes, files, &opt)
	if err != nil {
		return nil, err
	}
	defer published.close()
	added := &output{files: files, earlier: readEarlierPages(files)}
	defer added.close()
	if err := published.histories.write(added, published.manifest); err != nil {
		return nil, err
	}
	if err := renderAll(published, added, &opt); err != nil {
		return nil, err
	}
	if err := commit(published.manifest, files); err != nil {
		return nil, err
	}
	out.Manifest, out.Unchanged = published.manifest, published.unchanged
	return out, nil
}
