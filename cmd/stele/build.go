package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/base/clock"
	"stele/internal/base/layout"
	"stele/internal/base/version"
	"stele/internal/build/publish"
	"stele/internal/build/render"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/show/site"
	"stele/record"
	"stele/release"
)

type buildFlags struct {
	output, previous, date string
	strict, quiet          bool
	first, fork            bool
	allowFuture            bool
	recordsOnly, noByHash  bool
	downloads              bulk.Choice
	sign                   signFlags
	notes                  []string // on what is not as always
	wasSigned              bool     // whether the release before was
	words                  strings.Builder
	publish.Options
}

func buildCommand() *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "build [folder]",
		Short: "Make a release from the records",
		Long: `Build checks the records of a folder and writes a release: JSON, pages, descriptions, feeds and
downloads, as static files for any web server, bucket or pages host. If anything is wrong, the
release that was there stays.

It compares with the release before, the one at the target or that of --previous, writes what changed
as change events, and makes sure that versions, dates and corrections account for every change.

docs/releases.md has what a release holds, docs/signing.md what signing needs.`,
		Example: `  stele build -o public
  stele build -o release.zip --previous https://data.example.org`,
		Args: arguments(0, 1),
		RunE: interruptible(f.run),
	}
	c.Flags().StringVarP(&f.output, "output", "o", "", "where the release goes: a folder, or a name that ends in .zip")
	c.Flags().StringVar(&f.previous, "previous", "", "the release before, where it is not at the target")
	c.Flags().BoolVar(&f.first, "first", false, "begin a history: build on no release")
	c.Flags().BoolVar(&f.fork, "fork", false, "build on --previous, and give up another release at the target")
	f.addOptions(c)
	f.sign.add(c.Flags())
	return c
}

// addOptions are for what a release has, and what it may do.
func (f *buildFlags) addOptions(c *cobra.Command) {
	c.Flags().StringVar(&f.date, "date", "", "the release date (default today)")
	allowRemovedFlag(c, &f.AllowRemoved)
	allowFlag(c, append(allowed(&f.Options), choice{"future", &f.allowFuture, "a date after today"})...)
	c.Flags().Var(&f.downloads, "downloads", "with commas: ndjson, csv, parquet, sqlite, indicators, areas; or none, or default")
	choicesFlag(c, "without", "leave out", choice{"variants", &f.NoVariants, "compressed files"},
		choice{"deltas", &f.NoDeltas, "what changed, for copies"},
		choice{"by-hash", &f.noByHash, "files by SHA-256"},
		choice{"derived", &f.recordsOnly, "pages, descriptions, feeds, downloads"})
	c.Flags().BoolVar(&f.strict, "strict", false, "let warnings stop the build")
	quietFlag(c, &f.quiet)
}

func (f *buildFlags) run(c *cobra.Command, args []string) (err error) {
	switch {
	case f.first && f.previous != "":
		return errors.New("--first begins a history and --previous goes on with one: leave one of them out")
	case f.fork && f.previous == "":
		return errors.New("--fork needs the release to build on: add --previous")
	case f.output == "":
		return errors.New("say where the release goes: -o public for a folder, -o release.zip for a zip")
	}
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if err := f.settle(files, prefix); err != nil {
		return err
	}
	collectOften()
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	f.Progress = progress
	start := time.Now()
	ctx := c.Context()
	outcome, err := writeRelease(f.output, func(w store.Writer) (*publish.Outcome, error) {
		defer finish()
		outcome, err := f.build(ctx, files, w)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("interrupted: %s is as it was", f.output)
		}
		return outcome, err
	}, f.strict)
	if err = errors.Join(err, f.sign.end(err == nil)); err != nil {
		return err
	}
	opt := report.Options{Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout()), Took: time.Since(start)}
	err = f.report(c, outcome, opt)
	if err == nil && !f.quiet && !outcome.Unchanged { // an unchanged one keeps its signature
		f.note(c.OutOrStdout(), outcome.Manifest)
		f.sign.remind(c, files, f.output, f.wasSigned)
	}
	return err
}

func (f *buildFlags) settle(files fs.FS, prefix string) (err error) {
	if f.Date, err = releaseDate(f.date); err != nil {
		return err
	}
	if err := notAfter(f.Date, clock.Now()); err != nil && !f.allowFuture {
		return err
	}
	if f.AllowRemoved, err = expandLists(f.AllowRemoved); err != nil {
		return err
	}
	if liesBelow(f.output, filepath.Join(prefix, "records")) {
		return fmt.Errorf("%s lies in the folder of the records, where the release would be read as records: write it elsewhere, such as -o public", f.output)
	}
	if err := f.sign.named(files); err != nil {
		return err
	}
	f.ByHash = !f.noByHash
	f.Program = version.Name()
	if !f.recordsOnly {
		f.Render, f.Downloads = renderers(f.downloads), f.downloads.String()
	}
	return nil
}

