package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/tables"
	"stele/internal/author/judging/report"
	"stele/internal/author/reading/input"
	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
	"stele/record"
)

// importFlags are the flags of the import command.
type importFlags struct {
	mapFile, date   string
	correct, revise string
	dryRun, quiet   bool
	answers         []string
	options         sheet.Options
	tables.Change
}

func importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import table",
		Short: "Turn a table into records",
		Long: `Import turns a table into files of records: CSV in any dialect, workbooks (.xlsx), JSON, NDJSON.

Without --map it proposes a map, shows how it reads each column, and asks about anything that the file
leaves open; --answer answers a question. With --map it writes values.csv and _defaults.yaml into the
folder of each series. Every row is imported, or ignored by the map and counted, or an error. If there
is an error, nothing is written. See docs/import.md.`,
		Example: `  stele import deaths.xlsx --answer numbers=. > map.yaml
  stele import deaths.xlsx --map map.yaml --dry-run
  stele import deaths-2027.xlsx --map map.yaml --revise "WHO revised its estimates in May 2027."`,
		Args: countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.mapFile, "map", "", "the map: a file, or "+strings.Join(tables.BuiltInMaps(), ", "))
	c.Flags().StringVar(&f.correct, "correct", "", "if the changed figures were wrong: what was wrong, in a sentence")
	c.Flags().StringVar(&f.revise, "revise", "", "changed figures are new: a sentence about the change in the source")
	c.Flags().StringVar(&f.Factor, "factor", "", "factor by which all figures changed because the unit did, such as 1000 or 0.01")
	c.Flags().BoolVar(&f.Corrected, "over-corrections", false, "also change figures that were corrected before")
	c.Flags().BoolVar(&f.KeepGone, "keep-gone", false, "keep records that are no longer in the table")
	c.Flags().StringVar(&f.date, "date", "", "the day of the change (default today)")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "dry run: show the changes and write nothing")
	addQuietFlag(c, &f.quiet)
	c.Flags().StringVar(&f.options.Sheet, "sheet", "", "without --map: the sheet of a workbook")
	c.Flags().StringVar(&f.options.Path, "path", "", "without --map: path of the rows in a JSON file, such as data.rows")
	c.Flags().StringArrayVar(&f.answers, "answer", nil, "answer to a question, as ID=VALUE; can be repeated")
	c.MarkFlagsMutuallyExclusive("correct", "revise")
	return c
}

func (f *importFlags) run(c *cobra.Command, name string) error {
	if f.mapFile == "" {
		return f.proposeMap(c, name)
	}
	if err := f.complete(); err != nil {
		return err
	}
	files, root, err := input.Open(".")
	if err != nil {
		return err
	}
	schemes, err := input.FolderAreas(files)
	if err != nil {
		return err
	}
	result, err := f.convert(c.Context(), name, schemes)
	if err != nil {
		return err
	}
	plan, err := result.Compare(files, f.Change)
	if plan != nil && (!f.quiet || err != nil) {
		showPlan(c.OutOrStdout(), plan, f.dryRun)
		fmt.Fprintln(c.OutOrStdout(), importSummary(result))
	}
	if err != nil || f.dryRun {
		return err
	}
	if err := plan.Write(root); err != nil || f.quiet {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), "Now run `stele check`.")
	return nil
}

// proposeMap prints a map for a table, and the questions that only a person can answer. At a
// terminal it prints only the questions; otherwise it prints them on standard error.
func (f *importFlags) proposeMap(c *cobra.Command, name string) error {
	open := func(o sheet.Options) (*sheet.Table, error) { return sheet.Open(c.Context(), name, o) }
	answers, err := tables.ParseAnswers(f.answers)
	if err != nil {
		return err
	}
	var schemes []*areas.Scheme
	if root, err := input.FindRoot("."); err == nil {
		if schemes, err = input.FolderAreas(os.DirFS(root)); err != nil {
			return err
		}
	}
	p, err := tables.Propose(open, filepath.Base(name), f.options, schemes, answers)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out, to := c.OutOrStdout(), c.ErrOrStderr()
	alone := isTerminal(out)
	if alone {
		to = out
	}
	if !f.quiet && len(p.Questions) > 0 {
		fmt.Fprintf(to, "%s: %s\n", report.Printable(name), report.Count(len(p.Questions), "question"))
		for _, q := range p.Questions {
			fmt.Fprintf(to, "  - %s\n", printableLines(q.String()))
		}
	}
	if !f.quiet {
		showReadings(to, p.Readings)
	}
	if alone {
		_, err = fmt.Fprintf(out, "`stele import %s > map.yaml` writes the map with these questions. Answer them in the map, then add --map map.yaml.\n", report.Printable(name))
		return err
	}
	_, err = io.WriteString(out, p.Map)
	return err
}

