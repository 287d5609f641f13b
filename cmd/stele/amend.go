package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/report"
	"stele/internal/base/schema"
	"stele/internal/base/suggest"
	"stele/record"
)

// amendFlags are the options of the commands that edit records.
type amendFlags struct {
	date, typ, summary, reportedBy string
	fields, set, unset, becauseOf  []string
	by                             string
	yes, isReverify                bool
	done                           []string // the records that were changed
	source, notice, effect, on     string
	dryRun, quiet                  bool
	previous                       string
}

const amendTargets = `
Records are named by ID, by a pattern ('sta-mcv1-*'), or by their file or folder. Comments and order
stay; docs/writing-records.md has what is written where.`

func correctCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "correct id…",
		Short: "Write into a record that it was wrong, and what is right",
		Long: `Correct is for a record that was wrong. It writes the right value, a new version and updated_date, and
an entry in corrections, so that everyone who used the record can see what was wrong.

Give the right value with --set, or change the record by hand and name what you changed with
--fields. Where a record that this one rests on was lost, and it holds all the same, --because-of
names that one.
` + amendTargets,
		Example: `  stele correct sta-mcv1-FRA-2024 --set value=94.5 --summary "Was 95, a rounded figure."
  stele correct clm-one-dose --fields claim,summary --type clarification --summary "Added 'probably'."
  stele correct 'sta-mcv1-*-2024' --set unit_label=percent --summary "The unit was missing." --dry-run`,
		Args: someRecords,
		RunE: func(c *cobra.Command, args []string) error {
			correction, err := f.correction(record.CorrectionCorrection)
			if err != nil {
				return err
			}
			return f.run(c, args, amend.Change{Correction: correction, Verified: f.by != ""})
		},
	}
	f.common(c)
	f.valueFlags(c)
	f.correctionFlags(c)
	c.Flags().StringSliceVar(&f.becauseOf, "because-of", nil, "IDs of lost or changed records that it takes account of, with commas")
	c.Flags().StringVar(&f.typ, "type", string(record.CorrectionCorrection), "how serious it is: "+words[record.CorrectionType](", "))
	return c
}

func retractCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "retract id…",
		Short: "Write into a record that it no longer stands",
		Long: `Retract is for a record that no longer stands. It writes a new version, updated_date, and a correction
of type retraction. The record stays, so that those who cited it can see what became of it.

It ends with the records that lose what they rest on.
` + amendTargets,
		Example: `  stele retract evd-paper-of-1998 --summary "The paper was retracted by its journal."
  stele retract records/signals/2026/week-12.yaml --summary "The week was counted twice." --dry-run`,
		Args: someRecords,
		RunE: func(c *cobra.Command, args []string) error {
			correction, err := f.correction(record.CorrectionRetraction)
			if err != nil {
				return err
			}
			err = f.run(c, args, amend.Change{Correction: correction, Verified: f.by != ""})
			if err != nil || f.quiet {
				return err
			}
			return f.losses(c)
		},
	}
	f.common(c)
	f.correctionFlags(c)
	return c
}

func reviseCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "revise id…",
		Short: "Write into a record that there is something new",
		Long: `Revise is for a record that was right and has something new to say. It writes a new version and
updated_date. If a source changed, --type and --summary add an entry to source_updates, and write
verification_date.

Give new values with --set, or change the record by hand first.
` + amendTargets,
		Example: `  stele revise sig-outbreak --set 'title=Measles in three districts'
  stele revise sta-deaths-2022 --set value=116800 --type data_revision --source src-report-2024 --summary "Estimated anew."
  stele revise records/healthcare-statistics/mcv1 --type new_edition --effect none --summary "A new edition; no figure changed."`,
		Args: someRecords,
		RunE: func(c *cobra.Command, args []string) error {
			update, err := f.update()
			if err != nil {
				return err
			}
			return f.run(c, args, amend.Change{Update: update, Verified: f.by != "" || update != nil})
		},
	}
	f.common(c)
	f.valueFlags(c)
	f.verifiedFlag(c)
	c.Flags().StringVar(&f.typ, "type", "", "how a source changed: "+words[record.UpdateType](", "))
	c.Flags().StringVar(&f.summary, "summary", "", "what changed in the source, in a sentence")
	c.Flags().StringVar(&f.effect, "effect", "", "what that meant for the record: "+words[record.Effect](", ")+" (default record_changed with --set, else already_reflected)")
	c.Flags().StringVar(&f.source, "source", "", "ID of the source object that changed")
	c.Flags().StringVar(&f.notice, "notice", "", "address of the announcement")
	c.Flags().StringVar(&f.on, "source-date", "", "the day on which it changed (default --date)")
	return c
}

