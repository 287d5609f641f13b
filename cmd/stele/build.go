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
	secret                string // the file of the secret that salts digests
	gaveUp                *target.Replaced
	wasSigned             bool // whether the release before was
	words                 strings.Builder
	compiler.Options
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
	c.Flags().StringVarP(&f.at.Path, "output", "o", "", "where the release goes: a folder, or a name that ends in .zip")
	c.Flags().StringVar(&f.at.Previous, "previous", "", "the release before, where it is not at the target")
	c.Flags().BoolVar(&f.at.First, "first", false, "begin a history: build on no release")
	c.Flags().BoolVar(&f.at.Fork, "fork", false, "build on --previous, and give up another release at the target")
	f.addOptions(c)
	f.sign.add(c.Flags())
	return c
}

// addOptions are for what a release has, and what it may do.
func (f *buildFlags) addOptions(c *cobra.Command, allow ...choice) {
	c.Flags().StringVar(&f.date, "date", "", "the release date, or the moment with its zone, by which embargoes end (default now)")
	allowFlags(c, &f.Options, append(allow, choice{"future", &f.allowFuture, "a date after today"})...)
	c.Flags().Var(&f.downloads, "downloads", "with commas: ndjson, csv, parquet, sqlite, indicators, areas; or none, or default")
	choicesFlag(c, "without", "leave out", choice{"variants", &f.NoVariants, "compressed files"},
		choice{"deltas", &f.NoDeltas, "what changed, for copies"},
		choice{"by-hash", &f.noByHash, "files by SHA-256"},
		choice{"comparing", &f.Trusted, "comparing unchanged files"},
		choice{"derived", &f.recordsOnly, "pages, descriptions, feeds, downloads"})
	c.Flags().StringVar(&f.secret, "secret", "", "file of the secret that keeps digests from confirming guesses")
	c.Flags().BoolVar(&f.strict, "strict", false, "let warnings stop the build")
	quietFlag(c, &f.quiet)
}

func (f *buildFlags) run(c *cobra.Command, args []string) (err error) {
	switch {
	case f.at.First && f.at.Previous != "":
		return errors.New("--first begins a history and --previous goes on with one: leave one of them out")
	case f.at.Fork && f.at.Previous == "":
		return errors.New("--fork needs the release to build on: add --previous")
	case f.at.Path == "":
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
	outcome, err := target.Write(f.at.Path, f.strict, func(w store.Writer) (*compiler.Outcome, error) {
		defer finish()
		outcome, err := f.build(ctx, files, w)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("interrupted: %s is as it was", f.at.Path)
		}
		return outcome, err
	})
	if err = errors.Join(err, f.sign.end(err == nil)); err != nil {
		return err
	}
	opt := report.Options{Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout()), Took: time.Since(start)}
	err = f.report(c, outcome, opt)
	if err == nil && !f.quiet && !outcome.Unchanged { // an unchanged one keeps its signature
		f.note(c.OutOrStdout(), outcome.Manifest)
		f.sign.remind(c, files, f.at.Path, f.wasSigned)
	}
	return err
}

func (f *buildFlags) settle(files fs.FS, prefix string) (err error) {
	var now time.Time
	if f.Date, f.At, now, err = releaseMoment(f.date, files); err != nil {
		return err
	}
	if err := notAfter(f.Date, now); err != nil && !f.allowFuture {
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
	if f.at.LiesIn(filepath.Join(prefix, "records")) {
		return fmt.Errorf("%s lies in the folder of the records, where the release would be read as records: write it elsewhere, such as -o public", f.at.Path)
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
		err = errors.Join(f.describe(ctx, outcome, w), f.sign.carry(ctx, f.Previous, outcome.Manifest, w.Put))
	}
	return outcome, err
}

// describe puts into words what changed since a release on this machine.
func (f *buildFlags) describe(ctx context.Context, o *compiler.Outcome, w store.Writer) error {
	const lines = 12
	written, ok := w.(store.Shower)
	if !ok || f.quiet || o.Unchanged || f.Previous == nil || !f.Previous.Local() {
		return nil
	}
	now := &release.Release{Manifest: o.Manifest, Files: written.Files()}
	return report.Words(ctx, &f.words, f.Previous, now, lines, false)
}

// note says what is not as always.
func (f *buildFlags) note(w io.Writer, m *release.Manifest) {
	if m.Publisher == "Example Publisher" {
		fmt.Fprintf(w, "stele.yaml has words of the starter still: publisher %s. Write your own before readers see them.\n", m.Publisher)
	}
	if g := f.gaveUp; g != nil {
		fmt.Fprintf(w, "It gives up release %s of %s: %s, %s and %s are not before it.\n", g.Release, g.Date,
			report.Count(len(g.Lost.Releases), "release"), report.Count(g.Lost.Events, "change event"), report.Count(g.Lost.Versions, "superseded version"))
	}
	if m.Previous == nil && !f.at.First {
		fmt.Fprintf(w, "It begins a history. If a release is published already, build on that: --previous %s\n", cmp.Or(m.BaseURL, "ADDRESS"))
	}
}

func (f *buildFlags) report(c *cobra.Command, o *compiler.Outcome, opt report.Options) error {
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
		report.Release(c.OutOrStdout(), report.Build{
			Manifest: o.Manifest, Target: f.at.Path, Changes: o.Changes, Unchanged: o.Unchanged, Held: o.Check.Held,
			Took: opt.Took, Color: opt.Color,
		})
	}
	return nil
}

// explainStop says why nothing was written, so that a person can decide.
func explainStop(w io.Writer, o *compiler.Outcome, target string) {
	if len(o.Shrunk) > 0 && o.Check.Errors == 0 {
		fmt.Fprintf(w, "Since the release before: %s.\n", report.Changes(o.Changes))
	}
	explainShrinkage(w, o.Shrunk)
	fmt.Fprintf(w, "Nothing was written: %s is as it was.\n", target)
}

func explainShrinkage(w io.Writer, shrunk []compiler.Shrinkage) {
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

// collectOften saves memory, unless the user says how often it is collected.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		parallel.CollectOften()
	}
}

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
