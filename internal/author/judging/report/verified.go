package report

import (
	"fmt"
	"io"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/trust/signing"
	"stele/release"
)

// WriteVerified prints the result of verifying a release.
func WriteVerified(w io.Writer, m *release.Manifest, r *release.Report, quiet, color bool) {
	st := style(color)
	for _, f := range r.Faults {
		fmt.Fprintln(w, st.paint("31", "damaged:"), Printable(f.String()))
	}
	for _, path := range r.Left {
		fmt.Fprintf(w, "%s is a leftover of a killed process and not part of the release: stele sign removes it\n", Printable(path))
	}
	switch {
	case len(r.Faults) > 0:
		fmt.Fprintf(w, "release %s: %s in %s.\n", Printable(m.Release), Count(len(r.Faults), "fault"), Count(r.Files, "file"))
	case !quiet:
		fmt.Fprintf(w, "release %s: %s, all digests match, %s consistent.\n", Printable(m.Release), Count(r.Files, "file"), Count(r.Records, "record"))
	}
}

// WriteProof prints that a release contains a record, and the record's standing: nil means that
// none is listed, unless known is false.
func WriteProof(w io.Writer, m *release.Manifest, e *release.Entry, s *release.Standing, known bool) {
	fmt.Fprintf(w, "%s, version %d, is in release %s of %s, unchanged.\n", e.ID, e.Version, Printable(m.Release), m.Date)
	switch {
	case !known:
		fmt.Fprintf(w, "the standing of the record was not checked, because %s is missing\n", layout.StandingPath)
	case s != nil:
		fmt.Fprintf(w, "the record is not valid: %s since %s\n", Printable(s.Standing), Printable(s.Since))
	}
}

// WriteSignatures prints who signed a verified release, and anything unusual about the log.
func WriteSignatures(w io.Writer, v *signing.Verified) {
	keys := strings.Join(v.Keys, " and ")
	fmt.Fprintf(w, "signed by %s: entry %d of %d in the log of %s\n", keys, v.Index+1, v.Size, v.Origin)
	if len(v.Witnesses) > 0 {
		fmt.Fprintf(w, "seen by the witnesses %s\n", strings.Join(v.Witnesses, ", "))
	}
	if v.Checkpoint == nil {
		fmt.Fprintln(w, "not checked, because the log's entries are missing: key changes, and whether the log continues the log seen before")
		return
	}
	age := "of today"
	if v.Days > 0 {
		age = Count(v.Days, "day") + " old"
	}
	fmt.Fprintf(w, "latest release of %s, %s\n", v.Entry.Date, age)
	for _, g := range v.Gaps {
		if !g.Declared() || g.Entry.Break == signing.Rollback {
			fmt.Fprintln(w, g)
		}
	}
	if len(v.Others) > 0 {
		fmt.Fprintf(w, "Another log of this name, signed by %s, was verified here before; this one is signed by %s. "+
			"The publisher may have started a new log, after a trial or a lost key, or one of the logs is forged: "+
			"compare the key with the one the publisher names elsewhere.\n", strings.Join(v.Others, " and "), keys)
	}
}

// WriteReproduced prints whether a rebuilt release equals the published one, or which files differ.
// by is the version of the program that rebuilt it. It returns same.
func WriteReproduced(w io.Writer, m *release.Manifest, same bool, differ []string, by string) {
	if same {
		fmt.Fprintf(w, "release %s of %s is reproducible: all %d files are equal.\n", m.Release, m.Date, len(m.Files))
		return
	}
	const most = 20
	fmt.Fprintf(w, "release %s of %s cannot be reproduced from these records: %d files differ.\n", m.Release, m.Date, len(differ))
	for _, line := range differ[:min(len(differ), most)] {
		fmt.Fprintln(w, " ", line)
	}
	if len(differ) > most {
		fmt.Fprintf(w, "  and %d more\n", len(differ)-most)
	}
	if len(differ) == 0 {
		fmt.Fprintln(w, "  manifest.json: members about the service differ")
	}
	if m.Built.Program != by {
		fmt.Fprintf(w, "It was built with version %.40q, but this is %s, which may be the reason: use the same version.\n", m.Built.Program, by)
	}
}