func someRecords(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return arguments(1, 1)(c, args)
	}
	return nil
}

func (f *amendFlags) common(c *cobra.Command) {
	c.Flags().StringVar(&f.date, "date", "", "the day of the change (default today)")
	c.Flags().StringVar(&f.previous, "previous", "", "the release that is out: a version that it does not have yet takes in further changes")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show a diff, and write nothing")
	quietFlag(c, &f.quiet)
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "change several records without asking")
}

// verifiedFlag says that a record was compared with its sources too, and perhaps by whom.
func (f *amendFlags) verifiedFlag(c *cobra.Command) {
	c.Flags().StringVar(&f.by, "verified", "", "it was compared with its sources: write verification_date, and with =NAME verified_by")
	c.Flags().Lookup("verified").NoOptDefVal = nobodyNamed
}

// nobodyNamed is --verified without a name.
const nobodyNamed = " "

func (f *amendFlags) valueFlags(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.set, "set", nil, "member=value, several times; dots lead inside (claim_boundary.place=Kenya)")
	c.Flags().StringSliceVar(&f.unset, "unset", nil, "members to take out, with commas")
}

func (f *amendFlags) correctionFlags(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.fields, "fields", nil, "members that you changed by hand, with commas")
	c.Flags().StringVar(&f.summary, "summary", "", "what was wrong, in a sentence")
	c.Flags().StringVar(&f.reportedBy, "reported-by", "", "who noticed it")
	f.verifiedFlag(c)
}

func words[T any](separator string) string {
	return strings.Join(schema.ShapeOf[struct {
		Word T `json:"word"`
	}]().Members[0].Shape.Words(), separator)
}

func oneOf[T ~string](flag, word string) (T, error) {
	list := strings.Split(words[T](" "), " ")
	for _, w := range list {
		if w == word {
			return T(word), nil
		}
	}
	if near := suggest.To(word, list); near != "" {
		return "", fmt.Errorf("--%s %s: did you mean %s?", flag, word, near)
	}
	return "", fmt.Errorf("--%s %s: write one of %s", flag, word, strings.Join(list, ", "))
}

// correction is the one that the flags tell of. What it needs depends on its type.
func (f *amendFlags) correction(typ record.CorrectionType) (*record.Correction, error) {
	if f.typ != "" {
		var err error
		if typ, err = oneOf[record.CorrectionType]("type", f.typ); err != nil {
			return nil, err
		}
	}
	sentence := "what was wrong and what stands there now"
	switch typ {
	case record.CorrectionRetraction:
		sentence = "why it no longer stands"
	case record.CorrectionReinstatement:
		sentence = "why it stands again"
	case record.CorrectionExpressionOfConcern:
		sentence = "what the concern is"
	default:
		if len(f.set)+len(f.unset)+len(f.fields)+len(f.becauseOf) == 0 {
			return nil, errors.New("say what was corrected: --set member=value writes the right value, --unset member takes one out, --fields member names what you changed by hand")
		}
	}
	if strings.TrimSpace(f.summary) == "" {
		return nil, errors.New("say in a sentence " + sentence + ": --summary \"…\"")
	}
	correction := &record.Correction{Type: typ, Summary: f.summary, ReportedBy: f.reportedBy}
	for _, id := range f.becauseOf {
		correction.BecauseOf = append(correction.BecauseOf, record.ID(strings.TrimSpace(id)))
	}
	return correction, nil
}

