package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/author/explain"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [code]",
		Short: "Explain a finding",
		Long: `Explain shows what a code means, why it matters and what to do, with a bad and a good example.
Without a code it lists all codes.`,
		Example: "  stele explain REF01",
		Args:    arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codeNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(c)
			}
			code := codes.Code(strings.ToUpper(args[0]))
			if code.Info().Code == "" {
				err := fmt.Errorf("there is no code %q; `stele explain` lists them", args[0])
				if near := suggest.To(string(code), codeNames()); near != "" {
					err = fmt.Errorf("there is no code %q; did you mean %s?", args[0], near)
				}
				return err
			}
			text, err := explain.Text(code, colorful(c.OutOrStdout()))
			if err != nil {
				return err
			}
			fmt.Fprint(c.OutOrStdout(), text)
			return nil
		},
	}
}

func codeNames() []string {
	list := make([]string, len(codes.Table))
	for i, info := range codes.Table {
		list[i] = string(info.Code)
	}
	return list
}

func listCodes(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, info := range codes.Table {
		fmt.Fprintf(w, "%s\t%s\t%s\n", info.Code, info.Severity, info.Title)
	}
	return w.Flush()
}
