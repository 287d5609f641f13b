package compiler

import (
	"cmp"
	"fmt"
	"time"

	"stele/internal/author/judging/check"
	"stele/internal/base/parallel/chunked"
	"stele/internal/compile/files"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// changeEvent is the name of the kind that is about the others.
const changeEvent = record.KindChangeEvent

// Options of Build.
type Options struct {
	Date     record.Date      // the release date
	At       time.Time        // the moment at which embargoes are decided; zero for the end of the date
	Previous *release.Release // the release before, or nil
	// whether there may be one although it is nil: what only its events explain is not reported
	PreviousUnknown bool
	// the folder it lies in, if it lies in one: what did not change is taken over from there
	PreviousDir  string
	GaveUp       []string // IDs of releases whose place this one takes, and that are not before it
	AllowRemoved []string // IDs of records that may be gone, or patterns of them, and why: "sig-a: Withdrawn."
	AllowShrink  bool     // whether a kind may lose more than a tenth of its records
	AllowLicense bool     // whether licence and notice may be others than before
	AllowMove    bool     // whether the service may be at another address than before
	Drafts       bool     // whether to show what is held back from a release: for a preview
	Trusted      bool     // whether what is taken over from the folder is not compared with its digests
	NoVariants   bool     // whether to leave out the compressed variants
	NoDeltas     bool     // whether to leave out what changed since the last releases
	ByHash       bool     // whether a folder gets names by digest too
	// what makes further files from the records: pages, descriptions, downloads
	Render []render.Renderer
	Secret []byte // of the publisher: what salts the digests of releases follows from it; nil for none
	Salt   string // of a release that is made again
	// what the manifest says of these, and of the program
	Downloads, Program string
	Workers            int // goroutines that read; 0 for one per core
	Memory             int // bytes for what is kept of each record; beyond them it is put aside. 0 for usualMemory
	Progress           func(step string, done, total int64)
}

func (o *Options) progress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

// usualMemory is enough for what is kept of a quarter of a million records.
const usualMemory = 32 << 20

func (o *Options) memory(w files.Writer) *chunked.Memory {
	return chunked.NewMemory(cmp.Or(o.Memory, usualMemory), w.Scratch)
}

func (o *Options) reading(done, total int64) { o.progress("reading", done, total) }

// files are the options of what is written.
func (o *Options) files() files.Options {
	return files.Options{
		Previous: o.Previous, PreviousDir: o.PreviousDir, Trusted: o.Trusted, NoVariants: o.NoVariants,
		ByHash: o.ByHash, Progress: o.Progress,
	}
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

// Stopped reports whether there is no release, or none that may be used where warnings count.
func (o *Outcome) Stopped(strict bool) bool {
	return o.Manifest == nil || strict && o.Check.Warnings > 0
}

// Shrinkage is a kind that has fewer records than before.
type Shrinkage struct {
	Kind          string
	Before, After int
}

func unreadable(err error) error { return fmt.Errorf("the previous release cannot be read: %w", err) }
