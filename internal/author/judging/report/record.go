package report

import (
	"fmt"
	"io"
	"strings"

	"stele/record"
	"stele/release"
)

// WriteSources prints a record and the sources to compare it with.
func WriteSources(w io.Writer, rec record.Record) {
	if rec == nil {
		return
	}
	e := rec.Common()
	line := func(format string, args ...any) { fmt.Fprintln(w, Printable(fmt.Sprintf(format, args...))) }
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

// WriteHistory prints the versions of a record, with the changes.
func WriteHistory(w io.Writer, h *release.RecordHistory) error {
	fmt.Fprintf(w, "%s, %s\n", h.ID, h.Kind)
	for v, err := range h.Earlier() {
		if err != nil {
			return err
		}
		digest := v.SHA256.String()
		if v.Redacted != "" {
			digest = Printable("redacted on " + v.Redacted + ": " + v.Reason)
		}
		fmt.Fprintf(w, "  version %d  since %s, release %s  %s\n", v.Number, v.Date, v.Release, digest)
		for _, m := range h.Changes {
			if m.Before != nil && *m.Before == v.SHA256 && (m.After == nil || *m.After != v.SHA256) {
				fmt.Fprintf(w, "    %s %s%s\n", m.Change, m.Date, Printable(InBrackets(m.Summary)))
			}
		}
	}
	if h.Current != nil {
		fmt.Fprintf(w, "  version %d  the latest  %s\n", h.Current.Version, h.Current.SHA256)
	}
	return nil
}

// InBrackets returns summary in brackets, or "" if it is empty.
func InBrackets(summary string) string {
	if summary == "" {
		return ""
	}
	return " (" + summary + ")"
}
