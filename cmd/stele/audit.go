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
		Short: "Hold a live service against the specification",
		Long: `Audit asks a live service, made with Stele or not, and shows where it does not keep the
specification: what is required, what contradicts itself, what HTTP recommends.

It tries 50 single records of each kind, or all with --all. What could not be tried is shown, and
never counted as good: it ends with 2 where that is required. See docs/judging.md.`,
		Example: `  stele audit https://data.example.org
  stele audit https://data.example.org --all --methods --strict
  stele audit https://data.example.org --format junit -o audit.xml`,
		Args: arguments(1, 1),
		RunE: interruptible(func(c *cobra.Command, args []string) error { return f.run(c, args[0]) }),
	}
	wordFlag(c, &f.format, "format", "text, json or junit", report.AuditFormats...)
	c.Flags().StringVarP(&f.output, "output", "o", "", "file for that; then the text is shown too")
	c.Flags().BoolVar(&f.opt.All, "all", false, "try all single records")
	c.Flags().BoolVar(&f.opt.Methods, "methods", false, "also try methods that write, at a made-up address")
	c.Flags().BoolVar(&f.strict, "strict", false, "let warnings count as failures")
	quietFlag(c, &f.quiet)
	return c
}

func (f *auditFlags) run(c *cobra.Command, address string) error {
	limits, err := fetchLimits()
	if err != nil {
		return err
	}
	ctx := c.Context()
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
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
		return errors.New("something that is required could not be tried, so nobody knows whether it holds")
	}
	return nil
}

func (f *auditFlags) write(out io.Writer, r *audit.Report) error {
	if f.output == "" {
		return report.Audit(out, f.format, r, f.quiet, colorful(out))
	}
	file, err := os.Create(f.output)
	if err != nil {
		return err
	}
	if err := errors.Join(report.Audit(file, f.format, r, false, false), file.Close()); err != nil {
		return err
	}
	return report.Audit(out, "text", r, f.quiet, colorful(out))
}