// build opens the release before and makes the new one. No other build writes to the target
// meanwhile.
func (f *buildFlags) build(ctx context.Context, files fs.FS, w store.Writer) (*publish.Outcome, error) {
	closePrevious, err := f.openPrevious(ctx)
	if err != nil {
		return nil, err
	}
	defer closePrevious()
	f.wasSigned = f.Previous != nil && isSigned(f.Previous)
	outcome, err := publish.Build(ctx, files, w, f.Options)
	if err == nil && !stopped(outcome, f.strict) {
		err = f.await(outcome)
	}
	if err == nil && !stopped(outcome, f.strict) {
		err = errors.Join(f.describe(ctx, outcome, w), f.sign.carry(ctx, f.Previous, outcome.Manifest, w.Put))
	}
	return outcome, err
}

// await refuses a release that has records whose hour has not come.
func (f *buildFlags) await(o *publish.Outcome) error {
	hour := o.Check.Held.Hour
	if f.allowFuture || !hour.Time().After(clock.Now()) {
		return nil
	}
	return fmt.Errorf("a record is not to be published before %s, and it is %s: run this again then, or write draft: true into the record", hour, minute())
}

// minute is the time of day, as records write it.
func minute() string { return clock.Now().UTC().Format("2006-01-02T15:04Z") }

// describe puts into words what changed since a release on this machine.
func (f *buildFlags) describe(ctx context.Context, o *publish.Outcome, w store.Writer) error {
	const lines = 12
	written, ok := w.(store.Shower)
	if !ok || f.quiet || o.Unchanged || f.Previous == nil || !f.Previous.Local() {
		return nil
	}
	now := &release.Release{Manifest: o.Manifest, Files: written.Files()}
	return report.Words(ctx, &f.words, f.Previous, now, lines, false)
}

// openPrevious opens the release that the new one comes after: the one at the target, unless the
// user said otherwise.
func (f *buildFlags) openPrevious(ctx context.Context) (closeRelease func() error, err error) {
	f.Previous, f.PreviousDir, f.GaveUp = nil, "", nil
	replaced, closeReplaced, err := store.OpenTarget(f.output)
	if err != nil {
		return nil, err
	}
	if f.previous == "" && !f.first {
		if f.Previous = replaced; replaced != nil && !store.IsZip(f.output) {
			f.PreviousDir = f.output
		}
		return closeReplaced, nil
	}
	defer closeReplaced() // it was only read
	closeRelease = func() error { return nil }
	if f.previous != "" {
		if f.Previous, closeRelease, err = openRelease(ctx, f.previous); err != nil {
			return nil, err
		}
		if info, err := os.Stat(f.previous); err == nil && info.IsDir() {
			f.PreviousDir = f.previous
		}
	}
	if replaced != nil {
		if err := f.replace(replaced); err != nil {
			return nil, errors.Join(err, closeRelease())
		}
	}
	return closeRelease, nil
}

// replace makes sure that the release at the target comes before the one to build on, or is given
// up on purpose.
func (f *buildFlags) replace(there *release.Release) (err error) {
	m := there.Manifest
	if f.Previous != nil {
		follows, _, err := f.Previous.Follows(m.Release)
		if err != nil || follows {
			return err
		}
	}
	if !f.fork && !f.first {
		return fmt.Errorf(`%s holds release %s of %s, and --previous names release %s of %s. A release built on that one would leave out what the other brought.
  To go on with what is at %[1]s, leave --previous out.
  To go on with what --previous names and keep both, write to another place with -o.
  To give up release %[2]s, add --fork`,
			f.output, m.Release, m.Date, f.Previous.Manifest.Release, f.Previous.Manifest.Date)
	}
	lost, err := publish.GiveUp(there, f.Previous)
	if err != nil {
		return err
	}
	if f.fork { // what begins a history does not depend on what was there
		f.GaveUp = lost.Releases
		if f.sign.rollback == "" && isSigned(there) {
			f.sign.rollback = m.Release
		}
	}
	f.notes = append(f.notes, fmt.Sprintf("It gives up release %s of %s: %s, %s and %s are not before it.", m.Release, m.Date,
		report.Count(len(lost.Releases), "release"), report.Count(lost.Events, "change event"), report.Count(lost.Versions, "superseded version")))
	return nil
}

// isSigned reports whether a release has the proof of its signature.
func isSigned(r *release.Release) bool {
	_, err := fs.Stat(r.Files, layout.ProofPath)
	return err == nil
}

// note says what is not as always.
func (f *buildFlags) note(w io.Writer, m *release.Manifest) {
	if m.Publisher == "Example Publisher" || strings.HasPrefix(m.BaseURL, "https://data.example.org") {
		fmt.Fprintf(w, "stele.yaml has words of the starter still: publisher %s, base_url %s. Write your own before readers see them.\n", m.Publisher, m.BaseURL)
	}
	for _, note := range f.notes {
		fmt.Fprintln(w, note)
	}
	if m.Previous == nil && !f.first {
		fmt.Fprintf(w, "It begins a history. If a release is published already, build on that: --previous %s\n", m.BaseURL)
	}
}

