package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
)

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [folder]",
		Short: "Make a folder of records to start with",
		Long: `Init makes a folder with stele.yaml, a commented example of each kind of record, schemas for editors,
and workflows that check the records and can publish them. It overwrites nothing.`,
		Example: "  stele init measles",
		Args:    arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := append(args, ".")[0]
			if err := beginsAlone(dir, len(args) > 0); err != nil {
				return err
			}
			if err := starter.Init(dir); err != nil {
				return err
			}
			enter := ""
			if dir != "." {
				enter = "       cd " + dir + "\n"
			}
			fmt.Fprintf(c.OutOrStdout(), `Made a folder of records in %s
  stele.yaml        who publishes, and where
  records/          a folder for each kind, with one small example
  .stele/           schemas, by which editors complete and check the YAML
  .github/          workflows that check the records, comment on changes, and can publish them
Next:
%s       stele check             find what is wrong
       stele new signal ID     begin a record of your own
`, dir, enter)
			return nil
		},
	}
}

// beginsAlone refuses a place inside a folder of records, and the folder where one stands if it has
// more than what a repository begins with.
func beginsAlone(dir string, named bool) error {
	around, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for around = filepath.Dir(around); ; around = filepath.Dir(around) {
		if isThere(around, input.SettingsFile) {
			return fmt.Errorf("%s would lie inside a folder of records, %s: go elsewhere, or begin a record with stele new", dir, around)
		}
		if around == filepath.Dir(around) {
			break
		}
	}
	if named {
		return nil
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "readme") && !strings.HasPrefix(name, "license") {
			return fmt.Errorf("there is something in this folder already, such as %s: name a new one, as in stele init measles", e.Name())
		}
	}
	return err
}
