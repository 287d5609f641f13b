package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/report"
	"stele/internal/base/parallel"
	"stele/internal/base/version"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/compile/target"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/show/site"
	"stele/internal/trust/signing"
	"stele/record"
	"stele/release"
)

type buildFlags struct {
	at                    target.Target
	date                  string
	strict, quiet         bool
	allowFuture           bool
	recordsOnly, noByHash bool
	downloads             bulk.Choice
	sign                  signFlags
	secret                string // file of the secret that salts digests
	gaveUp                *target.Replaced
	wasSigned             bool // whether the previous release was signed
	words                 strings.Builder
	compiler.Options
}

func buildCommand() *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "build [folder]",
		Short: "Build a release from the records",
		Long: `Build checks the records of a folder and writes a release: JSON, pages, descriptions, feeds and
downloads, as static files for any web server, bucket or pages host. If there is an error, the
existing release stays unchanged.

It compares the records with the previous release (the one at the target, or --previous), writes
change events, and checks that versions, dates and corrections account for every change. See
docs/releases.md.`,
		Example: `  stele build -o public
  stele build -o release.zip --previous https://data.example.org`,
		Args: countArguments(0, 1),
		RunE: withInterrupt(f.run),
	}
	c.Flags().StringVarP(&f.at.Path, "output", "o", "", "target: a folder, or a name that ends in .zip")
	c.Flags().StringVar(&f.at.Previous, "previous", "", "the previous release, if it is not at the target")
	c.Flags().BoolVar(&f.at.First, "first", false, "start a history without a previous release")
	c.Flags().BoolVar(&f.at.Fork, "fork", false, "build on --previous and discard a different release at the target")
	f.addOptions(c)
	f.sign.addFlags(c.Flags())
	return c
}

// addOptions adds the flags about the contents of a release and about exceptions.
func (f *buildFlags) addOptions(c *cobra.Command, allow ...choice) {
	c.Flags().StringVar(&f.date, "date", "", "the release date, or a time with its zone, which decides which embargoes have ended (default now)")
	addAllowFlags(c, &f.Options, append(allow, choice{"future", &f.allowFuture, "a date after today"})...)
	c.Flags().Var(&f.downloads, "downloads", "comma-separated: ndjson, csv, parquet, sqlite, indicators, areas; or none, or default")
	addChoicesFlag(c, "without", "leave out", choice{"variants", &f.NoVariants, "compressed files"},
		choice{"deltas", &f.NoDeltas, "differences for copies"},
		choice{"by-hash", &f.noByHash, "files named by SHA-256"},
		choice{"comparing", &f.Trusted, "comparing unchanged files"},
		choice{"derived", &f.recordsOnly, "pages, descriptions, feeds, downloads"})
	c.Flags().StringVar(&f.secret, "secret", "", "file of the secret that salts digests, so that they cannot confirm guesses")
	c.Flags().BoolVar(&f.strict, "strict", false, "count warnings as errors")
	addQuietFlag(c, &f.quiet)
}

func (f *buildFlags) run(c *cobra.Command, args []string) (err error) {
	switch {
	case f.at.First && f.at.Previous != "":
		return errors.New("--first starts a history and --previous continues one: remove one of them")
	case f.at.Fork && f.at.Previous == "":
		return errors.New("--fork requires --previous with the release to build on")
	case f.at.Path == "":
		return errors.New("--output is required: -o public for a folder, -o release.zip for a zip")
	}
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if err := f.checkAndComplete(files, prefix); err != nil {
		return err
	}
	setFrequentGC()
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	f.Progress = progress
	start := time.Now()
	ctx := c.Context()
	outcome, err := target.Write(f.at.Path, f.strict, func(w store.Writer) (*compiler.Outcome, error) {
		defer finish()
		outcome, err := f.build(ctx, files, w)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("interrupted: %s is unchanged", f.at.Path)
		}
		return outcome, err
	})
	if err = errors.Join(err, f.sign.finishSignature(err == nil)); err != nil {
		return err
	}
	opt := report.Options{Files: files, Prefix: prefix, Color: useColor(c.OutOrStdout()), Took: time.Since(start)}
	err = f.printReport(c, outcome, opt)
	if err == nil && !f.quiet && !outcome.Unchanged { // an unchanged release keeps its signature
		f.printHints(c.OutOrStdout(), outcome.Manifest)
		f.sign.printReminder(c, files, f.at.Path, f.wasSigned)
	}
	return err
}

func (f *buildFlags) checkAndComplete(files fs.FS, prefix string) (err error) {
	var now time.Time
	if f.Date, f.At, now, err = releaseTimes(f.date, files); err != nil {
		return err
	}
	if err := checkNotFuture(f.Date, now); err != nil && !f.allowFuture {
		return err
	}
	if f.At.After(now) { // no date ends an embargo early
		f.At = now
	}
	if f.secret != "" {
		if f.Secret, err = readSecret(f.secret); err != nil {
			return err
		}
	}
	if f.AllowRemoved, err = check.ReadAllowed(f.AllowRemoved); err != nil {
		return err
	}
	if f.at.IsInside(filepath.Join(prefix, "records")) {
		return fmt.Errorf("%s is inside the records folder, where the release would be read as records: write it elsewhere, such as -o public", f.at.Path)
	}
	if err := f.sign.checkKeysNamed(files); err != nil {
		return err
	}
	f.ByHash = !f.noByHash
	f.Program = version.Name()
	if !f.recordsOnly {
		f.Render, f.Downloads = renderers(f.downloads), f.downloads.String()
	}
	return nil
}