// liesBelow reports whether a path is a folder, or lies in it, also through links.
func liesBelow(name, folder string) bool {
	inside, err1 := filepath.EvalSymlinks(folder)
	inside, err2 := filepath.Abs(inside)
	name, err3 := filepath.Abs(name)
	if errors.Join(err1, err2, err3) != nil {
		return false
	}
	for ; ; name = filepath.Dir(name) { // what is to be written may not be there yet
		if path, err := filepath.EvalSymlinks(name); err == nil {
			below, err := filepath.Rel(inside, path)
			return err == nil && filepath.IsLocal(below)
		}
		if filepath.Dir(name) == name {
			return false
		}
	}
}

func (f *buildFlags) report(c *cobra.Command, o *publish.Outcome, opt report.Options) error {
	if len(o.Check.Problems) > 0 && !(f.quiet && !stopped(o, f.strict)) {
		if err := report.Write(c.OutOrStdout(), "text", o.Check, opt); err != nil {
			return err
		}
	}
	if stopped(o, f.strict) {
		explainStop(c.ErrOrStderr(), o, f.output)
		return errFound
	}
	if !f.quiet {
		fmt.Fprint(c.OutOrStdout(), f.words.String())
		report.Release(c.OutOrStdout(), report.Build{
			Manifest: o.Manifest, Target: f.output, Changes: o.Changes, Unchanged: o.Unchanged, Held: o.Check.Held,
			Took: opt.Took, Color: opt.Color,
		})
	}
	return nil
}

func stopped(o *publish.Outcome, strict bool) bool {
	return o.Manifest == nil || strict && o.Check.Warnings > 0
}

// writeRelease makes a release and puts it in its place, or leaves everything as it was.
func writeRelease(
	target string, build func(store.Writer) (*publish.Outcome, error), strict bool,
) (*publish.Outcome, error) {
	w, err := store.NewWriter(target)
	if err != nil {
		return nil, err
	}
	outcome, err := build(w)
	if err != nil || stopped(outcome, strict) {
		return outcome, errors.Join(err, w.Abort())
	}
	if err := w.Commit(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return outcome, nil
}

// buildAside makes a release in a zip, in a new folder beside something or, for "", in that of
// temporary files. remove removes it, also where there is an error.
func buildAside(ctx context.Context, beside string, files fs.FS, opt publish.Options) (
	path string, outcome *publish.Outcome, remove func() error, err error,
) {
	dir, err := os.MkdirTemp(beside, ".stele-aside-")
	if err != nil {
		return "", nil, func() error { return nil }, err
	}
	path = filepath.Join(dir, "release.zip")
	outcome, err = writeRelease(path, func(w store.Writer) (*publish.Outcome, error) {
		return publish.Build(ctx, files, w, opt)
	}, false)
	return path, outcome, func() error { return os.RemoveAll(dir) }, err
}

// explainStop says why nothing was written, so that a person can decide.
func explainStop(w io.Writer, o *publish.Outcome, target string) {
	if len(o.Shrunk) > 0 && o.Check.Errors == 0 {
		fmt.Fprintf(w, "Since the release before: %s.\n", report.Changes(o.Changes))
	}
	explainShrinkage(w, o.Shrunk)
	fmt.Fprintf(w, "Nothing was written: %s is as it was.\n", target)
}

func explainShrinkage(w io.Writer, shrunk []publish.Shrinkage) {
	for _, s := range shrunk {
		fmt.Fprintf(w, "%s: %d before, %d now. That is more than a tenth fewer; --allow shrink allows it.\n", s.Kind, s.Before, s.After)
	}
}

// notAfter makes sure that a release date has come, somewhere on Earth. A release of the year 2062
// would stop all releases before that.
func notAfter(date record.Date, now time.Time) error {
	const ahead = 14 * time.Hour // the first time zone to see a day
	if today := now.UTC().Add(ahead).Format(time.DateOnly); string(date) > today {
		return fmt.Errorf("the release date %s is after today, %s: no release before that day could follow this one. Correct --date or SOURCE_DATE_EPOCH; if the day is meant, add --allow future", date, now.UTC().Format(time.DateOnly))
	}
	return nil
}

// collectOften keeps memory from growing to twice what is in use where that is much, unless the
// user says how often.
var collectOften = sync.OnceFunc(func() {
	if os.Getenv("GOGC") != "" {
		return
	}
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for was := 100; ; time.Sleep(100 * time.Millisecond) {
			metrics.Read(live)
			percent := 100
			switch used := live[0].Value.Uint64(); {
			case used > 72<<20:
				percent = 25
			case used > 36<<20:
				percent = 50
			}
			if percent != was {
				debug.SetGCPercent(percent)
				was = percent
			}
		}
	}()
})

// renderers make what a release has beside its records: pages, downloads, and descriptions of both.
func renderers(downloads bulk.Choice) []render.Renderer {
	files := &series.Series{Choice: downloads}
	return []render.Renderer{
		site.Options{Downloads: downloads.Downloads, Series: files}.Write,
		downloads.Write,
		files.Write,
		describe.Options{Downloads: downloads.Downloads, Series: files}.Write,
	}
}
