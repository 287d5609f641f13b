package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/author/trace"
)

func reviewCommand() *cobra.Command {
	var f traceFlags
	var retractions string
	var issues, links bool
	c := &cobra.Command{
		Use:   "review [folder]",
		Short: "List the records that have to be looked at again",
		Long: `Review lists the records that have lost what they rest on, whose sources or supports changed since they were verified, or that are due for review
(review_after in stele.yaml): grouped by what happened, and those first on which most rests.

With --retractions it compares the DOIs and PubMed IDs of the sources with a list that you have: a table with the columns of the Retraction Watch data
(OriginalPaperDOI, OriginalPaperPubMedID, RetractionNature, RetractionDOI, RetractionDate), or a plain list with one DOI or PubMed ID on each line.
The nature decides: corrections and reinstatements are no retractions. It shows the source update to write. What a list does not have may have been
retracted all the same.

With --issues it writes one issue in Markdown, for a workflow that runs on a schedule: what is due and who verified it, what a list of retractions has, and,
with --links, which addresses of sources are dead. At most 60,000 bytes.

Without a folder it looks in the current one. It ends with 1 if a file could not be read, with --retractions, if a retraction is
listed that the records do not have, and with --issues, if there is anything to do; else with 0.`,
		Example: `  stele review
  stele review --format json | jq '.[].records[].id'
  stele review --retractions retraction_watch.csv
  stele review --issues --links --retractions retraction_watch.csv`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case issues:
				return f.issue(c, args, retractions, links)
			case links:
				return errors.New("--links goes with --issues")
			case retractions != "":
				return f.retractions(c, args, retractions)
			}
			return f.review(c, args)
		},
	}
	c.Flags().BoolVar(&issues, "issues", false, "write what there is to do as one issue, in Markdown")
	c.Flags().BoolVar(&links, "links", false, "with --issues: ask every address of a source whether it is still there")
	c.Flags().StringVar(&retractions, "retractions", "", "a list of retracted papers to compare the sources with")
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

// issue writes what there is to do.
func (f *traceFlags) issue(c *cobra.Command, args []string, list string, links bool) (err error) {
	folder, err := f.open(args)
	if err != nil {
		return err
	}
	files, _, err := openFolder(args)
	if err != nil {
		return err
	}
	i := trace.Issue{Verified: trace.Verifiers(files)}
	if i.Day, err = releaseDate(f.date); err != nil {
		return err
	}
	if i.Due, err = folder.Review(); err != nil {
		return err
	}
	if list != "" {
		if i.Compared, err = compareWith(files, list); err != nil {
			return err
		}
	}
	if links {
		ctx, stop := interruptible(c)
		defer stop()
		if i.Links, err = trace.TryLinks(ctx, files, http.DefaultClient); err != nil {
			return err
		}
	}
	if err := i.Markdown(c.OutOrStdout()); err != nil {
		return err
	}
	if err := unread(c, folder.Unread()); err != nil || i.Tasks() > 0 {
		return errFound
	}
	return nil
}

// compareWith compares sources with a list in a file.
func compareWith(files fs.FS, path string) (*trace.Compared, error) {
	list, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	compared, err := trace.Retractions(files, list)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return compared, err
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
	compared, err := compareWith(files, path)
	if err != nil {
		return err
	}
	if err := f.write(c.OutOrStdout(), compared, compared.Text); err != nil {
		return err
	}
	if err := unread(c, compared.Unread); err != nil || compared.HasUnreported() {
		return errFound
	}
	return nil
}
