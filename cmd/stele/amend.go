package main

import (
	"math"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/record"
)

const amendTargets = `
Name records by ID, pattern ('sta-mcv1-*'), file or folder. See docs/writing-records.md.`

func correctCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "correct id… [folder]",
		Short: "Correct a record that was wrong",
		Long: `Correct writes the right value, a new version and updated_date into a record that was wrong, and adds
an entry to its corrections, which tells readers what was wrong.

Give the right value with --set. Or change the record by hand, and name the members you changed with
--fields. If the record is still valid although a record that it rests on was lost, name the lost
record with --because-of.
` + amendTargets,
		Example: `  stele correct sta-mcv1-FRA-2024 --set value=94.5 --summary "Was 95, a rounded figure."
  stele correct clm-one-dose --fields claim,summary --type clarification --summary "Added 'probably'."
  stele correct 'sta-mcv1-*-2024' --set unit_label=percent --summary "The unit was missing." --dry-run`,
		Args: countArguments(1, math.MaxInt),
		RunE: runInFolder(1, func(c *cobra.Command, args []string) error {
			return f.writeCorrection(c, args, record.CorrectionCorrection)
		}),
	}
	f.addCommonFlags(c)
	f.addValueFlags(c)
	f.addCorrectionFlags(c)
	c.Flags().StringSliceVar(&f.becauseOf, "because-of", nil, "comma-separated IDs of lost or changed records that the correction takes into account")
	c.Flags().StringVar(&f.typ, "type", string(record.CorrectionCorrection), "type of the correction: "+closedListText[record.CorrectionType]())
	return c
}

func retractCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "retract id… [folder]",
		Short: "Retract a record that is no longer valid",
		Long: `Retract writes a new version, updated_date, and a correction of type retraction into a record that is
no longer valid. The record stays in the folder, so that people who cited it can see the retraction.

Finally it lists the records that lose their support.
` + amendTargets,
		Example: `  stele retract evd-paper-of-1998 --summary "The paper was retracted by its journal."
  stele retract records/signals/2026/week-12.yaml --summary "The week was counted twice." --dry-run`,
		Args: countArguments(1, math.MaxInt),
		RunE: runInFolder(1, func(c *cobra.Command, args []string) error {
			if err := f.writeCorrection(c, args, record.CorrectionRetraction); err != nil || f.quiet {
				return err
			}
			return f.printLosses(c)
		}),
	}
	f.addCommonFlags(c)
	f.addCorrectionFlags(c)
	return c
}

func reviseCommand() *cobra.Command {
	var f amendFlags
	c := &cobra.Command{
		Use:   "revise id… [folder]",
		Short: "Update a record that was right",
		Long: `Revise updates a record that was right when it was published. It writes a new version and
updated_date. If a source changed, --type and --summary add an entry to source_updates, and
verification_date is set.

Give new values with --set, or change the record by hand first.
` + amendTargets,
		Example: `  stele revise sig-outbreak --set 'title=Measles in three districts'
  stele revise sta-deaths-2022 --set value=116800 --type data_revision --source src-report-2024 --summary "Estimated anew."
  stele revise records/healthcare-statistics/mcv1 --type new_edition --effect none --summary "A new edition; no figure changed."`,
		Args: countArguments(1, math.MaxInt),
		RunE: runInFolder(1, f.writeRevision),
	}
	f.addCommonFlags(c)
	f.addValueFlags(c)
	f.addVerifiedFlag(c)
	c.Flags().StringVar(&f.typ, "type", "", "type of the source's change: "+closedListText[record.UpdateType]())
	c.Flags().StringVar(&f.update.Summary, "summary", "", "what changed in the source, in a sentence")
	c.Flags().StringVar(&f.effect, "effect", "", "effect on the record: "+closedListText[record.Effect]()+" (default record_changed with --set, otherwise already_reflected)")
	c.Flags().StringVar((*string)(&f.update.SourceID), "source", "", "ID of the source object that changed")
	c.Flags().StringVar((*string)(&f.update.NoticeURL), "notice", "", "URL of the announcement")
	c.Flags().StringVar((*string)(&f.update.Date), "source-date", "", "day on which the source changed (default --date)")
	return c
}

func reverifyCommand() *cobra.Command {
	f := amendFlags{isReverify: true, Change: amend.Change{Verified: true}}
	c := &cobra.Command{
		Use:   "reverify id… [folder]",
		Short: "Record that a record was checked again and is still valid",
		Long: `Reverify is for a record that you compared with its sources again and found valid. It writes a new
version, verification_date and updated_date, and verified_by if you give --by.

At a terminal it shows each record's sources and asks for each record. Without a terminal, several
records require --yes and --by.
` + amendTargets,
		Example: `  stele reverify clm-one-dose
  stele reverify records/evidence --by 'A. Lovelace'`,
		Args: countArguments(1, math.MaxInt),
		RunE: runInFolder(1, f.run),
	}
	f.addCommonFlags(c)
	c.Flags().StringVar(&f.By, "by", "", "name of the person who compared the record with its sources, for verified_by")
	return c
}
