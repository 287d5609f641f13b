// Package publish turns a folder of records into a release.
//
// It reads no clock, no environment and no network by itself: what a release depends on is in the
// records, the settings and the Options. The same of these give the same bytes, on any machine and
// any number of cores.
//
// Records stream. Each is checked and encoded where it is read, goes to a spool on disk, and leaves
// an index entry. When all are there and nothing is wrong, the files of the release are written
// from the spool, in the order of IDs.
package publish

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"stele/internal/check"
	"stele/internal/input"
	"stele/internal/render"
	"stele/record"
	"stele/release"
)

// Options of Build.
type Options struct {
	Date     record.Date      // the release date
	Previous *release.Release // the release before, or nil
	// the folder it lies in, if it lies in one: what did not change is taken over from there
	PreviousDir  string
	AllowRemoved []string // IDs of records that may be gone, or patterns of them
	AllowShrink  bool     // whether a kind may lose more than a tenth of its records
	NoVariants   bool     // whether to leave out the compressed variants
	// what makes further files from the records: pages, descriptions, downloads
	Render   []render.Renderer
	Workers  int // goroutines that read; 0 for one per core
	Progress func(step string, done, total int64)
}

// Writer is where a release is written to. See the package store.
type Writer interface {
	Put(path string, data []byte) error
	Create(path string) (io.WriteCloser, error)
	Open(path string) (io.ReadCloser, error)
	Scratch() (*os.File, error) // a file for what is needed only while building
}

// Outcome is what became of a build.
type Outcome struct {
	Check    *check.Result
	Manifest *release.Manifest         // nil if the build was stopped
	Changes  map[record.ChangeType]int // new change events
	Shrunk   []Shrinkage               // kinds that lost too much, if that stopped the build
	Same     bool                      // whether the release is the previous one, to the byte
}

// Shrinkage is a kind that has fewer records than before.
type Shrinkage struct {
	Kind          string
	Before, After int
}

// Build reads the records of a folder and writes a release. If anything is wrong with them, the
// outcome has no manifest, and what was written so far is not a release and must be thrown away.
func Build(fsys fs.FS, w Writer, opt Options) (*Outcome, error) { return build(fsys, w, opt, false) }

// Check finds what would keep a release of the records from following the previous one, and what
// would change. It makes only scratch files.
func Check(fsys fs.FS, w Writer, opt Options) (*Outcome, error) { return build(fsys, w, opt, true) }

// build makes a release, or goes only as far as finding out whether one can be made.
func build(fsys fs.FS, w Writer, opt Options, checkOnly bool) (*Outcome, error) {
	settings, problems, err := input.ReadSettings(fsys)
	if err != nil {
		return nil, err
	}
	b := &builder{
		opt:      opt,
		w:        w,
		settings: settings,
		checker:  check.New(),
		order:    make([][]int32, len(record.Kinds)),
		asOf:     make([]record.Date, len(record.Kinds)),
	}
	b.checker.Accept(settings.Accept)
	b.checker.Report(problems...)
	b.awaitPrevious = sync.OnceValues(func() (*previous, error) { return readPrevious(opt, string(settings.BaseURL)) })
	go b.awaitPrevious()    // while the first records are read
	defer b.awaitPrevious() // after this, whoever opened it may close it
	if b.spool, err = newSpool(w); err != nil {
		return nil, err
	}
	defer b.spool.close()
	defer b.closeEvents()
	defer debug.SetGCPercent(debug.SetGCPercent(garbageOfFew))
	b.singles = b.newSingles()
	defer b.singles.stop()
	if err := b.read(fsys); err != nil {
		return nil, err
	}
	b.checker.Across()
	if err := b.compare(); err != nil {
		return nil, err
	}
	out := &Outcome{Check: b.checker.Result(), Changes: b.changes, Shrunk: b.shrunk()}
	if checkOnly || out.Check.Errors > 0 || len(out.Shrunk) > 0 {
		return out, nil
	}
	if out.Manifest, err = b.write(); err != nil {
		return nil, err
	}
	out.Same = b.unchanged
	return out, nil
}

