package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/starter"
)

func initCommand() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "init [folder]",
		Short: "Create a records folder with examples",
		Long: `Init creates a folder with stele.yaml, a commented example of each kind of record, schemas for editors,
and workflows that check the records and can publish them. It overwrites nothing.

You cannot publish with the address of the example. Give the address at which readers will find the
releases with --address, or --address none if you do not know it yet.`,
		Example: `  stele init measles
  stele init measles --address https://measles.health.example`,
		Args: countArguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := append(args, ".")[0]
			if err := starter.CheckNewFolder(dir, len(args) > 0); err != nil {
				return err
			}
			if err := initAt(dir, address); err != nil {
				return err
			}
			enter := ""
			if dir != "." {
				enter = "       cd " + dir + "\n"
			}
			fmt.Fprintf(c.OutOrStdout(), `Created a folder of records in %s
  stele.yaml        who publishes, and where
  records/          a folder for each kind, with one small example
  .stele/           schemas, with which editors complete and check the YAML
  .github/          workflows that check the records, comment on changes, and can publish them
Next:
%s       stele check             find problems
       stele new signal ID     create your own record
`, dir, enter)
			return nil
		},
	}
	c.Flags().StringVar(&address, "address", "", "address at which readers will find the releases, or none if you do not know it yet")
	return discardOutput(c)
}

// initAt creates the folder dir with the given address, none for "none", or the example's for "".
func initAt(dir, address string) error {
	switch address {
	case "":
		return starter.Init(dir)
	case "none":
		address = ""
	}
	return starter.InitAt(dir, address)
}
