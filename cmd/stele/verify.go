package main

import (
	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/build/standinglist"
	"stele/internal/trust/signing"
	"stele/release"
)

type verifyFlags struct {
	quiet bool
	trust trustFlags
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify release",
		Short: "Read a release again and make sure that it is whole",
		Long: `Verify reads a release again, and finds files that are missing, damaged, or do not belong: digests,
variants, single records, counts, the graph, standings.

With --key it makes sure that the publisher signed it, and that the log continues what was seen
before (docs/signing.md).`,
		Example: `  stele verify public
  stele verify release.zip --key data.example.org.key.pub
  stele verify https://data.example.org --key data.example.org+ed10556b+Aby0…`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.trust.add(c.Flags())
	quietFlag(c, &f.quiet)
	return c
}

func (f *verifyFlags) run(c *cobra.Command, name string) error {
	r, closeRelease, err := openNamed(c.Context(), name)
	if err != nil {
		return err
	}
	defer closeRelease()
	var signed *signing.Verified
	if f.trust.given() {
		if signed, err = f.trust.verifyRelease(c.Context(), r); err != nil {
			printError(c.ErrOrStderr(), err)
			return errFound
		}
	}
	found, err := verifyFiles(c, r, f.quiet)
	if err != nil {
		return err
	}
	report.Verified(c.OutOrStdout(), r.Manifest, found, f.quiet, colorful(c.OutOrStdout()))
	if len(found.Faults) > 0 {
		return errFound
	}
	if signed != nil && !f.quiet {
		report.Signed(c.OutOrStdout(), signed)
	}
	return nil
}

// verifyFiles reads a release again, and derives what follows from its records.
func verifyFiles(c *cobra.Command, r *release.Release, quiet bool) (found *release.Report, err error) {
	step, finish := stepBar(c.ErrOrStderr(), quiet)
	defer finish()
	found, err = r.Verify(c.Context(), func(done, total int64) { step("verifying", done, total) })
	if err == nil && len(found.Faults) == 0 { // what is damaged needs no second opinion
		found.Faults, err = standinglist.Verify(c.Context(), r)
	}
	return found, err
}
