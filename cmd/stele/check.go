package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/check"
	"stele/internal/report"
	"stele/internal/source"
	"stele/record"
	"stele/sample"
)

func checkCommand() *cobra.Command {
	var format, date string
	var strict, quiet bool
	c := &cobra.Command{
		Use:   "check [folder]",
		Short: "Find everything that is wrong with the records",
		Long: `Check reads all records of a folder and shows everything that is wrong, with file, line, column, and what to write instead.

Without a folder it checks the one where you stand. Outside of any folder of records it checks the sample that comes with Stele.
It ends with 0 if nothing is wrong, 1 if something is, 2 if it could not run. Warnings count only with --strict.`,
		Example: `  stele check
  stele check measles --strict
  stele check --format github     in a workflow on GitHub
  stele check --format json | jq '.findings[].file'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(report.Formats, format) {
				return fmt.Errorf("unknown format %q: write %s", format, strings.Join(report.Formats, ", "))
			}
			if !record.Date(date).Valid() {
				return fmt.Errorf("--date %q is not a date: write YYYY-MM-DD", date)
			}
			files, prefix, err := openFolder(args)
			if err != nil {
				return err
			}
			if files == fs.FS(sample.Files) && !quiet {
				fmt.Fprintln(c.ErrOrStderr(), "No stele.yaml here, so this is the sample that comes with Stele. `stele init` makes a folder of your own.")
			}
			progress, finish := progressBar(c.ErrOrStderr(), quiet)
			start := time.Now()
			result, err := check.Folder(files, check.Options{Date: record.Date(date), Progress: progress})
			finish()
			if err != nil {
				return err
			}
			opt := report.Options{Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout()), Quiet: quiet, Took: time.Since(start)}
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
	c.Flags().StringVar(&date, "date", time.Now().UTC().Format(time.DateOnly), "the release date, which no verification may lie after")
	c.Flags().Lookup("date").DefValue = "today"
	return c
}

// openFolder opens the folder of records that the arguments name, and says how paths in it begin for the reader.
func openFolder(args []string) (files fs.FS, prefix string, err error) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	found, err := source.FindRoot(dir)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, "", err
	case len(args) == 0:
		return sample.Files, "sample", nil
	default:
		if _, statErr := os.Stat(dir); statErr != nil {
			return nil, "", fmt.Errorf("there is no folder %s", dir)
		}
		return nil, "", fmt.Errorf("%s is no folder of records: there is no %s in it or around it. `stele init %s` makes one", dir, source.SettingsFile, dir)
	}
	r, err := os.OpenRoot(found) // nothing outside of it is read, whatever links say
	if err != nil {
		return nil, "", err
	}
	return r.FS(), found, nil
}
