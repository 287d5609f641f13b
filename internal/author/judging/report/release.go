package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/record"
	"stele/release"
)

// Build describes a successful build.
type Build struct {
	Manifest  *release.Manifest
	Target    string
	Changes   map[record.ChangeType]int
	Unchanged bool
	Held      check.Held
	Took      time.Duration
	Color     bool
}

// WriteRelease prints a new release: a table of its kinds, the changes, and its ID.
func WriteRelease(w io.Writer, b Build) {
	st, m := style(b.Color), b.Manifest
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\trecords\tbytes\tcompressed\t")
	records, size, compressed := 0, int64(0), int64(0)
	for _, k := range m.Kinds {
		f := m.File(k.Collection)
		small := f.Size
		for _, v := range f.Variants {
			small = min(small, v.Size)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", k.Kind, withThousands(k.Count), SizeText(f.Size), SizeText(small))
		records, size, compressed = records+k.Count, size+f.Size, compressed+small
	}
	fmt.Fprintf(t, "all\t%s\t%s\t%s\t\n", withThousands(records), SizeText(size), SizeText(compressed))
	t.Flush() // errors of printing are ignored
	WriteHeldBack(w, b.Held)
	if out := settings.OmittedParts(record.URL(m.BaseURL)); out != "" {
		fmt.Fprintln(w, out)
	}
	switch {
	case b.Unchanged:
		fmt.Fprintf(w, "unchanged since %s\n", m.Date)
	case m.Previous != nil:
		fmt.Fprintf(w, "%s since release %s (%s)\n", ChangesText(b.Changes), m.Previous.Release, m.Previous.Date)
	}
	fmt.Fprintf(w, "%s · %s · %s · %.1f s\n", st.bold("release "+m.Release), m.Date, b.Target, b.Took.Seconds())
}

// ChangesText returns the numbers of events by type, in the order of the list of types.
func ChangesText(counts map[record.ChangeType]int) string {
	var parts []string
	for _, v := range schema.ListOf[record.ChangeType]() {
		if n := counts[record.ChangeType(v.Word)]; n > 0 {
			parts = append(parts, withThousands(n)+" "+v.Word)
		}
	}
	if len(parts) == 0 {
		return "no record changed"
	}
	return strings.Join(parts, " · ")
}

// SizeText returns n bytes in human-readable form.
func SizeText(n int64) string {
	for _, unit := range []string{"B", "kB", "MB"} {
		if n < 10_000 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n = (n + 500) / 1000
	}
	return fmt.Sprintf("%d GB", n)
}
