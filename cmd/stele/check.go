package main

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/report"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
)

type checkFlags struct {
	format, date, previous string
	strict, quiet, first   bool
	compiler.Options
}

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [folder]",
		Short: "Find all problems in the records",
		Long: `Check lists all problems in a records folder, with their positions, and suggests what to write
instead.

With --previous it also compares the records with the previous release, as a build does.`,
		Example: `  stele check
  stele check --previous https://data.example.org
  stele check --format github     in a workflow on GitHub`,
		Args: countArguments(0, 1),
		RunE: f.run,
	}
	addWordFlag(c, &f.format, "format", "text, json, or github for annotations in GitHub workflows", report.Formats...)
	c.Flags().BoolVar(&f.strict, "strict", false, "count warnings as errors")
	addQuietFlag(c, &f.quiet)
	c.Flags().StringVar(&f.date, "date", "", "the release date (default today)")
	c.Flags().StringVar(&f.previous, "previous", "", "the previous release")
	c.Flags().BoolVar(&f.first, "first", false, "check as for a first release")
	c.MarkFlagsMutuallyExclusive("previous", "first")
	addAllowFlags(c, &f.Options)
	return c
}

func (f *checkFlags) run(c *cobra.Command, args []string) (err error) {
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if f.Date, f.At, _, err = releaseTimes(f.date, files); err != nil {
		return err
	}
	setFrequentGC()
	start := time.Now()
	outcome, err := f.check(c, files)
	if err != nil {
		return err
	}
	opt := report.Options{
		Files: files, Prefix: prefix, Color: useColor(c.OutOrStdout()), Quiet: f.quiet, Took: time.Since(start),
	}
	if err := report.Write(c.OutOrStdout(), f.format, outcome.Check, opt); err != nil {
		return err
	}
	explainShrinkage(c.ErrOrStderr(), outcome.Shrunk)
	if outcome.Check.Errors > 0 || len(outcome.Shrunk) > 0 || f.strict && outcome.Check.Warnings > 0 {
		return errFound
	}
	return nil
}

// check checks the records, and compares them with the previous release if --previous is given.
func (f *checkFlags) check(c *cobra.Command, files fs.FS) (outcome *compiler.Outcome, err error) {
	f.PreviousUnknown = f.previous == "" && !f.first
	if f.previous != "" {
		if f.AllowRemoved, err = check.ReadAllowed(f.AllowRemoved); err != nil {
			return nil, err
		}
		var closePrevious func() error
		if f.Previous, closePrevious, err = openRelease(c.Context(), f.previous); err != nil {
			return nil, err
		}
		defer closePrevious()
	}
	var finish func()
	f.Progress, finish = newProgressBar(c.ErrOrStderr(), f.quiet)
	defer finish()
	outcome, err = compiler.Check(c.Context(), files, store.NewMemory(), f.Options)
	if err != nil || f.quiet || f.format != "text" {
		return outcome, err
	}
	if f.Previous != nil {
		fmt.Fprintf(c.ErrOrStderr(), "Since release %s: %s.\n", f.Previous.Manifest.Release, report.ChangesText(outcome.Changes))
	}
	if outcome.Unknown > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "Not checked: whether change events explain %s. Add --previous RELEASE, or --first if there is no previous release.\n",
			report.Count(outcome.Unknown, "change"))
	}
	return outcome, nil
}