// builder is a build in the making.
type builder struct {
	opt       Options
	w         Writer
	settings  input.Settings
	checker   *check.Checker
	spool     *spool
	singles   *singles
	previous  *previous      // set when the first record has come
	order     [][]int32      // by kind: the numbers of its records
	asOf      []record.Date  // by kind: the newest date in it
	rules     *check.History // set with the previous release
	history   history
	drafts    []draft                   // the new events
	drafted   *lineFile                 // where they wait; nil if there is no release to compare with
	changes   map[record.ChangeType]int // how many of them there are
	chronicle *chronicle                // all events, when they are written
	files     []release.File
	jobs      []variantJob
	unchanged bool
	buf       []byte // for a line at a time

	awaitPrevious func() (*previous, error)
}

// manyRecords are so many that their index counts.
const manyRecords = 250_000

// read streams the records through the workers into the spool.
func (b *builder) read(fsys fs.FS) error {
	previousRead := sync.OnceValue(func() (err error) {
		b.previous, err = b.awaitPrevious()
		return err
	})
	progress := func(done, total int64) { b.progress("reading", done, total) }
	var makers []*maker
	var mu sync.Mutex
	for p := range input.Read(fsys, input.Options{Workers: b.opt.Workers, Progress: progress},
		func() func(input.Item) piece {
			m := newMaker(b.opt, b.spool, b.singles.early)
			mu.Lock()
			defer mu.Unlock()
			makers = append(makers, m)
			return m.make
		}) {
		if err := previousRead(); err != nil {
			return err
		}
		if err := b.take(&p); err != nil {
			return err
		}
	}
	b.singles.allAdded()
	if err := previousRead(); err != nil { // there may be no records at all
		return err
	}
	mu.Lock() // a goroutine for which nothing was left to do may begin only now
	defer mu.Unlock()
	for _, m := range makers {
		if err := m.flush(); err != nil {
			return fmt.Errorf("write the spool: %w", err)
		}
	}
	return nil
}

// take notes a record that was read.
func (b *builder) take(p *piece) error {
	n := b.checker.Add(&p.facts)
	if n < 0 {
		return nil
	}
	if n == manyRecords {
		debug.SetGCPercent(garbageOfMany)
	}
	kind := b.checker.Kind(n)
	b.order[kind] = append(b.order[kind], n)
	if p.updated > b.asOf[kind] {
		b.asOf[kind] = record.Date(strings.Clone(string(p.updated))) // the file's text must not be kept
	}
	if p.err != nil {
		return fmt.Errorf("write the spool: %w", p.err)
	}
	b.spool.stored.Add(p.stored)
	if b.previous != nil {
		b.spool.digests.Add(p.digest)
	}
	if p.stored.record == 0 { // its ID is none, and must not become a path
		return nil
	}
	id := b.checker.ID(n)
	same := b.previous.meet(kind, id, p.digest.sum, n)
	if b.checker.Number(id) == n { // the first of this ID; that there are more is a problem already
		b.singles.add(kind, id, p, same)
	}
	return nil
}

// How much garbage there may be before it is collected, in percent of the memory in use. With few
// records that is little, and the time counts for more.
const (
	garbageOfFew  = 150
	garbageOfMany = 60
	garbageBeside = 40 // compressors, which take tens of megabytes and leave little
)

// saveMemory lets the garbage collector run more often.
func (b *builder) saveMemory() { debug.SetGCPercent(garbageBeside) }

func (b *builder) progress(step string, done, total int64) {
	if b.opt.Progress != nil {
		b.opt.Progress(step, done, total)
	}
}

// shrunk lists the kinds that lost more than a tenth of their records, unless that is allowed.
func (b *builder) shrunk() []Shrinkage {
	var list []Shrinkage
	for i, k := range record.Kinds {
		before, after := b.previous.count(i), len(b.order[i])
		if !b.opt.AllowShrink && k.Name != changeEvent && after*10 < before*9 {
			list = append(list, Shrinkage{k.Many, before, after})
		}
	}
	return list
}
