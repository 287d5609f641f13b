package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/check"
	"stele/internal/report"
)

func checkCommand() *cobra.Command {
	var format, date string
	var strict, quiet bool
	c := &cobra.Command{
		Use:   "check [folder]",
		Short: "Find everything that is wrong with the records",
		Long: `Check reads all records of a folder and shows everything that is wrong, with file, line, column, and what to write instead.

Without a folder it checks the one where you stand.
It ends with 0 if nothing is wrong, 1 if something is, 2 if it could not run. Warnings count only with --strict.`,
		Example: `  stele check
  stele check measles --strict
  stele check --format github     in a workflow on GitHub
  stele check --format json | jq '.findings[].file'`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(report.Formats, format) {
				return fmt.Errorf("unknown format %q: write %s", format, strings.Join(report.Formats, ", "))
			}
			day, err := releaseDate(date)
			if err != nil {
				return err
			}
			files, prefix, err := openFolder(args)
			if err != nil {
				return err
			}
			progress, finish := progressBar(c.ErrOrStderr(), quiet)
			start := time.Now()
			result, err := check.Folder(files, check.Options{Date: day, Progress: progress})
			finish()
			if err != nil {
				return err
			}
			opt := report.Options{
				Files:  files,
				Prefix: prefix,
				Color:  colorful(c.OutOrStdout()),
				Quiet:  quiet,
				Took:   time.Since(start),
			}
			if err := report.Write(c.OutOrStdout(), format, result, opt); err != nil {
				return err
			}
			if result.Errors > 0 || strict && result.Warnings > 0 {
				return errFound
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text for people, json for programs, github for annotations in a workflow")
	c.Flags().BoolVar(&strict, "strict", false, "let warnings count as errors")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "say nothing when nothing is wrong")
	c.Flags().StringVar(&date, "date", "", "the release date, which no verification may lie after (default SOURCE_DATE_EPOCH, else today)")
	return c
}
