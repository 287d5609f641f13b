package main

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/report"
	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/record"
)

type checkFlags struct {
	format, date, previous string
	allowRemoved           []string
	allow                  publish.Options
	strict, quiet, first   bool
}

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [folder]",
		Short: "Find everything that is wrong with the records",
		Long: `Check shows everything that is wrong with the records of a folder: where, and what to write
instead.

With --previous it also compares with the release before, as a build does, so that a pull request
fails before the build.`,
		Example: `  stele check
  stele check --previous https://data.example.org
  stele check --format github     in a workflow on GitHub`,
		Args: arguments(0, 1),
		RunE: f.run,
	}
	wordFlag(c, &f.format, "format", "text, json, or github for annotations in a workflow", report.Formats...)
	c.Flags().BoolVar(&f.strict, "strict", false, "let warnings count as errors")
	quietFlag(c, &f.quiet)
	c.Flags().StringVar(&f.date, "date", "", "the release date (default today)")
	c.Flags().StringVar(&f.previous, "previous", "", "the release before")
	c.Flags().BoolVar(&f.first, "first", false, "check as for a first release")
	c.MarkFlagsMutuallyExclusive("previous", "first")
	allowRemovedFlag(c, &f.allowRemoved)
	allowFlag(c, allowed(&f.allow)...)
	return c
}

func (f *checkFlags) run(c *cobra.Command, args []string) error {
	day, err := releaseDate(f.date)
	if err != nil {
		return err
	}
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	collectOften()
	start := time.Now()
	result, shrunk, err := f.check(c, files, day)
	if err != nil {
		return err
	}
	opt := report.Options{
		Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout()), Quiet: f.quiet, Took: time.Since(start),
	}
	if err := report.Write(c.OutOrStdout(), f.format, result, opt); err != nil {
		return err
	}
	explainShrinkage(c.ErrOrStderr(), shrunk)
	if result.Errors > 0 || len(shrunk) > 0 || f.strict && result.Warnings > 0 {
		return errFound
	}
	return nil
}

// check checks the records, and against the release before if there is one. It also returns the
// kinds that lost too many records since.
func (f *checkFlags) check(c *cobra.Command, files fs.FS, day record.Date) (
	*check.Result, []publish.Shrinkage, error,
) {
	opt := f.allow
	opt.Date, opt.PreviousUnknown = day, f.previous == "" && !f.first
	if f.previous != "" {
		var err error
		if opt.AllowRemoved, err = expandLists(f.allowRemoved); err != nil {
			return nil, nil, err
		}
		var closePrevious func() error
		if opt.Previous, closePrevious, err = openRelease(c.Context(), f.previous); err != nil {
			return nil, nil, err
		}
		defer closePrevious()
	}
	var finish func()
	opt.Progress, finish = stepBar(c.ErrOrStderr(), f.quiet)
	defer finish()
	outcome, err := publish.Check(c.Context(), files, store.NewMemory(), opt)
	if err != nil {
		return nil, nil, err
	}
	if opt.Previous != nil && !f.quiet && f.format == "text" {
		fmt.Fprintf(c.ErrOrStderr(), "Since release %s: %s.\n", opt.Previous.Manifest.Release, report.Changes(outcome.Changes))
	}
	if outcome.Unknown > 0 && !f.quiet && f.format == "text" {
		fmt.Fprintf(c.ErrOrStderr(), "Not checked: whether change events explain %s. Add --previous with the release before, or --first if there is none.\n",
			report.Count(outcome.Unknown, "change"))
	}
	return outcome.Check, outcome.Shrunk, nil
}