// update is the source update that the flags tell of; nil for none.
func (f *amendFlags) update() (*record.SourceUpdate, error) {
	if f.typ == "" {
		if f.summary != "" || f.source != "" || f.notice != "" || f.effect != "" || f.on != "" {
			return nil, errors.New("say how the source changed: --type " + words[record.UpdateType](", "))
		}
		return nil, nil
	}
	if strings.TrimSpace(f.summary) == "" {
		return nil, errors.New("say in a sentence what changed in the source: --summary \"…\"")
	}
	u := &record.SourceUpdate{
		SourceID: record.ID(f.source), NoticeURL: record.URL(f.notice), Summary: f.summary,
		Date: record.Date(f.on),
	}
	var err error
	if u.Type, err = oneOf[record.UpdateType]("type", f.typ); err != nil {
		return nil, err
	}
	effect := f.effect
	if effect == "" {
		if effect = string(record.EffectAlreadyReflected); len(f.set)+len(f.unset) > 0 {
			effect = string(record.EffectRecordChanged)
		}
	}
	u.Effect, err = oneOf[record.Effect]("effect", effect)
	return u, err
}

func (f *amendFlags) complete(change *amend.Change) (err error) {
	if change.Date, err = releaseDate(f.date); err != nil {
		return err
	}
	if change.Update != nil && change.Update.Date == "" {
		change.Update.Date = change.Date
	}
	change.Fields = f.fields
	for _, s := range f.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("--set %s: write member=value", s)
		}
		change.Set = append(change.Set, amend.Setting{Path: strings.TrimSpace(name), Value: value})
	}
	for _, name := range f.unset {
		change.Set = append(change.Set, amend.Setting{Path: strings.TrimSpace(name), Unset: true})
	}
	change.By = strings.TrimSpace(f.by)
	return nil
}

// run plans the change and, unless it is only to be shown, writes it.
func (f *amendFlags) run(c *cobra.Command, args []string, change amend.Change) error {
	if err := f.complete(&change); err != nil {
		return err
	}
	root, err := folderHere(args...)
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
		targets[i] = belowRoot(root, a)
	}
	if f.previous != "" {
		if change.Published, err = f.published(c.Context()); err != nil {
			return err
		}
	}
	files, err := amend.Plan(folder.FS(), targets, change)
	if err != nil {
		return err
	}
	if f.isReverify {
		if targets, err = f.askEach(c, folder.FS(), targets, files); err != nil {
			return err
		}
		if files = nil; len(targets) > 0 {
			if files, err = amend.Plan(folder.FS(), targets, change); err != nil {
				return err
			}
		}
	} else if err := f.ask(c, targets, files); err != nil {
		return err
	}
	return f.write(c.OutOrStdout(), root, files)
}

// belowRoot is a path as seen from the folder of records, if the argument is one as seen from here.
func belowRoot(root, arg string) string {
	if strings.ContainsAny(arg, "*?[") {
		return arg
	}
	if _, err := os.Stat(arg); err != nil {
		return arg
	}
	absolute, err1 := filepath.Abs(arg)
	from, err2 := filepath.Abs(root)
	below, err3 := filepath.Rel(from, absolute)
	if errors.Join(err1, err2, err3) != nil {
		return arg
	}
	return filepath.ToSlash(below)
}

func (f *amendFlags) published(ctx context.Context) (func(kind, id string) (amend.Published, bool), error) {
	r, closeRelease, err := openRelease(ctx, f.previous)
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

func (f *amendFlags) write(w io.Writer, root string, files []amend.File) error {
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
		f.done = changedIn(files)
	}
	if f.quiet {
		return nil
	}
	done := "Changed"
	if f.dryRun {
		done = "Would change"
	}
	have := "have"
	if same == 1 {
		have = "has"
	}
	nothing := have + " nothing to change"
	switch {
	case records == 0:
		fmt.Fprintf(w, "Changed nothing: %s %s.\n", report.Count(same, "record"), nothing)
	case same > 0:
		fmt.Fprintf(w, "%s %s in %s; %d %s.\n", done, report.Count(records, "record"), report.Count(changed, "file"), same, nothing)
	default:
		fmt.Fprintf(w, "%s %s in %s.\n", done, report.Count(records, "record"), report.Count(changed, "file"))
	}
	return nil
}
