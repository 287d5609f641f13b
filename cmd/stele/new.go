package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/base/clock"
	"stele/record"
)

func newCommand() *cobra.Command {
	var draft bool
	c := &cobra.Command{
		Use:   "new kind id [folder]",
		Short: "Create a record from a commented template",
		Long: `New writes a template for a record into the folder of its kind, with a comment above each member. It
overwrites nothing.

The kinds are ` + strings.Join(kindNames(), ", ") + ".",
		Example:           "  stele new signal sig-measles-2026",
		Args:              countArguments(2, 3),
		ValidArgsFunction: completeKind,
		RunE: runInFolder(2, func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return noFolderError(args[2])
			}
			k, err := findKind(args[0])
			if err != nil {
				return err
			}
			dir, err := input.CurrentRoot()
			if err != nil {
				return err
			}
			path, err := starter.New(dir, k, args[1], record.Date(clock.Today()), draft)
			if err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "Wrote "+filepath.Join(dir, path)+". Fill it in; `stele check` lists the missing members.")
			return nil
		}),
	}
	c.Flags().BoolVar(&draft, "draft", false, "create a draft, which no release contains")
	return discardOutput(c)
}

func kindNames() []string {
	names := make([]string, len(record.Kinds))
	for i, k := range record.Kinds {
		names[i] = k.Name
	}
	return names
}

// findKind returns the kind that word names.
func findKind(word string) (*record.Kind, error) {
	k, near := input.FindKind(word)
	switch {
	case k != nil:
		return k, nil
	case near != "":
		return nil, fmt.Errorf("unknown kind %q; did you mean %s?", word, near)
	}
	return nil, fmt.Errorf("unknown kind %q (known: %s)", word, strings.Join(kindNames(), ", "))
}

func completeKind(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return kindNames(), cobra.ShellCompDirectiveNoFileComp
}
