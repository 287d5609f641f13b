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
		Long: `Review lists the records that lost what they rest on, whose sources or supports changed since they
were verified, or that are due (review_after in stele.yaml): those first on which most rests.

With --retractions it compares DOIs and PubMed IDs of sources with a list: a table as Retraction Watch
has it, or an ID on each line. It ends with 1 if that has one which the records do not have. See
docs/standing.md.`,
		Example: `  stele review
  stele review --format json | jq '.[].records[].id'
  stele review --retractions retraction_watch.csv`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if retractions != "" {
				return f.retractions(c, args, retractions)
			}
			return f.review(c, args)
		},
	}
	c.Flags().StringVar(&retractions, "retractions", "", "a list of retracted papers")
	f.add(c)
	return c
}

// review lists what has to be looked at again.
func (f *traceFlags) review(c *cobra.Command, args []string) error {
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
}

// retractions compares the sources of a folder with a list.
func (f *traceFlags) retractions(c *cobra.Command, args []string, path string) error {
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
