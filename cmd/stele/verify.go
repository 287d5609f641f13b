package main

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/base/layout"
	"stele/internal/compile/standinglist"
	"stele/internal/trust/signing"
	"stele/release"
)

type verifyFlags struct {
	quiet  bool
	record string // file of a record
	trust  trustFlags
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify release",
		Short: "Verify that a release is complete and undamaged",
		Long: `Verify reads a whole release and finds missing, damaged and unexpected files. It checks digests,
variants, single records, counts, the graph and standings.

With --key it also checks that the publisher signed the release, and that the log continues the log seen
before (docs/signing.md).

With --record it checks that the release contains the record in a file. It reads only the files needed
for that: five files are enough.`,
		Example: `  stele verify public
  stele verify release.zip --key data.example.org.key.pub
  stele verify https://data.example.org --key data.example.org+ed10556b+Aby0…
  stele verify five --record five/api/v1/signals/sig-a.json --key data.example.org.key.pub`,
		Args: countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.record != "" {
				return f.runRecord(c, args[0])
			}
			return f.run(c, args[0])
		},
	}
	c.Flags().StringVar(&f.record, "record", "", "file of a record that the release must contain")
	f.trust.addFlags(c.Flags())
	addQuietFlag(c, &f.quiet)
	return c
}

func (f *verifyFlags) run(c *cobra.Command, name string) error {
	r, closeRelease, err := openByName(c.Context(), name)
	if err != nil {
		return err
	}
	defer closeRelease()
	var signed *signing.Verified
	if signed, err = f.verifySignature(c, r); err != nil {
		return err
	}
	found, err := verifyFiles(c, r, f.quiet)
	if err != nil {
		return err
	}
	report.WriteVerified(c.OutOrStdout(), r.Manifest, found, f.quiet, useColor(c.OutOrStdout()))
	if len(found.Faults) > 0 {
		return errFound
	}
	if signed != nil && !f.quiet {
		report.WriteSignatures(c.OutOrStdout(), signed)
	}
	return nil
}

// verifySignature verifies the signature of a release if a key was given.
func (f *verifyFlags) verifySignature(c *cobra.Command, r *release.Release) (*signing.Verified, error) {
	if !f.trust.hasKey() {
		return nil, nil
	}
	v, err := f.trust.verifyRelease(c.Context(), r)
	if err != nil {
		printError(c.ErrOrStderr(), err)
		err = errFound
	}
	return v, err
}

// runRecord checks that a release contains the record in the named file. It reads this file, the
// manifest, the listing of the record's kind, and the proof.
func (f *verifyFlags) runRecord(c *cobra.Command, name string) error {
	data, err := signing.ReadLocal(f.record, layout.MaxLine)
	if err != nil {
		return err
	}
	r, closeRelease, err := openRelease(c.Context(), name)
	if err != nil {
		return err
	}
	defer closeRelease()
	f.trust.alone = true
	signed, err := f.verifySignature(c, r)
	if err != nil {
		return err
	}
	// a line of a collection has a comma after the record
	data = bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte(","))
	entry, err := r.EntryOf(data)
	if err != nil {
		printError(c.ErrOrStderr(), err)
		return errFound
	}
	standing, known, err := findStanding(r, entry.ID)
	if err != nil || f.quiet {
		return err
	}
	report.WriteProof(c.OutOrStdout(), r.Manifest, entry, standing, known)
	if signed != nil {
		report.WriteSignatures(c.OutOrStdout(), signed)
	}
	return nil
}

// findStanding returns the standing of the record id, or nil if no standing is listed. known is
// false if the list is missing.
func findStanding(r *release.Release, id string) (found *release.Standing, known bool, err error) {
	for s, err := range r.Standings() {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		if s.ID == id {
			found = &s
		}
	}
	return found, true, nil
}

// verifyFiles verifies all files of a release, and the files derived from its records.
func verifyFiles(c *cobra.Command, r *release.Release, quiet bool) (found *release.Report, err error) {
	step, finish := newProgressBar(c.ErrOrStderr(), quiet)
	defer finish()
	found, err = r.Verify(c.Context(), func(done, total int64) { step("verifying", done, total) })
	if err == nil && len(found.Faults) == 0 { // damaged files need no second check
		found.Faults, err = standinglist.Verify(c.Context(), r)
	}
	return found, err
}
