package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/report"
	"stele/internal/author/judging/trace"
	"stele/internal/base/schema"
)

type traceFlags struct{ format, date string }

func (f *traceFlags) addFlags(c *cobra.Command) {
	addWordFlag(c, &f.format, "format", "text or json", "text", "json")
	c.Flags().StringVar(&f.date, "date", "", "the day for which standings are computed (default today)")
}

func (f *traceFlags) openFolder(args []string) (*trace.Folder, error) {
	day, err := releaseDate(f.date)
	if err != nil {
		return nil, err
	}
	files, _, err := openFolder(args)
	if err != nil {
		return nil, err
	}
	return trace.Open(files, check.Options{Date: day})
}

// printUnread prints to standard error which files could not be read, so that nobody mistakes
// incomplete results for complete results.
func printUnread(c *cobra.Command, problems []schema.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	const most = 10
	for _, p := range problems[:min(len(problems), most)] {
		fmt.Fprintln(c.ErrOrStderr(), report.Printable(p.Position()+": "+string(p.Code)+": "+p.Message))
	}
	fmt.Fprintln(c.ErrOrStderr(), "The results may be incomplete, because some files could not be read: see stele check.")
	return errFound
}

// writeResult prints v in the requested format, and the files that could not be read.
func (f *traceFlags) writeResult(
	c *cobra.Command, v any, text func(io.Writer) error, missing []schema.Problem,
) (err error) {
	if f.format == "text" {
		err = text(c.OutOrStdout())
	} else {
		err = report.WriteJSON(c.OutOrStdout(), v)
	}
	if err != nil {
		return err
	}
	return printUnread(c, missing)
}

func traceCommand() *cobra.Command {
	var f traceFlags
	var retract bool
	c := &cobra.Command{
		Use:   "trace id [folder]",
		Short: "Show the records that a record rests on, and those that rest on it",
		Long: `Trace follows a record to its sources, with labels, dates and standings, marks the weakest link, and
lists the records that rest on it. See docs/standing.md.`,
		Example: `  stele trace dec-reminders
  stele trace evd-paper-of-1998 --retract`,
		Args: countArguments(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := f.openFolder(args[1:])
			if err != nil {
				return err
			}
			t, err := folder.Trace(args[0], retract)
			if err != nil {
				_ = printUnread(c, folder.HidingProblems()) // the record may be in one of them
				return err
			}
			return f.writeResult(c, t, t.WriteText, folder.HidingProblems())
		},
	}
	c.Flags().BoolVar(&retract, "retract", false, "show the effects of retracting the record")
	f.addFlags(c)
	return c
}

func reviewCommand() *cobra.Command {
	var f traceFlags
	var retractions string
	c := &cobra.Command{
		Use:   "review [folder]",
		Short: "List the records that need another check",
		Long: `Review lists records that lost their support, whose sources or supports changed since they were
verified, or that are due (review_after in stele.yaml). Records that most others rest on come first.

With --retractions it compares DOIs and PubMed IDs of sources with a list: a Retraction Watch table,
or one ID per line. The exit code is 1 if a retraction is not in the records yet. See
docs/standing.md.`,
		Example: `  stele review
  stele review --format json | jq '.[].records[].id'
  stele review --retractions retraction_watch.csv`,
		Args: countArguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if retractions != "" {
				return f.printRetractions(c, args, retractions)
			}
			return f.printReview(c, args)
		},
	}
	c.Flags().StringVar(&retractions, "retractions", "", "a list of retracted papers")
	f.addFlags(c)
	return c
}

func (f *traceFlags) printReview(c *cobra.Command, args []string) error {
	folder, err := f.openFolder(args)
	if err != nil {
		return err
	}
	causes, err := folder.Review()
	if err != nil {
		return err
	}
	text := func(w io.Writer) error { return trace.WriteReview(w, causes) }
	return f.writeResult(c, causes, text, folder.HidingProblems())
}

func (f *traceFlags) printRetractions(c *cobra.Command, args []string, path string) error {
	files, _, err := openFolder(args)
	if err != nil {
		return err
	}
	list, err := os.Open(path)
	if err != nil {
		return err
	}
	defer list.Close()
	compared, err := trace.CompareRetractions(files, list)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = f.writeResult(c, compared, compared.WriteText, compared.Unread)
	if err == nil && compared.HasUnreported() {
		err = errFound
	}
	return err
}
