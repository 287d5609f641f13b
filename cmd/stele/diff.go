package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/author/reading/input"
	"stele/internal/compile/compiler"
	"stele/internal/compile/target"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/release"
)

func diffCommand() *cobra.Command {
	var format string
	var quiet bool
	c := &cobra.Command{
		Use:   "diff old new",
		Short: "Show what changed between two releases or folders of records",
		Long: `Diff compares two releases or records folders, in any combination. It prints a summary, then each
record's changed members. The exit code is 1 if there are differences.

Files derived from records, such as the graph, are not compared. Markdown output lists retractions
first and has at most 60,000 bytes.`,
		Example: `  stele diff public-old public
  stele diff https://data.example.org .
  stele diff https://data.example.org . --format markdown     a comment for a pull request`,
		Args: countArguments(2, 2),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			old, closeOld, err := openComparable(ctx, args[0])
			if err != nil {
				return err
			}
			defer closeOld()
			now, closeNow, err := openComparable(ctx, args[1])
			if err != nil {
				return err
			}
			defer closeNow()
			out := c.OutOrStdout()
			var same bytes.Buffer // printed if nothing differs
			to := out
			if quiet {
				to = &same
			}
			differ, err := report.WriteDiff(c.Context(), to, old, now, format, useColor(out))
			if err == nil && differ {
				_, err = same.WriteTo(out)
				err = errors.Join(err, errFound)
			}
			return err
		}),
	}
	addWordFlag(c, &format, "format", "text, json, or markdown for a pull request", "text", "json", "markdown")
	addQuietFlag(c, &quiet)
	return c
}

// openComparable opens a release. It builds a records folder into a temporary release first.
func openComparable(ctx context.Context, where string) (*release.Release, func() error, error) {
	if !fetch.IsURL(where) {
		if _, err := os.Stat(filepath.Join(where, input.SettingsFile)); err == nil {
			return buildTemporary(ctx, where)
		}
	}
	r, closeRelease, err := openRelease(ctx, where)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; it is not a records folder either: %s is missing", err, input.SettingsFile)
	}
	return r, closeRelease, err
}

// buildTemporary builds the records in folder into a temporary release and opens it.
func buildTemporary(ctx context.Context, folder string) (*release.Release, func() error, error) {
	files, _, err := input.Open(folder)
	if err != nil {
		return nil, nil, err
	}
	day, err := releaseDate("")
	if err != nil {
		return nil, nil, err
	}
	built, outcome, remove, err := target.BuildTemporary(ctx, "", files, compiler.Options{Date: day, NoVariants: true})
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("cannot compare %s: it has errors. `stele check %s` lists them", folder, folder)
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	r, closeRelease, err := store.Open(built)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return r, func() error { return errors.Join(closeRelease(), remove()) }, nil
}
