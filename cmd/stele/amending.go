package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/report"
	"stele/internal/author/judging/trace"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/suggest"
	"stele/record"
)

// amendFlags are the flags of the commands that edit records.
type amendFlags struct {
	amend.Change
	correction            record.Correction
	update                record.SourceUpdate
	date, typ, effect     string
	set, unset, becauseOf []string
	yes, isReverify       bool
	done                  []string // the records that were changed
	dryRun, quiet         bool
	previous              string
}

func (f *amendFlags) addCommonFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.date, "date", "", "the day of the change (default today)")
	c.Flags().StringVar(&f.previous, "previous", "", "the published release; a version that is not in it keeps its number when it changes")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "dry run: show a diff and write nothing")
	addQuietFlag(c, &f.quiet)
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "change several records without asking")
}

// addVerifiedFlag adds --verified, which says that the record was also compared with its sources,
// and optionally by whom.
func (f *amendFlags) addVerifiedFlag(c *cobra.Command) {
	c.Flags().StringVar(&f.By, "verified", "", "the record was compared with its sources: set verification_date and, with =NAME, verified_by")
	c.Flags().Lookup("verified").NoOptDefVal = nobodyNamed
}

// nobodyNamed is the value of --verified without a name.
const nobodyNamed = " "

func (f *amendFlags) addValueFlags(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.set, "set", nil, "member=value, can be repeated; use dots for nested members (claim_boundary.place=Kenya)")
	c.Flags().StringSliceVar(&f.unset, "unset", nil, "comma-separated members to remove")
}

func (f *amendFlags) addCorrectionFlags(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.Fields, "fields", nil, "comma-separated members that you changed by hand")
	c.Flags().StringVar(&f.correction.Summary, "summary", "", "what was wrong, in a sentence")
	c.Flags().StringVar(&f.correction.ReportedBy, "reported-by", "", "who noticed it")
	f.addVerifiedFlag(c)
}

// closedListText returns the values of the closed list T, separated by commas.
func closedListText[T any]() string { return strings.Join(closedListWords[T](), ", ") }

func closedListWords[T any]() []string {
	return schema.ShapeOf[struct {
		Word T `json:"word"`
	}]().Members[0].Shape.Words()
}

func parseWord[T ~string](flag, word string) (T, error) {
	list := closedListWords[T]()
	if slices.Contains(list, word) {
		return T(word), nil
	}
	if near := suggest.Closest(word, list); near != "" {
		return "", fmt.Errorf("--%s %s is unknown; did you mean %s?", flag, word, near)
	}
	return "", fmt.Errorf("--%s %s is unknown: choose from %s", flag, word, closedListText[T]())
}

// writeCorrection writes a correction of type typ, or of the type that --type names. Each type
// requires other flags.
func (f *amendFlags) writeCorrection(c *cobra.Command, args []string, typ record.CorrectionType) (err error) {
	if f.typ != "" {
		if typ, err = parseWord[record.CorrectionType]("type", f.typ); err != nil {
			return err
		}
	}
	sentence := "what was wrong and what is right"
	switch typ {
	case record.CorrectionRetraction:
		sentence = "why it is no longer valid"
	case record.CorrectionReinstatement:
		sentence = "why it is valid again"
	case record.CorrectionExpressionOfConcern:
		sentence = "what the concern is"
	default:
		if len(f.set)+len(f.unset)+len(f.Fields)+len(f.becauseOf) == 0 {
			return errors.New("name the corrected members: --set member=value writes the right value, --unset member removes a member, --fields member names members that you changed by hand")
		}
	}
	if strings.TrimSpace(f.correction.Summary) == "" {
		return errors.New("explain in a sentence " + sentence + ": --summary \"…\"")
	}
	f.Correction, f.correction.Type, f.Verified = &f.correction, typ, f.By != ""
	for _, id := range f.becauseOf {
		f.correction.BecauseOf = append(f.correction.BecauseOf, record.ID(strings.TrimSpace(id)))
	}
	return f.run(c, args)
}

