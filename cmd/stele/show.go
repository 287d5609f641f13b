package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/compile/restore"
)

func showCommand() *cobra.Command {
	var asOf string
	var version int64
	var history bool
	c := &cobra.Command{
		Use:   "show ID release",
		Short: "Show a record of a release, as it is or was on a past day",
		Long:  `Show prints the JSON of a record in a release: the latest version, another version, or the version of a day.`,
		Example: `  stele show sig-a public
  stele show sig-a public --as-of 2026-03-01
  stele show sig-a release.zip --history`,
		Args: countArguments(2, 2),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error {
			if asOf != "" && c.Flags().Changed("version") {
				return errors.New("--as-of and --version both select a version: remove one of them")
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
				return report.WriteHistory(c.OutOrStdout(), h)
			}
			line, err := restore.Version(h, asOf, version)
			if errors.Is(err, restore.ErrRedacted) { // the answer to the question
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
	c.Flags().Int64Var(&version, "version", 0, "the version (default the latest)")
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
