package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/base/version"
	"stele/internal/compile/compiler"
	"stele/internal/compile/target"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
)

func reproduceCommand() *cobra.Command {
	var previous, keep string
	c := &cobra.Command{
		Use:   "reproduce release [folder]",
		Short: "Build a release again from its records and compare all files",
		Long: `Reproduce builds a release again from the publisher's records, and compares all files.

A release that was built on another requires --previous. To rebuild every release, keep each one for
the next, as in the second example.`,
		Example: `  stele reproduce public records --previous last.zip
  stele reproduce https://data.example.org . --previous last.zip --keep last.zip`,
		Args: countArguments(1, 2),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error {
			return reproduceRelease(c, args[0], args[1:], previous, keep)
		}),
	}
	c.Flags().StringVar(&previous, "previous", "", "the previous release")
	c.Flags().StringVar(&keep, "keep", "", "zip for the rebuilt release, written if all files are equal")
	return discardOutput(c)
}

func reproduceRelease(c *cobra.Command, where string, folder []string, previous, keep string) error {
	if keep != "" && !store.IsZip(keep) {
		return fmt.Errorf("--keep %s must be the name of a zip, such as last.zip", keep)
	}
	published, closePublished, err := openRelease(c.Context(), where)
	if err != nil {
		return err
	}
	defer closePublished()
	files, _, err := openFolder(folder)
	if err != nil {
		return err
	}
	opt, err := compiler.SameOptions(published)
	if err != nil {
		return err
	}
	if published.Manifest.Built.Pages {
		var downloads bulk.Choice
		if opt.Downloads != "" {
			if err := downloads.Set(opt.Downloads); err != nil {
				return err
			}
		}
		opt.Render = renderers(downloads)
	}
	if before := published.Manifest.Previous; before != nil {
		if previous == "" {
			return fmt.Errorf("this release was built on release %s of %s: add --previous with that release", before.Release, before.Date)
		}
		var closePrevious func() error
		if opt.Previous, closePrevious, err = openRelease(c.Context(), previous); err != nil {
			return err
		}
		defer closePrevious()
		if opt.Previous.Manifest.Release == published.Manifest.Release {
			fmt.Fprintf(c.OutOrStdout(), "release %s of %s is the release of --previous: nothing to reproduce.\n",
				published.Manifest.Release, published.Manifest.Date)
			return nil
		}
		if opt.Previous.Manifest.Release != before.Release {
			return fmt.Errorf("--previous is release %s, but this release was built on %s", opt.Previous.Manifest.Release, before.Release)
		}
	}
	again, same, err := target.Reproduce(c.Context(), published, files, opt, keep)
	if err != nil {
		return err
	}
	differ := compiler.Differences(published.Manifest, again)
	if report.WriteReproduced(c.OutOrStdout(), published.Manifest, same, differ, version.Name()); !same {
		return errFound
	}
	return nil
}
