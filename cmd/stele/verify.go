package main

import (
	"github.com/spf13/cobra"

	"stele/internal/report"
	"stele/internal/store"
	"stele/release"
)

func verifyCommand() *cobra.Command {
	var quiet bool
	c := &cobra.Command{
		Use:   "verify release",
		Short: "Read a release again and make sure that it is whole",
		Long: `Verify reads a release, in a folder or a zip, again: every size and digest, every compressed variant, every single record against its collection,
counts, and the graph. It finds files that are missing, damaged, or do not belong.
It ends with 0 if the release is whole, 1 if it is not, 2 if it could not run.`,
		Example: "  stele verify public\n  stele verify release.zip",
		Args:    arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			r, closeRelease, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer closeRelease()
			step, finish := stepBar(c.ErrOrStderr(), quiet)
			var progress func(done, total int64)
			if step != nil {
				progress = func(done, total int64) { step("verifying", done, total) }
			}
			found, err := release.Verify(c.Context(), r, progress)
			finish()
			if err != nil {
				return err
			}
			report.Verified(c.OutOrStdout(), r.Manifest, found, quiet, colorful(c.OutOrStdout()))
			if len(found.Faults) > 0 {
				return errFound
			}
			return nil
		},
	}
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "say nothing when all is well")
	return c
}
