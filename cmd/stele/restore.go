package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/base/layout"
	"stele/internal/build/restore"
	"stele/internal/disk/durable"
	"stele/internal/disk/scratch"
	"stele/release"
)

func restoreCommand() *cobra.Command {
	var asOf, output string
	c := &cobra.Command{
		Use:   "restore release",
		Short: "Write the records as they stood on a day into a folder",
		Long: `Restore writes the records as they stood on a day into a folder, from a later release, and makes
sure of their digests. The folder can be checked and built like any other.`,
		Example: `  stele restore public --as-of 2026-03-01 -o records-of-march
  stele restore https://data.example.org --as-of 2026-03-01 -o records-of-march`,
		Args: arguments(1, 1),
		RunE: interruptible(func(c *cobra.Command, args []string) error {
			if asOf == "" || output == "" {
				return errors.New("say which day with --as-of, and where to with --output")
			}
			ctx := c.Context()
			r, closeRelease, err := openRelease(ctx, args[0])
			if err != nil {
				return err
			}
			defer closeRelease()
			return restoreRecords(ctx, c.OutOrStdout(), r, asOf, output)
		}),
	}
	c.Flags().StringVar(&asOf, "as-of", "", "the day, YYYY-MM-DD")
	c.Flags().StringVarP(&output, "output", "o", "", "the folder to write")
	return c
}

func restoreRecords(ctx context.Context, w io.Writer, r *release.Release, asOf, output string) (err error) {
	var releases []layout.Past
	for p, err := range r.Releases() {
		if err != nil {
			return err
		}
		releases = append(releases, p)
	}
	number, err := releaseOn(releases, asOf)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(output); err == nil {
		return fmt.Errorf("%s is there already: name a folder that is not", output)
	}
	beside, err := os.MkdirTemp(filepath.Dir(output), ".stele-restore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside) // what is left of it, if anything failed
	folder := filepath.Join(beside, "folder")
	past, count, redacted, err := restore.Records(ctx, r, number,
		func() (*os.File, error) { return scratch.New(beside, "scratch-*") },
		func(path string) (io.WriteCloser, error) { return createIn(folder, path) })
	if err != nil {
		return err
	}
	if err := durable.Replace(folder, output); err != nil {
		return err
	}
	for _, id := range redacted {
		fmt.Fprintf(os.Stderr, "%s is left out: it was redacted. stele show %s --history shows when and why.\n", id, id)
	}
	_, err = fmt.Fprintf(w, "%d records as they stood in release %s of %s are in %s.\n", count, past.Release, past.Date, output)
	return err
}

func createIn(folder, path string) (io.WriteCloser, error) {
	at := filepath.Join(folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return nil, err
	}
	return os.Create(at)
}
