package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/explain"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
	"stele/internal/trust/audit"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [code]",
		Short: "Explain a finding",
		Long: `Explain shows what a code of check or audit means, why it matters and what to do, with a bad and
a good example. Without a code it lists all.`,
		Example: "  stele explain REF01\n  stele explain HTTP-304",
		Args:    arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codeNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(c)
			}
			code := codes.Code(strings.ToUpper(args[0]))
			if check, ok := audit.Find(string(code)); ok {
				fmt.Fprint(c.OutOrStdout(), explain.Check(check, colorful(c.OutOrStdout())))
				return nil
			}
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
	var list []string
	for _, info := range codes.Table {
		list = append(list, string(info.Code))
	}
	for _, check := range audit.Checks {
		list = append(list, check.ID)
	}
	return list
}

func listCodes(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, info := range codes.Table {
		fmt.Fprintf(w, "%s\t%s\t%s\n", info.Code, info.Severity, info.Title)
	}
	for _, check := range audit.Checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", check.ID, check.Level, check.Title)
	}
	return w.Flush()
}
