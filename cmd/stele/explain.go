package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/explain"
	"stele/internal/base/suggest"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [code]",
		Short: "Explain a problem code",
		Long: `Explain says what a problem code of check or audit means, why it matters and what to do, with a bad
and a good example. Without a code it lists all codes.`,
		Example: "  stele explain REF01\n  stele explain HTTP-304",
		Args:    countArguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explain.Codes(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return explain.List(c.OutOrStdout())
			}
			code := strings.ToUpper(args[0])
			if !slices.Contains(explain.Codes(), code) {
				near := cmp.Or(suggest.DidYouMean(code, explain.Codes()), "; `stele explain` lists all codes")
				return fmt.Errorf("unknown code %q%s", args[0], near)
			}
			text, err := explain.Text(code, useColor(c.OutOrStdout()))
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
}