// writeRevision writes a revision, and the source update if flags describe one.
func (f *amendFlags) writeRevision(c *cobra.Command, args []string) (err error) {
	f.Verified = f.By != "" || f.typ != ""
	if f.typ == "" {
		if f.update != (record.SourceUpdate{}) || f.effect != "" {
			return errors.New("give the type of the source's change: --type " + closedListText[record.UpdateType]())
		}
		return f.run(c, args)
	}
	if strings.TrimSpace(f.update.Summary) == "" {
		return errors.New("explain in a sentence what changed in the source: --summary \"…\"")
	}
	if f.update.Type, err = parseWord[record.UpdateType]("type", f.typ); err != nil {
		return err
	}
	if f.effect == "" {
		if f.effect = string(record.EffectAlreadyReflected); len(f.set)+len(f.unset) > 0 {
			f.effect = string(record.EffectRecordChanged)
		}
	}
	if f.update.Effect, err = parseWord[record.Effect]("effect", f.effect); err != nil {
		return err
	}
	f.Update = &f.update
	return f.run(c, args)
}

// complete sets the members of the change that depend on several flags.
func (f *amendFlags) complete() (err error) {
	if f.Date, err = releaseDate(f.date); err != nil {
		return err
	}
	if f.update.Date == "" {
		f.update.Date = f.Date
	}
	for _, s := range f.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("--set %s is malformed: write member=value", s)
		}
		f.Set = append(f.Set, amend.Setting{Path: strings.TrimSpace(name), Value: value})
	}
	for _, name := range f.unset {
		f.Set = append(f.Set, amend.Setting{Path: strings.TrimSpace(name), Unset: true})
	}
	f.By = strings.TrimSpace(f.By)
	return nil
}

