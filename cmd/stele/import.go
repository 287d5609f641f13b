package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/input/tables"
	"stele/internal/author/report"
	"stele/internal/base/sheet"
	"stele/record"
)

// importFlags are the options of the command that reads tables.
type importFlags struct {
	mapFile, date   string
	correct, revise string
	keepGone        bool
	dryRun          bool
	options         sheet.Options
}

func importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import table",
		Short: "Turn a table into records",
		Long: `Import turns a table into files of records: CSV of any make, workbooks of Excel (.xlsx) and LibreOffice (.ods), JSON and NDJSON.

Without --map it looks at the table and prints a map: which columns hold what, and what their words and numbers mean. Save it, correct it, and give it with
--map. Then import writes values.csv into the folder of each series, and _defaults.yaml beside it where there is none, with what is left to fill in.

The digits of a number stay as they are. A cell that cannot be taken is an error that names its line and column, and then nothing is written.

If a later table has other figures for records that are there, import shows old and new and writes nothing, unless --correct or --revise explains them in a
sentence. IDs, versions and corrections stay. Records that the table no longer has are listed too.`,
		Example: `  stele import deaths.xlsx > map.yaml
  stele import deaths.xlsx --map map.yaml --dry-run
  stele import deaths-2027.xlsx --map map.yaml --revise "WHO revised its estimates in May 2027."`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.mapFile, "map", "", "the map: a file, or one that comes with Stele: "+strings.Join(tables.Ready(), ", "))
	c.Flags().StringVar(&f.correct, "correct", "", "figures that differ were wrong in the records: what was wrong, in a sentence")
	c.Flags().StringVar(&f.revise, "revise", "", "figures that differ are new in the source: what changed, in a sentence")
	c.Flags().BoolVar(&f.keepGone, "keep-gone", false, "leave records as they are that the table no longer has")
	c.Flags().StringVar(&f.date, "date", "", "the day of the change (default today)")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be written, and write nothing")
	c.Flags().StringVar(&f.options.Sheet, "sheet", "", "without --map: the sheet of a workbook")
	c.Flags().StringVar(&f.options.Path, "path", "", "without --map: where the rows are in a JSON file, such as value or data.rows")
	c.MarkFlagsMutuallyExclusive("correct", "revise")
	return c
}

func (f *importFlags) run(c *cobra.Command, name string) error {
	if f.mapFile == "" {
		return f.propose(c, name)
	}
	change, err := f.change()
	if err != nil {
		return err
	}
	result, err := f.convert(c.Context(), name)
	if err != nil {
		return err
	}
	files, root, err := openRecords(".")
	if err != nil {
		return err
	}
	plan, err := result.Plan(files, change)
	if plan != nil {
		showPlan(c.OutOrStdout(), plan, f.dryRun)
	}
	if err != nil || f.dryRun {
		return err
	}
	if err := plan.Write(root); err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), "Now run `stele check`.")
	return nil
}

// propose prints a map for a table.
func (f *importFlags) propose(c *cobra.Command, name string) error {
	t, err := sheet.Open(c.Context(), name, f.options)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	proposed, err := tables.Propose(t, filepath.Base(name), f.options)
	if err := errors.Join(err, t.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = io.WriteString(c.OutOrStdout(), proposed)
	return err
}

func (f *importFlags) convert(ctx context.Context, name string) (result *tables.Result, err error) {
	m, err := tables.OpenMap(f.mapFile)
	if err != nil {
		return nil, err
	}
	t, err := sheet.Open(ctx, name, m.Options())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result, err = m.Convert(t)
	err = errors.Join(err, t.Close())
	var faults tables.Faults
	if errors.As(err, &faults) {
		return nil, fmt.Errorf("%s: nothing was written, because of %s:\n  %s", name, report.Count(len(faults), "fault"), strings.ReplaceAll(faults.Error(), "\n", "\n  "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

// change is what the flags say of figures that differ.
func (f *importFlags) change() (change tables.Change, err error) {
	if change.Date, err = releaseDate(f.date); err != nil {
		return change, err
	}
	change.KeepGone = f.keepGone
	if f.correct != "" {
		change.Correction = &record.Correction{Type: record.CorrectionCorrection, Summary: f.correct}
	}
	if f.revise != "" {
		change.Update = &record.SourceUpdate{
			Type: record.UpdateDataRevision, Date: change.Date, Summary: f.revise, Effect: record.EffectRecordChanged,
		}
	}
	return change, nil
}

// shown is how many rows of a sort are shown.
const shown = 20

// showPlan lists what an import writes.
func showPlan(w io.Writer, p *tables.Plan, dry bool) {
	for _, u := range p.Updates {
		fmt.Fprintf(w, "%s: %s", u.Path, report.Count(len(u.Rows), "value"))
		if u.Old != nil {
			fmt.Fprintf(w, " (%d new, %d as before, %d different, %d gone)", u.Added, u.Same, len(u.Changed), len(u.Vanished))
		}
		fmt.Fprintln(w)
		for i, c := range u.Changed {
			if i == shown {
				fmt.Fprintf(w, "  and %d more\n", len(u.Changed)-shown)
				break
			}
			fmt.Fprintf(w, "  %s: %s was %s and is %s%s\n", report.Printable(c.About), c.Member, orNothing(c.Old), orNothing(c.New), c.Jump())
		}
		for i, gone := range u.Vanished {
			if i == shown {
				fmt.Fprintf(w, "  and %d more are gone\n", len(u.Vanished)-shown)
				break
			}
			fmt.Fprintf(w, "  %s: the table no longer has it\n", report.Printable(gone.About))
		}
		if dry {
			showFirst(w, u)
		}
	}
}

func orNothing(text string) string {
	if text == "" {
		return "not there"
	}
	return report.Printable(text)
}

// showFirst shows the first records of a file.
func showFirst(w io.Writer, u *tables.Update) {
	fmt.Fprintln(w, "  "+report.Printable(strings.Join(u.Header, ",")))
	for _, row := range u.Rows[:min(3, len(u.Rows))] {
		fmt.Fprintln(w, "  "+report.Printable(strings.Join(row, ",")))
	}
}
