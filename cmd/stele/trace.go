package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"stele/internal/author/check"
	"stele/internal/author/trace"
)

// traceFlags are what trace and review have in common.
type traceFlags struct{ format, date string }

func (f *traceFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "text", "text for people, json for programs")
	c.Flags().StringVar(&f.date, "date", "", "the day for which records are judged (default SOURCE_DATE_EPOCH, else today)")
}

// open reads the folder that the arguments name.
func (f *traceFlags) open(args []string) (*trace.Folder, error) {
	if f.format != "text" && f.format != "json" {
		return nil, fmt.Errorf("unknown format %q: write text or json", f.format)
	}
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

// write writes what was found in the format that was asked for.
func (f *traceFlags) write(w io.Writer, v any, text func(io.Writer) error) error {
	if f.format == "text" {
		return text(w)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func traceCommand() *cobra.Command {
	var f traceFlags
	var retract bool
	c := &cobra.Command{
		Use:   "trace id [folder]",
		Short: "Show what a record rests on, and what rests on it",
		Long: `Trace follows a record down to its sources, with labels, dates and standings, and marks the weakest link; and it lists what rests on the record.
With --retract it shows what its retraction would touch, before anything is written.

docs/standing.md tells what rests on what. Without a folder it looks in the one where you stand.`,
		Example: `  stele trace dec-reminders
  stele trace evd-paper-of-1998 --retract
  stele trace clm-one-dose --format json | jq '.rests_on[].id'`,
		Args: arguments(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := f.open(args[1:])
			if err != nil {
				return err
			}
			t, err := folder.Trace(args[0], retract)
			if err != nil {
				return err
			}
			return f.write(c.OutOrStdout(), t, t.Text)
		},
	}
	c.Flags().BoolVar(&retract, "retract", false, "show what a retraction of the record would touch")
	f.add(c)
	return c
}
