package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/publish"
	"stele/internal/report"
	"stele/internal/signing"
)

func verifyCommand() *cobra.Command {
	var quiet bool
	var trust trustFlags
	var fetch fetchFlags
	c := &cobra.Command{
		Use:   "verify release",
		Short: "Read a release again and make sure that it is whole",
		Long: `Verify reads a release again, in a folder, a zip, a bucket, or at the address of a service: every size and digest, every compressed variant,
every single record against its collection, counts, and the graph. It finds files that are missing, damaged, or do not belong. Where all of
that is right, it derives from the records which of them no longer stand, and compares that with what the release says.

With --key it also makes sure that the publisher signed it: that the release is the newest entry of the publisher's log, that the key signed
the log, and that the log continues what was seen before. docs/signing.md tells what each message means.

It ends with 0 if the release is whole, 1 if it is not, 2 if it could not run.`,
		Example: `  stele verify public
  stele verify release.zip --key data.example.org.key.pub
  stele verify https://data.example.org --key data.example.org+ed10556b+Aby0…`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			r, closeRelease, err := fetch.openNamed(c.Context(), args[0])
			if err != nil {
				return err
			}
			defer closeRelease()
			var signed *signing.Verified
			if trust.given() {
				if signed, err = trust.verifyRelease(c.Context(), r); err != nil {
					fmt.Fprintln(c.ErrOrStderr(), "stele:", err)
					return errFound
				}
			}
			step, finish := stepBar(c.ErrOrStderr(), quiet)
			var progress func(done, total int64)
			if step != nil {
				progress = func(done, total int64) { step("verifying", done, total) }
			}
			found, err := r.Verify(c.Context(), progress)
			if err == nil && len(found.Faults) == 0 { // what is damaged needs no second opinion
				found.Faults, err = publish.VerifyStandings(c.Context(), r)
			}
			finish()
			if err != nil {
				return err
			}
			report.Verified(c.OutOrStdout(), r.Manifest, found, quiet, colorful(c.OutOrStdout()))
			if len(found.Faults) > 0 {
				return errFound
			}
			if signed != nil && !quiet {
				tellVerified(c.OutOrStdout(), signed)
			}
			return nil
		},
	}
	trust.add(c.Flags())
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "say nothing when all is well")
	fetch.add(c.Flags())
	return c
}
