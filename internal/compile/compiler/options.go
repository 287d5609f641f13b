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

// changeEvent is the name of the kind of change events.
const changeEvent = record.KindChangeEvent

// Options configure Build.
type Options struct {
	Date     record.Date      // the release date
	At       time.Time        // the time against which embargoes are checked; zero for the end of Date
	Previous *release.Release // or nil
	// Whether a previous release may exist although Previous is nil. Findings that only its events
	// could explain are not reported then.
	PreviousUnknown bool
	// The folder of the previous release, or "". Unchanged files are linked from there.
	PreviousDir  string
	GaveUp       []string // IDs of the releases that this one replaces without following them
	AllowRemoved []string // IDs or patterns of records that may be removed, with a reason: "sig-a: Withdrawn."
	AllowShrink  bool     // whether a kind may lose more than a tenth of its records
	AllowLicense bool     // whether licence and notice may change
	AllowMove    bool     // whether base_url may change
	Drafts       bool     // whether to include records that are held back from releases, for a preview
	Trusted      bool     // whether to reuse files without checking their digests
	NoVariants   bool     // whether to write no compressed variants
	NoDeltas     bool     // whether to write no deltas
	ByHash       bool     // whether to make files available by digest
	// Make further files from the records: pages, descriptions, downloads.
	Render []render.Renderer
	Secret []byte // the publisher's secret from which the release's salt is derived; nil for no salt
	Salt   string // the salt of a release that is built again
	// For the manifest.
	Downloads, Program string
	Workers            int // goroutines that read; 0 for one per core
	Memory             int // bytes for the index of records, which is then spilled to disk; 0 for usualMemory
	Progress           func(step string, done, total int64)
}

func (o *Options) reportProgress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

// usualMemory is enough for 250,000 records.
const usualMemory = 32 << 20

func (o *Options) newMemory(w files.Writer) *chunked.Memory {
	return chunked.NewMemory(cmp.Or(o.Memory, usualMemory), w.Scratch)
}

func (o *Options) reportReading(done, total int64) { o.reportProgress("reading", done, total) }

func (o *Options) filesOptions() files.Options {
	return files.Options{
		Previous: o.Previous, PreviousDir: o.PreviousDir, Trusted: o.Trusted, NoVariants: o.NoVariants,
		ByHash: o.ByHash, Progress: o.Progress,
	}
}

// Outcome is the result of a build.
type Outcome struct {
	Check     *check.Result
	Manifest  *release.Manifest         // nil if the build was stopped
	Changes   map[record.ChangeType]int // number of new change events by type
	Shrunk    []Shrinkage               // kinds that lost too many records, if that stopped the build
	Unchanged bool                      // whether the release is identical to the previous one
	Unknown   int                       // changes that only a previous release could explain, with PreviousUnknown
}

// Stopped reports whether the build produced no usable release. If strict is true, warnings count
// as errors.
func (o *Outcome) Stopped(strict bool) bool {
	return o.Manifest == nil || strict && o.Check.Warnings > 0
}

// Shrinkage is a kind that has fewer records than before.
type Shrinkage struct {
	Kind          string
	Before, After int
}

func previousError(err error) error { return fmt.Errorf("cannot read the previous release: %w", err) }
