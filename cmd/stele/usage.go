package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/base/suggest"
)

// arguments makes sure of how many there are, and else says how the command is written.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		return fmt.Errorf("write %s. For example: %s", strings.TrimSuffix(c.UseLine(), " [flags]"), example)
	}
}

// showHelp prints what a command does, then examples, then what else there is to know, and flags.
func showHelp(c *cobra.Command, _ []string) {
	what, more, _ := strings.Cut(c.Long, "\n\n")
	parts, example := []string{what}, c.Example
	if example != "" {
		parts = append(parts, "Examples:\n"+example)
	}
	if more != "" {
		parts = append(parts, more)
	}
	c.Example, c.Flags().Lookup("help").Hidden = "", true // whoever reads this has found it
	fmt.Fprint(c.OutOrStdout(), strings.Join(append(parts, c.UsageString()), "\n\n"))
	c.Example = example
}

// wrongFlag says which flag was probably meant.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.To(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("there is no flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
	}
	return fmt.Errorf("there is no flag --%s; `%s --help` lists them", unknown.GetSpecifiedName(), c.CommandPath())
}
