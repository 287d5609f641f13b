package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/areaimport"
	"stele/internal/author/reading/input"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/disk/durable"
	"stele/record"
)

func areasCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "areas",
		Short: "Convert tables of areas",
		Long: `Areas converts tables of areas that statistics offices publish into the two tables of a scheme. See
docs/areas.md.`,
		Example: "  stele areas import gss ChangeHistory.csv Changes.csv",
		Args:    countArguments(0, 0),
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(areasImportCommand())
	return c
}

func areasImportCommand() *cobra.Command {
	var date string
	c := &cobra.Command{
		Use:   "import scheme file...",
		Short: "Write the two tables of a scheme",
		Long: `Import writes areas/SCHEME.csv and areas/SCHEME-changes.csv from the files of the ONS Code History
Database, Klass, the workbooks of Eurostat that compare two editions of NUTS, or a Census relationship
file. It finds the kinds of changes from codes and days, and lists the changes whose kind a person must
choose. It ignores prose and overwrites nothing.`,
		Example: "  stele areas import gss ChangeHistory.csv Changes.csv",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if message, fix := schema.ShapeOf[record.AreaScheme]().Format.Problem(args[0]); message != "" {
				return fmt.Errorf("%s: %s", message, fix)
			}
			dir, err := input.CurrentRoot()
			if err != nil {
				return err
			}
			r := &areaimport.Result{}
			r.Name = args[0]
			for _, file := range args[1:] {
				if err := r.AddFile(c.Context(), file, date); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
			r.Decide()
			return writeAreas(c, dir, r)
		},
	}
	c.Flags().StringVar(&date, "date", "", "for files without days: the first day of the successors, such as 2022-06-01")
	return c
}

// writeAreas writes the tables, and prints the settings and the questions.
func writeAreas(c *cobra.Command, dir string, r *areaimport.Result) error {
	names := []string{layout.AreaFile(r.Name, ".csv"), layout.AreaFile(r.Name, "-changes.csv")}
	if err := durable.MkdirAll(filepath.Join(dir, layout.AreaFolder)); err != nil {
		return err
	}
	codes, changes := r.CSV()
	files := []durable.File{{Data: codes, Mode: 0o644}, {Data: changes, Mode: 0o644}}
	for i := range files {
		files[i].Path = filepath.Join(dir, filepath.FromSlash(names[i]))
		if _, err := os.Lstat(files[i].Path); !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, error(&fs.PathError{Op: "create", Path: files[i].Path, Err: fs.ErrExist}))
		}
	}
	if _, err := durable.WriteAll(files); err != nil {
		return err
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "Wrote %d codes and %d changes. Add to stele.yaml:\n\nareas:\n  %s: {title: …, codes: %s, changes: %s}\n",
		len(r.Codes), len(r.Changes), r.Name, names[0], names[1])
	if len(r.Questions) > 0 {
		fmt.Fprintf(w, "\nYour answer is needed in %s, for %d of the rows:\n", names[1], len(r.Questions))
		for _, q := range r.Questions {
			fmt.Fprintln(w, "  "+q)
		}
	}
	return nil
}
