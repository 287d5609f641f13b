package main

import (
	"math"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/record"
)

const amendTargets = `
Records are named by ID, by a pattern ('sta-mcv1-*'), or by their file or folder. Comments and order
stay; docs/writing-records.md has what is written where.`

func correctCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "correct id… [folder]",
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
		Args: arguments(1, math.MaxInt),
		RunE: inFolder(1, func(c *cobra.Command, args []string) error {
			return f.correct(c, args, record.CorrectionCorrection)
		}),
	}
	f.common(c)
	f.valueFlags(c)
	f.correctionFlags(c)
	c.Flags().StringSliceVar(&f.becauseOf, "because-of", nil, "IDs of lost or changed records that it takes account of, with commas")
	c.Flags().StringVar(&f.typ, "type", string(record.CorrectionCorrection), "how serious it is: "+listed[record.CorrectionType]())
	return c
}

func retractCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "retract id… [folder]",
		Short: "Write into a record that it no longer stands",
		Long: `Retract is for a record that no longer stands. It writes a new version, updated_date, and a correction
of type retraction. The record stays, so that those who cited it can see what became of it.

It ends with the records that lose what they rest on.
` + amendTargets,
		Example: `  stele retract evd-paper-of-1998 --summary "The paper was retracted by its journal."
  stele retract records/signals/2026/week-12.yaml --summary "The week was counted twice." --dry-run`,
		Args: arguments(1, math.MaxInt),
		RunE: inFolder(1, func(c *cobra.Command, args []string) error {
			if err := f.correct(c, args, record.CorrectionRetraction); err != nil || f.quiet {
				return err
			}
			return f.losses(c)
		}),
	}
	f.common(c)
	f.correctionFlags(c)
	return c
}

func reviseCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "revise id… [folder]",
		Short: "Write into a record that there is something new",
		Long: `Revise is for a record that was right and has something new to say. It writes a new version and
updated_date. If a source changed, --type and --summary add an entry to source_updates, and write
verification_date.

Give new values with --set, or change the record by hand first.
` + amendTargets,
		Example: `  stele revise sig-outbreak --set 'title=Measles in three districts'
  stele revise sta-deaths-2022 --set value=116800 --type data_revision --source src-report-2024 --summary "Estimated anew."
  stele revise records/healthcare-statistics/mcv1 --type new_edition --effect none --summary "A new edition; no figure changed."`,
		Args: arguments(1, math.MaxInt),
		RunE: inFolder(1, f.revise),
	}
	f.common(c)
	f.valueFlags(c)
	f.verifiedFlag(c)
	c.Flags().StringVar(&f.typ, "type", "", "how a source changed: "+listed[record.UpdateType]())
	c.Flags().StringVar(&f.update.Summary, "summary", "", "what changed in the source, in a sentence")
	c.Flags().StringVar(&f.effect, "effect", "", "what that meant for the record: "+listed[record.Effect]()+" (default record_changed with --set, else already_reflected)")
	c.Flags().StringVar((*string)(&f.update.SourceID), "source", "", "ID of the source object that changed")
	c.Flags().StringVar((*string)(&f.update.NoticeURL), "notice", "", "address of the announcement")
	c.Flags().StringVar((*string)(&f.update.Date), "source-date", "", "the day on which it changed (default --date)")
	return c
}

func reverifyCommand() *cobra.Command {
	f := amendFlags{isReverify: true, Change: amend.Change{Verified: true}}
	c := &cobra.Command{
		Use:   "reverify id… [folder]",
		Short: "Write into a record that it was checked again and stands",
		Long: `Reverify is for a record that you compared with its sources again, and that stands. It writes a new
version, verification_date and updated_date, and with --by verified_by.

On a terminal it goes from record to record, shows the sources of each, and asks. Elsewhere several
records need --yes and --by.
` + amendTargets,
		Example: `  stele reverify clm-one-dose
  stele reverify records/evidence --by 'A. Lovelace'`,
		Args: arguments(1, math.MaxInt),
		RunE: inFolder(1, f.run),
	}
	f.common(c)
	c.Flags().StringVar(&f.By, "by", "", "who compared the record with its sources, for verified_by")
	return c
}
