package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/report"
	"stele/internal/author/judging/trace"
	"stele/record"
)

func reverifyCommand() *cobra.Command {
	f := amendFlags{isReverify: true}
	c := &cobra.Command{
		Use:   "reverify id…",
		Short: "Write into a record that it was checked again and stands",
		Long: `Reverify is for a record that you compared with its sources again, and that stands. It writes a new
version, verification_date and updated_date, and with --by verified_by.

On a terminal it goes from record to record, shows the sources of each, and asks. Elsewhere several
records need --yes and --by.
` + amendTargets,
		Example: `  stele reverify clm-one-dose
  stele reverify records/evidence --by 'A. Lovelace'`,
		Args: someRecords,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args, amend.Change{Verified: true})
		},
	}
	f.common(c)
	c.Flags().StringVar(&f.by, "by", "", "who compared the record with its sources, for verified_by")
	return c
}

// askEach goes through the records that would be reverified, and returns those that stand.
func (f *amendFlags) askEach(c *cobra.Command, files fs.FS, targets []string, plan []amend.File) ([]string, error) {
	if f.yes || f.dryRun || !canAsk(c) {
		return targets, f.ask(c, targets, plan)
	}
	known := map[string]record.Record{}
	for _, id := range changedIn(plan) {
		known[id] = nil
	}
	for id, rec := range trace.Records(files, func(id string) bool { _, ok := known[id]; return ok }) {
		known[id] = rec
	}
	var standing []string
	w, in := c.OutOrStdout(), newAnswers(c.InOrStdin())
	ids := changedIn(plan)
	for i, id := range ids {
		fmt.Fprintf(w, "\n%d of %d  ", i+1, len(ids))
		showSources(w, known[id])
		switch answer, err := in.one(w, "Does it stand as it is? [y]es, [n]o, [s]kip, [q]uit: ", "ynsq"); {
		case err != nil:
			return nil, err
		case answer == 'y':
			standing = append(standing, id)
		case answer == 'n':
			fmt.Fprintf(w, "Left as it is. Write what is wrong: stele correct %[1]s --set …, or stele retract %[1]s\n", id)
		case answer == 'q':
			return standing, nil
		}
	}
	return standing, nil
}

// showSources shows a record, and what it has to be compared with.
func showSources(w io.Writer, rec record.Record) {
	if rec == nil {
		return
	}
	e := rec.Common()
	line := func(format string, args ...any) { fmt.Fprintln(w, report.Printable(fmt.Sprintf(format, args...))) }
	line("%s  %s", e.ID, e.Title)
	if e.Summary != "" {
		line("  %s", e.Summary)
	}
	if e.VerificationDate != "" {
		line("  verified %s", strings.TrimSpace(string(e.VerificationDate)+" "+e.VerifiedBy))
	}
	for _, l := range e.SourceLinks {
		line("  %s  %s  %s", l.Role, l.URL, l.Locator)
		if l.Quote != nil {
			line("    “%s”", strings.Join(strings.Fields(l.Quote.Text), " "))
		}
	}
}

// ask makes sure that somebody wants to change what one word means.
func (f *amendFlags) ask(c *cobra.Command, targets []string, files []amend.File) error {
	ids := changedIn(files)
	many := ""
	for _, t := range targets {
		if strings.ContainsAny(t, "*?[/") || t == "records" {
			many = t
		}
	}
	if many == "" || len(ids) < 2 || f.dryRun {
		return nil
	}
	if f.isReverify && f.by == "" {
		return errors.New("say who compared them with their sources: --by NAME")
	}
	if f.yes {
		return nil
	}
	if strings.ContainsAny(many, "*?[") {
		many = "'" + many + "'"
	}
	means := fmt.Sprintf("%s means %s: %s", many, report.Count(len(ids), "record"), firstOf(ids))
	if !canAsk(c) {
		return errors.New(means + ". Add --yes to change all of them, or --dry-run to see how")
	}
	answer, err := newAnswers(c.InOrStdin()).one(c.OutOrStdout(), report.Printable(means)+". Change all of them? [y]es, [n]o: ", "yn")
	if err == nil && answer != 'y' {
		err = errors.New("nothing was changed")
	}
	return err
}

func firstOf(ids []string) string {
	const most = 3
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}

func changedIn(files []amend.File) (ids []string) {
	for i := range files {
		ids = append(ids, files[i].IDs...)
	}
	return ids
}

// losses shows which records lost what they rest on, now that others are retracted.
func (f *amendFlags) losses(c *cobra.Command) error {
	if len(f.done) == 0 {
		return nil
	}
	t := traceFlags{format: "text", date: f.date}
	root, err := folderHere()
	if err != nil {
		return err
	}
	folder, err := t.open([]string{root})
	if err != nil {
		return err
	}
	list, err := folder.Losing(f.done)
	if err != nil {
		return err
	}
	return trace.LosingText(c.OutOrStdout(), list)
}
