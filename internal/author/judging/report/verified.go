package report

import (
	"fmt"
	"io"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/trust/signing"
	"stele/release"
)

// Verified tells what verifying a release found.
func Verified(w io.Writer, m *release.Manifest, r *release.Report, quiet, color bool) {
	st := style(color)
	for _, f := range r.Faults {
		fmt.Fprintln(w, st.paint("31", "damaged:"), Printable(f.String()))
	}
	for _, path := range r.Left {
		fmt.Fprintf(w, "%s was left by a process that was killed, and is not part of the release: stele sign removes it\n", Printable(path))
	}
	switch {
	case len(r.Faults) > 0:
		fmt.Fprintf(w, "release %s: %s in %s.\n", Printable(m.Release), Count(len(r.Faults), "fault"), Count(r.Files, "file"))
	case !quiet:
		fmt.Fprintf(w, "release %s: %s, all digests match, %s consistent.\n", Printable(m.Release), Count(r.Files, "file"), Count(r.Records, "record"))
	}
}

// Proven tells that a release has a record as it is, and how that record stands; nil if it stands
// or, if known is not set, if nobody knows.
func Proven(w io.Writer, m *release.Manifest, e *release.Entry, s *release.Standing, known bool) {
	fmt.Fprintf(w, "%s, version %d, is in release %s of %s as it is.\n", e.ID, e.Version, Printable(m.Release), m.Date)
	switch {
	case !known:
		fmt.Fprintf(w, "not checked, because %s is missing: whether the record stands\n", layout.StandingPath)
	case s != nil:
		fmt.Fprintf(w, "it does not stand: %s since %s\n", Printable(s.Standing), Printable(s.Since))
	}
}

// Signed tells who signed a release that was verified, and what is odd about its log.
func Signed(w io.Writer, v *signing.Verified) {
	keys := strings.Join(v.Keys, " and ")
	fmt.Fprintf(w, "signed by %s: entry %d of %d in the log of %s\n", keys, v.Index+1, v.Size, v.Origin)
	if len(v.Witnesses) > 0 {
		fmt.Fprintf(w, "seen by the witnesses %s\n", strings.Join(v.Witnesses, ", "))
	}
	if v.Checkpoint == nil {
		fmt.Fprintln(w, "not checked, because the entries of the log are missing: changes of keys, and whether the log continues what was seen before")
		return
	}
	age := "of today"
	if v.Days > 0 {
		age = Count(v.Days, "day") + " old"
	}
	fmt.Fprintf(w, "newest release of %s, %s\n", v.Entry.Date, age)
	for _, g := range v.Gaps {
		if !g.Declared() || g.Entry.Break == signing.Rollback {
			fmt.Fprintln(w, g)
		}
	}
	if len(v.Others) > 0 {
		fmt.Fprintf(w, "Another log of this name, signed by %s, was verified here before; this one is signed by %s. "+
			"The publisher may have begun a new log, after a trial or a lost key, or somebody else made one of the two: "+
			"compare the key with what the publisher says in another place.\n", strings.Join(v.Others, " and "), keys)
	}
}

// Reproduced tells whether a release that was built again is the one that was published, or which
// files differ. By is the version of the program that built it again.
func Reproduced(w io.Writer, m *release.Manifest, same bool, differ []string, by string) {
	if same {
		fmt.Fprintf(w, "release %s of %s is exactly what the records give: %d files.\n", m.Release, m.Date, len(m.Files))
		return
	}
	const most = 20
	fmt.Fprintf(w, "release %s of %s is not what the records give: %d files are not the same.\n", m.Release, m.Date, len(differ))
	for _, line := range differ[:min(len(differ), most)] {
		fmt.Fprintln(w, " ", line)
	}
	if len(differ) > most {
		fmt.Fprintf(w, "  and %d more\n", len(differ)-most)
	}
	if len(differ) == 0 {
		fmt.Fprintln(w, "  manifest.json: differs in what it says of the service")
	}
	if m.Built.Program != by {
		fmt.Fprintf(w, "It was built with version %.40q, and this is %s, which may be the reason: use the same version.\n", m.Built.Program, by)
	}
}
