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
		Long: `Review lists the records that lost what they rest on, whose sources or supports changed since they
were verified, or that are due (review_after in stele.yaml): those first on which most rests.

With --retractions it compares DOIs and PubMed IDs of sources with a list: a table as Retraction Watch
has it, or an ID on each line. It ends with 1 if that has one which the records do not have, and with
--issues if there is anything to do. See docs/standing.md.`,
		Example: `  stele review
  stele review --format json | jq '.[].records[].id'
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
	c.Flags().BoolVar(&links, "links", false, "with --issues: also find dead links of sources")
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
