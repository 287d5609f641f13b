package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/author/trace"
)

func reviewCommand() *cobra.Command {
	var f traceFlags
	var retractions string
	c := &cobra.Command{
		Use:   "review [folder]",
		Short: "List the records that have to be looked at again",
		Long: `Review lists the records that have lost what they rest on, whose sources or supports changed since they were verified, or that are due for review
(review_after in stele.yaml): grouped by what happened, and those first on which most rests.

With --retractions it compares the DOIs and PubMed IDs of the sources with a list that you have: a table with the columns of the Retraction Watch data
(OriginalPaperDOI, OriginalPaperPubMedID, RetractionNature, RetractionDOI, RetractionDate), or a plain list with one DOI or PubMed ID on each line.
The nature decides: corrections and reinstatements are no retractions. It shows the source update to write. What a list does not have may have been
retracted all the same.

Without a folder it looks in the current one. It ends with 1 if a file could not be read, and, with --retractions, if a retraction is
listed that the records do not have; else with 0.`,
		Example: `  stele review
  stele review --format json | jq '.[].records[].id'
  stele review --retractions retraction_watch.csv`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if retractions != "" {
				return f.retractions(c, args, retractions)
			}
			folder, err := f.open(args)
			if err != nil {
				return err
			}
			causes, err := folder.Review()
			if err != nil {
				return err
			}
			err = f.write(c.OutOrStdout(), causes, func(w io.Writer) error { return trace.ReviewText(w, causes) })
			if err != nil {
				return err
			}
			return unread(c, folder.Unread())
		},
	}
	c.Flags().StringVar(&retractions, "retractions", "", "a list of retracted papers to compare the sources with")
	f.add(c)
	return c
}

// retractions compares the sources of a folder with a list.
func (f *traceFlags) retractions(c *cobra.Command, args []string, path string) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("unknown format %q: write text or json", f.format)
	}
	files, _, err := openFolder(args)
	if err != nil {
		return err
	}
	list, err := os.Open(path)
	if err != nil {
		return err
	}
	defer list.Close()
	compared, err := trace.Retractions(files, list)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := f.write(c.OutOrStdout(), compared, compared.Text); err != nil {
		return err
	}
	if err := unread(c, compared.Unread); err != nil || compared.HasUnreported() {
		return errFound
	}
	return nil
}
