package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/build/restore"
	"stele/release"
)

func showCommand() *cobra.Command {
	var asOf string
	var version int64
	var history bool
	c := &cobra.Command{
		Use:   "show ID release",
		Short: "Show a record as a release has it, or as it stood on a day",
		Long:  `Show prints the JSON of a record as a release has it, as it stood on a day, or one of its versions.`,
		Example: `  stele show sig-a public
  stele show sig-a public --as-of 2026-03-01
  stele show sig-a release.zip --history`,
		Args: arguments(2, 2),
		RunE: interruptible(func(c *cobra.Command, args []string) error {
			if asOf != "" && c.Flags().Changed("version") {
				return errors.New("--as-of and --version both say which version: give one of them")
			}
			ctx := c.Context()
			r, closeRelease, err := openRelease(ctx, args[1])
			if err != nil {
				return err
			}
			defer closeRelease()
			h, err := r.History(args[0])
			if err != nil {
				return err
			}
			if history {
				return showHistory(c.OutOrStdout(), h)
			}
			line, err := restore.Version(h, asOf, version)
			if errors.Is(err, restore.ErrRedacted) { // which is an answer
				fmt.Fprintln(c.ErrOrStderr(), report.Printable(err.Error()))
				return nil
			}
			if err != nil {
				return err
			}
			return showRecord(c.OutOrStdout(), line)
		}),
	}
	c.Flags().StringVar(&asOf, "as-of", "", "the day, YYYY-MM-DD")
	c.Flags().Int64Var(&version, "version", 0, "the version (default the newest)")
	c.Flags().BoolVar(&history, "history", false, "list all versions instead")
	return c
}

func showRecord(w io.Writer, line []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return err
	}
	text := b.String()
	if isTerminal(w) {
		text = report.EscapeJSON(text)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func showHistory(w io.Writer, h *release.RecordHistory) error {
	fmt.Fprintf(w, "%s, %s\n", h.ID, h.Kind)
	for v, err := range h.Earlier() {
		if err != nil {
			return err
		}
		digest := v.SHA256.String()
		if v.Redacted != "" {
			digest = report.Printable("redacted on " + v.Redacted + ": " + v.Reason)
		}
		fmt.Fprintf(w, "  version %d  since %s, release %s  %s\n", v.Number, v.Date, v.Release, digest)
		for _, m := range h.Changes {
			if m.Before != nil && *m.Before == v.SHA256 && (m.After == nil || *m.After != v.SHA256) {
				fmt.Fprintf(w, "    %s %s%s\n", m.Change, m.Date, report.Printable(restore.Because(m.Summary)))
			}
		}
	}
	if h.Current != nil {
		fmt.Fprintf(w, "  version %d  the newest  %s\n", h.Current.Version, h.Current.SHA256)
	}
	return nil
}
