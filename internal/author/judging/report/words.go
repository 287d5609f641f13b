package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
	"stele/release"
)

// WriteSummary prints the changes of a release, one line for each record: new records, corrected
// values before and after, retracted and removed records, and records that lost their support.
// After most lines it prints the number of the others. old may be nil.
func WriteSummary(ctx context.Context, w io.Writer, old, now *release.Release, most int, color bool) error {
	b := bufio.NewWriter(w)
	st, lines := style(color), 0
	write := func(line string) {
		if lines++; lines <= most {
			b.WriteString(line)
		}
	}
	if old == nil {
		n := 0
		for _, k := range now.Manifest.Kinds {
			n += k.Count - k.Derived
		}
		fmt.Fprintf(b, "  %s records, all of them new\n", withThousands(n))
		return b.Flush()
	}
	for c, err := range readChanges(ctx, old, now) {
		if err != nil {
			return err
		}
		if c.Kind != record.KindChangeEvent {
			write(summaryLine(st, string(c.Change), c.ID, changeSummary(&c)))
		}
	}
	lost, err := newlyLost(old, now)
	if err != nil {
		return err
	}
	for _, s := range lost {
		write(lostLine(st, &s))
	}
	if lines > most {
		fmt.Fprintf(b, "  and %s more\n", withThousands(lines-most))
	}
	return b.Flush()
}

// summaryLine prints the line of a record.
func summaryLine(st style, word, id, text string) string {
	return fmt.Sprintf("  %s  %s  %s\n", st.paint("33", fmt.Sprintf("%-15s", Printable(word))), st.bold(Printable(id)), Printable(text))
}

// lostLine returns the line of a record that is no longer valid.
func lostLine(st style, s *release.Standing) string {
	return summaryLine(st, strings.ReplaceAll(s.Standing, "_", " "), s.ID, "because of "+s.Path[len(s.Path)-1])
}

// changeSummary returns the change of a record: its title if it is new or removed, or the members
// with the most information.
func changeSummary(c *change) string {
	var parts []string
	short := func(v any) string { return schema.Shorten(valueText(v)) }
	for _, f := range c.Fields {
		name := strings.TrimPrefix(f.Pointer, "/")
		switch schema.TopMember(f.Pointer) {
		case "version", "updated_date", "verification_date", "corrections", "source_updates":
			continue
		}
		switch {
		case f.Old == nil:
			name += ": " + short(f.New)
		case f.New == nil:
			name += " was " + short(f.Old)
		default:
			name += ": " + short(f.Old) + " → " + short(f.New)
		}
		parts = append(parts, name)
	}
	if len(parts) == 0 {
		return c.Title
	}
	return strings.Join(parts, ", ")
}

// newlyLost returns the records that were valid in the previous release, or were not valid for
// another reason, and now rest on lost records.
func newlyLost(old, now *release.Release) (list []release.Standing, err error) {
	was := map[string]release.Standing{}
	for s, err := range old.Standings() {
		if err != nil {
			return nil, err
		}
		was[s.ID] = s
	}
	for s, err := range now.Standings() {
		if err != nil {
			return nil, err
		}
		before := was[s.ID]
		same := before.Standing == s.Standing && before.Cause == s.Cause && slices.Equal(before.Path, s.Path)
		if len(s.Path) > 0 && !same {
			list = append(list, s)
		}
	}
	return list, nil
}