// run plans the change. It writes the change unless --dry-run is given.
func (f *amendFlags) run(c *cobra.Command, args []string) error {
	if err := f.complete(); err != nil {
		return err
	}
	root, err := input.CurrentRoot(args...)
	if err != nil {
		return err
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer folder.Close()
	targets := make([]string, len(args))
	for i, a := range args {
		targets[i] = input.RelativePath(root, a)
	}
	if f.previous != "" {
		if f.Published, err = publishedVersions(c.Context(), f.previous); err != nil {
			return err
		}
	}
	files, err := amend.Plan(folder.FS(), targets, f.Change)
	if err != nil {
		return err
	}
	if f.isReverify {
		if targets, err = f.confirmEach(c, folder.FS(), targets, files); err != nil {
			return err
		}
		if files = nil; len(targets) > 0 {
			if files, err = amend.Plan(folder.FS(), targets, f.Change); err != nil {
				return err
			}
		}
	} else if err := f.confirmTargets(c, targets, files); err != nil {
		return err
	}
	return f.writeFiles(c.OutOrStdout(), root, files)
}

// publishedVersions returns a function that returns the version of a record in the release
// previous.
func publishedVersions(ctx context.Context, previous string) (func(kind, id string) (amend.Published, bool), error) {
	r, closeRelease, err := openRelease(ctx, previous)
	if err != nil {
		return nil, err
	}
	defer closeRelease()
	type key struct{ kind, id string }
	all := map[key]amend.Published{}
	for _, k := range record.Kinds {
		for e, err := range r.Entries(k.Name) {
			if err != nil {
				return nil, err
			}
			all[key{k.Name, e.ID}] = amend.Published{Version: e.Version, SHA256: e.SHA256}
		}
	}
	return func(kind, id string) (amend.Published, bool) {
		p, ok := all[key{kind, id}]
		return p, ok
	}, nil
}

func (f *amendFlags) writeFiles(w io.Writer, root string, files []amend.File) error {
	records, changed, same := 0, 0, 0
	for i := range files {
		records, same = records+len(files[i].IDs), same+files[i].Same
		if !bytes.Equal(files[i].Old, files[i].New) {
			changed++
		}
		if f.dryRun {
			if _, err := w.Write(files[i].Diff()); err != nil {
				return err
			}
		}
	}
	if !f.dryRun {
		if err := amend.Write(root, files); err != nil {
			return err
		}
		f.done = changedIDs(files)
	}
	if f.quiet {
		return nil
	}
	done, rest := "Changed", ""
	if f.dryRun {
		done = "Would change"
	}
	if same > 0 {
		rest = "; " + report.CountOf(same, "is unchanged", "are unchanged")
	}
	if records == 0 {
		fmt.Fprintf(w, "No changes: %s.\n", report.CountOf(same, "record is unchanged", "records are unchanged"))
	} else {
		fmt.Fprintf(w, "%s %s in %s%s.\n", done, report.Count(records, "record"), report.Count(changed, "file"), rest)
	}
	return nil
}

// confirmEach shows each record of the plan, and returns the IDs of those that the user says are
// valid.
func (f *amendFlags) confirmEach(c *cobra.Command, files fs.FS, targets []string, plan []amend.File) ([]string, error) {
	if f.yes || f.dryRun || !canAsk(c) {
		return targets, f.confirmTargets(c, targets, plan)
	}
	known, ids := map[string]record.Record{}, changedIDs(plan)
	for _, id := range ids {
		known[id] = nil
	}
	for r := range trace.ReadRecords(files, func(id string) bool { _, ok := known[id]; return ok }) {
		known[r.ID] = r.Record
	}
	var standing []string
	w, in := c.OutOrStdout(), newAnswers(c.InOrStdin())
	for i, id := range ids {
		fmt.Fprintf(w, "\n%d of %d  ", i+1, len(ids))
		report.WriteSources(w, known[id])
		switch answer, err := in.askLetter(w, "Is it still valid as it is? [y]es, [n]o, [s]kip, [q]uit: ", "ynsq"); {
		case err != nil:
			return nil, err
		case answer == 'y':
			standing = append(standing, id)
		case answer == 'n':
			fmt.Fprintf(w, "Not changed. To correct it: stele correct %[1]s --set …, or stele retract %[1]s\n", id)
		case answer == 'q':
			return standing, nil
		}
	}
	return standing, nil
}

// confirmTargets lets the user confirm a change to several records that one argument matched.
func (f *amendFlags) confirmTargets(c *cobra.Command, targets []string, files []amend.File) error {
	ids := changedIDs(files)
	many := ""
	for _, t := range targets {
		if strings.ContainsAny(t, "*?[/") || t == "records" {
			many = t
		}
	}
	if many == "" || len(ids) < 2 || f.dryRun {
		return nil
	}
	if f.isReverify && f.By == "" {
		return errors.New("name the person who compared the records with their sources: --by NAME")
	}
	if f.yes {
		return nil
	}
	if strings.ContainsAny(many, "*?[") {
		many = "'" + many + "'"
	}
	means := fmt.Sprintf("%s matches %s: %s", many, report.Count(len(ids), "record"), report.FirstOf(ids, 3))
	if !canAsk(c) {
		return errors.New(means + ". Add --yes to change all of them, or --dry-run to see the changes")
	}
	answer, err := newAnswers(c.InOrStdin()).askLetter(c.OutOrStdout(), report.Printable(means)+". Change all of them? [y]es, [n]o: ", "yn")
	if err == nil && answer != 'y' {
		err = errors.New("nothing was changed")
	}
	return err
}

func changedIDs(files []amend.File) (ids []string) {
	for i := range files {
		ids = append(ids, files[i].IDs...)
	}
	return ids
}

// printLosses prints the records that lost their support because others were retracted.
func (f *amendFlags) printLosses(c *cobra.Command) error {
	if len(f.done) == 0 {
		return nil
	}
	t := traceFlags{format: "text", date: f.date}
	root, err := input.CurrentRoot()
	if err != nil {
		return err
	}
	folder, err := t.openFolder([]string{root})
	if err != nil {
		return err
	}
	list, err := folder.RecordsLosingSupport(f.done)
	if err != nil {
		return err
	}
	return trace.WriteLosing(c.OutOrStdout(), list)
}