// build opens the previous release and builds the new one. The target is locked against other
// builds meanwhile.
func (f *buildFlags) build(ctx context.Context, files fs.FS, w store.Writer) (*compiler.Outcome, error) {
	gaveUp, closePrevious, err := f.at.Open(ctx, &f.Options, openRelease)
	if err != nil {
		return nil, err
	}
	defer closePrevious()
	if f.gaveUp = gaveUp; gaveUp != nil && f.at.Fork && gaveUp.Signed {
		f.sign.rollback = cmp.Or(f.sign.rollback, gaveUp.Release)
	}
	f.wasSigned = f.Previous != nil && signing.IsSigned(f.Previous.Files)
	outcome, err := compiler.Build(ctx, files, w, f.Options)
	if err == nil && !outcome.Stopped(f.strict) {
		err = errors.Join(f.writeSummary(ctx, outcome, w), f.sign.copyLog(ctx, f.Previous, outcome.Manifest, w.Put))
	}
	return outcome, err
}

// writeSummary writes a summary of the changes since the previous release, if that is on this
// machine.
func (f *buildFlags) writeSummary(ctx context.Context, o *compiler.Outcome, w store.Writer) error {
	const lines = 12
	if store.IsZip(f.at.Path) || f.quiet || o.Unchanged || f.Previous == nil || !f.Previous.Local() {
		return nil
	}
	now := &release.Release{Manifest: o.Manifest, Files: w.Files()}
	return report.WriteSummary(ctx, &f.words, f.Previous, now, lines, false)
}

// printHints prints hints about the new release.
func (f *buildFlags) printHints(w io.Writer, m *release.Manifest) {
	if m.Publisher == "Example Publisher" {
		fmt.Fprintf(w, "stele.yaml still has the publisher of the example: %s. Set publisher to your own name before you publish.\n", m.Publisher)
	}
	if g := f.gaveUp; g != nil {
		fmt.Fprintf(w, "This release discards release %s of %s: %s, %s and %s are not in its history.\n", g.Release, g.Date,
			report.Count(len(g.Dropped.Releases), "release"), report.Count(g.Dropped.Events, "change event"),
			report.Count(g.Dropped.Versions, "superseded version"))
	}
	if m.Previous == nil && !f.at.First {
		fmt.Fprintf(w, "This release starts a new history. If you have already published a release, build on it: --previous %s\n", cmp.Or(m.BaseURL, "ADDRESS"))
	}
}

func (f *buildFlags) printReport(c *cobra.Command, o *compiler.Outcome, opt report.Options) error {
	if len(o.Check.Problems) > 0 && !(f.quiet && !o.Stopped(f.strict)) {
		if err := report.Write(c.OutOrStdout(), "text", o.Check, opt); err != nil {
			return err
		}
	}
	if o.Stopped(f.strict) {
		explainStop(c.ErrOrStderr(), o, f.at.Path)
		return errFound
	}
	if !f.quiet {
		fmt.Fprint(c.OutOrStdout(), f.words.String())
		report.WriteRelease(c.OutOrStdout(), report.Build{
			Manifest: o.Manifest, Target: f.at.Path, Changes: o.Changes, Unchanged: o.Unchanged, Held: o.Check.Held,
			Took: opt.Took, Color: opt.Color,
		})
	}
	return nil
}

// explainStop prints to w why nothing was written to target.
func explainStop(w io.Writer, o *compiler.Outcome, target string) {
	if len(o.Shrunk) > 0 && o.Check.Errors == 0 {
		fmt.Fprintf(w, "Since the previous release: %s.\n", report.ChangesText(o.Changes))
	}
	explainShrinkage(w, o.Shrunk)
	fmt.Fprintf(w, "Nothing was written: %s is unchanged.\n", target)
}

func explainShrinkage(w io.Writer, shrunk []compiler.Shrinkage) {
	for _, s := range shrunk {
		fmt.Fprintf(w, "%s: %d before, %d now, more than a tenth fewer. If that is intended, add --allow shrink.\n", s.Kind, s.Before, s.After)
	}
}

// checkNotFuture returns an error if date is in the future everywhere on Earth. A release dated
// 2062 by mistake would prevent all releases before that year.
func checkNotFuture(date record.Date, now time.Time) error {
	const ahead = 14 * time.Hour // the first time zone to reach a day
	if today := now.UTC().Add(ahead).Format(time.DateOnly); string(date) > today {
		return fmt.Errorf("the release date %s is after today, %s: no release with an earlier date could follow it. Correct --date or SOURCE_DATE_EPOCH; if the date is intended, add --allow future", date, now.UTC().Format(time.DateOnly))
	}
	return nil
}

// setFrequentGC collects garbage more often to save memory, unless GOGC is set.
func setFrequentGC() {
	if os.Getenv("GOGC") == "" {
		parallel.CollectOften()
	}
}

// renderers returns the renderers of pages, downloads and descriptions.
func renderers(downloads bulk.Choice) []render.Renderer {
	files := &series.Series{Choice: downloads}
	return []render.Renderer{
		site.Options{Downloads: downloads.Downloads, Series: files}.Write,
		downloads.Write,
		files.Write,
		describe.Options{Downloads: downloads.Downloads, Series: files}.Write,
	}
}
