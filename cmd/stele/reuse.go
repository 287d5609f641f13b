package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/trust/reuse"
	"stele/internal/trust/signing"
)

// reuseFlags are the options of the command that compares a copy.
type reuseFlags struct {
	of, format        string
	mapFile, findings string
	quiet             bool
	options           reuse.Options
}

func reuseCommand() *cobra.Command {
	var f reuseFlags
	c := &cobra.Command{
		Use:   "reuse copy --of release",
		Short: "Check whether a copy kept what must be kept",
		Long: `Reuse checks whether a copy of records kept the eight things that must be kept, by comparing it with
the release that it came from. The copy is CSV, JSON, NDJSON or a workbook. A map says which columns
have other names than in the release.

Each thing is kept, altered, truncated, dropped or stale (true of an earlier version). It ends with 1
if something is neither kept nor stale, or a copied record was retracted since. See docs/reuse.md.`,
		Example: `  stele reuse claims.csv --of https://data.example.org
  stele reuse dashboard.xlsx --of public --findings findings.csv`,
		Args: arguments(1, 1),
		RunE: interruptible(func(c *cobra.Command, args []string) error { return f.run(c, args[0]) }),
	}
	c.Flags().StringVar(&f.of, "of", "", "the release that was copied")
	wordFlag(c, &f.format, "format", "text, json or junit", "text", "json", "junit")
	c.Flags().StringVar(&f.mapFile, "map", "", "file that says what columns hold, as --format json has it")
	c.Flags().StringVar(&f.findings, "findings", "", "CSV file for all findings; the report has the first of each sort")
	c.Flags().BoolVar(&f.options.Others, "others", false, "pass over IDs that were not published here")
	c.Flags().StringVar(&f.options.Sheet.Sheet, "sheet", "", "the sheet of a workbook (default all that have records)")
	c.Flags().StringVar(&f.options.Sheet.Path, "path", "", "where the records of a JSON file are, such as data.rows (default all lists)")
	quietFlag(c, &f.quiet)
	c.MarkFlagRequired("of")
	return c
}

func (f *reuseFlags) run(c *cobra.Command, name string) (err error) {
	if f.mapFile != "" {
		data, err := signing.ReadLocal(f.mapFile, 1<<20)
		if err == nil {
			f.options.Map, err = reuse.ParseMap(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.mapFile, err)
		}
	}
	ctx := c.Context()
	// before the release is read, which may take long
	if _, err := os.Stat(name); err != nil {
		return err
	}
	if f.findings != "" {
		var file *os.File
		var done func() error
		if file, err = os.Create(f.findings); err != nil {
			return err
		}
		f.options.Found, done = reuse.WriteFindings(file)
		defer func() { err = errors.Join(err, done(), file.Close()) }()
	}
	r, closeRelease, err := openNamed(ctx, f.of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeRelease()) }()
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	published, err := reuse.Learn(ctx, r, func(done, total int64) { progress("reading the release", done, total) })
	finish()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, published.Close()) }()
	report, err := reuse.Compare(ctx, published, name, f.options)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.print(c, report)
}

func (f *reuseFlags) print(c *cobra.Command, report *reuse.Report) error {
	if f.quiet && report.Kept {
		return nil
	}
	write := map[string]func(io.Writer) error{"text": report.Text, "json": report.JSON, "junit": report.JUnit}[f.format]
	if err := write(c.OutOrStdout()); err != nil {
		return err
	}
	if !report.Kept {
		return errFound
	}
	return nil
}
