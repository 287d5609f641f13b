package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/base/version"
	"stele/internal/trust/audit"
)

type auditFlags struct {
	format, output string
	strict, quiet  bool
	opt            audit.Options
}

func auditCommand() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit address",
		Short: "Check a live service against the specification",
		Long: `Audit sends requests to a live service, built with Stele or not, and reports unmet requirements of
the specification, contradictions between files, and HTTP recommendations that it does not follow.

Checks that could not run are listed and never count as passed. If a required check could not run, the
exit code is 2. See docs/judging.md.`,
		Example: `  stele audit https://data.example.org
  stele audit https://data.example.org --all --methods --strict
  stele audit https://data.example.org --format junit -o audit.xml`,
		Args: countArguments(1, 1),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error { return f.run(c, args[0]) }),
	}
	addWordFlag(c, &f.format, "format", "text, json or junit", report.AuditFormats...)
	c.Flags().StringVarP(&f.output, "output", "o", "", "file for the report; the text report is printed too")
	c.Flags().BoolVar(&f.opt.All, "all", false, "check all single records, not only 50 of each kind")
	c.Flags().BoolVar(&f.opt.Methods, "methods", false, "also try methods that write, on a path that does not exist")
	c.Flags().BoolVar(&f.strict, "strict", false, "count warnings as failures")
	addQuietFlag(c, &f.quiet)
	return c
}

func (f *auditFlags) run(c *cobra.Command, address string) error {
	limits, err := fetchLimits()
	if err != nil {
		return err
	}
	ctx := c.Context()
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	f.opt.Time, f.opt.Bytes, f.opt.Progress = limits.Time, limits.Bytes, progress
	r, err := audit.Run(ctx, address, f.opt)
	finish()
	if err != nil {
		return err
	}
	day, err := releaseDate("")
	if err != nil {
		return err
	}
	r.Date, r.Program = string(day), "stele "+version.String()
	if err := f.write(c.OutOrStdout(), r); err != nil {
		return err
	}
	switch s := r.Summary; {
	case s.Fail > 0 || f.strict && s.Warn > 0:
		return errFound
	case s.Unanswered > 0:
		return errors.New("a required check could not run: see the report")
	}
	return nil
}

func (f *auditFlags) write(out io.Writer, r *audit.Report) error {
	if f.output == "" {
		return report.WriteAudit(out, f.format, r, f.quiet, useColor(out))
	}
	file, err := os.Create(f.output)
	if err != nil {
		return err
	}
	if err := errors.Join(report.WriteAudit(file, f.format, r, false, false), file.Close()); err != nil {
		return err
	}
	return report.WriteAudit(out, "text", r, f.quiet, useColor(out))
}
