package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/compile/restore"
)

func restoreCommand() *cobra.Command {
	var asOf, output string
	c := &cobra.Command{
		Use:   "restore release",
		Short: "Write the records of a release, or of a past day, into a folder",
		Long: `Restore writes the records of the latest release, or as they were on a day, into a folder, and verifies
their digests. You can check and build the folder like any other.`,
		Example: `  stele restore s3://measles/live -o records
  stele restore public --as-of 2026-03-01 -o records-of-march
  stele restore https://data.example.org --as-of 2026-03-01 -o records-of-march`,
		Args: countArguments(1, 1),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("--output is required: the folder to write")
			}
			ctx := c.Context()
			r, closeRelease, err := openRelease(ctx, args[0])
			if err != nil {
				return err
			}
			defer closeRelease()
			past, count, redacted, err := restore.ToFolder(ctx, r, asOf, output)
			if err != nil {
				return err
			}
			for _, id := range redacted {
				fmt.Fprintf(c.ErrOrStderr(), "%s was omitted, because it was redacted. stele show %s --history shows when and why.\n", id, id)
			}
			fmt.Fprintf(c.OutOrStdout(), "Wrote %d records of release %s of %s to %s.\n", count, past.Release, past.Date, output)
			return nil
		}),
	}
	c.Flags().StringVar(&asOf, "as-of", "", "day, YYYY-MM-DD, or release ID (default the latest release)")
	c.Flags().StringVarP(&output, "output", "o", "", "the folder to write")
	return discardOutput(c)
}