// showReadings prints how each column is read, and which cell decided that.
func showReadings(w io.Writer, readings []tables.Reading) {
	wide := 0
	for _, r := range readings {
		wide = max(wide, len([]rune(r.Column)))
	}
	for _, r := range readings {
		text := fmt.Sprintf("  %-*s  %s", min(wide, 40), r.Column, r.Words())
		if why := r.Why.String(); why != "" {
			text += ", " + why
		}
		fmt.Fprintln(w, report.Printable(text))
	}
}

// printableLines returns text without characters that control a terminal, except line breaks.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	return strings.Join(lines, "\n")
}

func (f *importFlags) convert(ctx context.Context, name string, schemes []*areas.Scheme) (*tables.Result, error) {
	m, err := tables.OpenMap(f.mapFile)
	if err != nil {
		return nil, err
	}
	m.Schemes = schemes
	result, err := m.Read(ctx, name)
	if faults, are := errors.AsType[tables.Faults](err); are {
		return nil, fmt.Errorf("%s: nothing was written, because of %s:\n  %s", name, report.Count(len(faults), "fault"), strings.ReplaceAll(faults.Error(), "\n", "\n  "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

// complete sets the members of the change that depend on several flags.
func (f *importFlags) complete() (err error) {
	if f.Date, err = releaseDate(f.date); err != nil {
		return err
	}
	answers, err := tables.ParseAnswers(f.answers)
	if err != nil {
		return err
	}
	f.Moved = answers["moved"] == "yes"
	if f.correct != "" {
		f.Correction = &record.Correction{Type: record.CorrectionCorrection, Summary: f.correct}
	}
	if f.revise != "" {
		f.Update = &record.SourceUpdate{
			Type: record.UpdateDataRevision, Date: f.Date, Summary: f.revise, Effect: record.EffectRecordChanged,
		}
	}
	return nil
}

const mostShown = 20

func showPlan(w io.Writer, p *tables.Plan, dry bool) {
	line := func(format string, args ...any) { fmt.Fprintln(w, " ", report.Printable(fmt.Sprintf(format, args...))) }
	for _, u := range p.Updates {
		fmt.Fprintf(w, "%s: %s", u.Path, report.Count(len(u.Rows), "record"))
		if u.Old {
			fmt.Fprintf(w, " (%d new, %d unchanged, %d different, %d missing)", len(u.Added), u.Same, u.Differ, len(u.Vanished))
		}
		fmt.Fprintln(w)
		for _, c := range u.Changed[:min(len(u.Changed), mostShown)] {
			was, is := cmp.Or(c.Old, "missing"), cmp.Or(c.New, "missing")
			line("%s: %s was %s, now %s%s", c.About, c.Member, was, is, c.Note())
		}
		if more := len(u.Changed) - mostShown; more > 0 {
			line("and %d more", more)
		}
		for _, gone := range u.Vanished[:min(len(u.Vanished), mostShown)] {
			line("%s: no longer in the table", gone)
		}
		if more := len(u.Vanished) - mostShown; more > 0 {
			line("and %d more are missing", more)
		}
		if dry {
			for _, row := range u.FirstLines(3) {
				line("%s", row)
			}
		}
	}
}

// importSummary returns a summary of how each row and cell of the table was handled.
func importSummary(r *tables.Result) string {
	s := report.Count(r.Figures, "record")
	rows, reasons := 0, []string{}
	for _, why := range slices.Sorted(maps.Keys(r.Ignored)) {
		rows += r.Ignored[why]
		reasons = append(reasons, fmt.Sprintf("%d %s", r.Ignored[why], report.Printable(why)))
	}
	s += fmt.Sprintf(" from the table, %s ignored", report.Count(rows, "row"))
	if rows > 0 {
		s += ": " + strings.Join(reasons, ", ")
	}
	if r.Missing > 0 {
		s += fmt.Sprintf("; %s without a value", report.Count(r.Missing, "cell"))
	}
	if r.Omitted > 0 {
		s += fmt.Sprintf("; %s omitted because of their marks", report.Count(r.Omitted, "figure"))
	}
	for _, member := range slices.Sorted(maps.Keys(r.Without)) {
		s += fmt.Sprintf("; %d cells empty for %s", r.Without[member], member)
	}
	return s + fmt.Sprintf(".\nRows: %d read = %d imported + %d ignored. Cells with text: %d = %d with figures + %d that describe the figures + %d not imported.",
		r.Rows, r.Written, rows, r.Cells, r.Measured, r.About, r.Skipped)
}
