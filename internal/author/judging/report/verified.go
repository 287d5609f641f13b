package report

import (
	"fmt"
	"io"

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
