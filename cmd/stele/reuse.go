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

// reuseFlags are the flags of the command that checks a copy.
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
		Short: "Check whether a copy of records is complete and correct",
		Long: `Reuse compares a copy of records with the release that it came from, and checks whether the copy kept
the eight things that must be kept. The copy is CSV, JSON, NDJSON or a workbook. A map names the
columns whose names differ from the release.

Each of them is kept, altered, truncated, dropped or stale (true of an earlier version). The exit code is
1 if anything is neither kept nor stale, or a copied record was retracted later. See docs/reuse.md.`,
		Example: `  stele reuse claims.csv --of https://data.example.org
  stele reuse dashboard.xlsx --of public --findings findings.csv`,
		Args: countArguments(1, 1),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error { return f.run(c, args[0]) }),
	}
	c.Flags().StringVar(&f.of, "of", "", "the release that was copied")
	addWordFlag(c, &f.format, "format", "text, json or junit", "text", "json", "junit")
	c.Flags().StringVar(&f.mapFile, "map", "", "file that maps columns to members, in the form that --format json prints")
	c.Flags().StringVar(&f.findings, "findings", "", "CSV file for all problems; the report lists the first of each type")
	c.Flags().BoolVar(&f.options.Others, "others", false, "ignore IDs that were not published here")
	c.Flags().StringVar(&f.options.Sheet.Sheet, "sheet", "", "sheet of a workbook (default all with records)")
	c.Flags().StringVar(&f.options.Sheet.Path, "path", "", "path of the records in a JSON file, such as data.rows (default all lists)")
	addQuietFlag(c, &f.quiet)
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
	// check this first, because reading the release can take long
	if _, err := os.Stat(name); err != nil {
		return err
	}
	if f.findings != "" {
		var file *os.File
		var done func() error
		if file, err = os.Create(f.findings); err != nil {
			return err
		}
		f.options.Found, done = reuse.NewFindingWriter(file)
		defer func() { err = errors.Join(err, done(), file.Close()) }()
	}
	r, closeRelease, err := openByName(ctx, f.of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeRelease()) }()
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	published, err := reuse.Load(ctx, r, func(done, total int64) { progress("reading the release", done, total) })
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
	write := map[string]func(io.Writer) error{"text": report.WriteText, "json": report.JSON, "junit": report.JUnit}[f.format]
	if err := write(c.OutOrStdout()); err != nil {
		return err
	}
	if !report.Kept {
		return errFound
	}
	return nil
}
