package report

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/base/jsonline"
	"stele/record"
	"stele/release"
)

// change is a changed record, as JSON and as text show it.
type change struct {
	Kind   string            `json:"kind"`
	ID     string            `json:"id"`
	Change record.ChangeType `json:"change"`
	Before *state            `json:"before,omitempty"`
	After  *state            `json:"after,omitempty"`
	Fields []field           `json:"fields,omitempty"`
	Title  string            `json:"-"`
}

type state struct {
	Version int64          `json:"version"`
	SHA256  release.Digest `json:"sha256"`
}

type field struct {
	Pointer string `json:"pointer"`
	Old     any    `json:"old,omitempty"`
	New     any    `json:"new,omitempty"`
}

// WriteDiff prints the differences between two releases, and reports whether there are any. It
// writes each change as it is found, because there may be many.
func WriteDiff(ctx context.Context, w io.Writer, old, now *release.Release, format string, color bool) (bool, error) {
	switch format {
	case "json":
		return writeDiffJSON(ctx, w, old, now)
	case "markdown":
		return writeDiffMarkdown(ctx, w, old, now)
	}
	return writeDiffText(ctx, w, old, now, style(color))
}

// readChanges yields the differences between two releases. If an error occurs, it is yielded last.
func readChanges(ctx context.Context, old, now *release.Release) iter.Seq2[change, error] {
	return func(yield func(change, error) bool) {
		redacted, err := now.RedactedSince(old.Manifest.Release)
		if err != nil {
			yield(change{}, err)
			return
		}
		for c, err := range release.Diff(ctx, old, now) {
			var shown change
			if err == nil {
				shown, err = newChange(c)
			}
			if err == nil && c.Old != nil && slices.ContainsFunc(redacted, func(v release.Version) bool {
				return v.ID == c.ID && v.Number == c.Old.Version
			}) {
				shown.Fields, shown.Change, shown.Title = nil, record.ChangeRedacted, ""
			}
			if !yield(shown, err) || err != nil {
				return
			}
		}
	}
}

func newChange(c release.Change) (change, error) {
	shown := change{Kind: c.Kind, ID: c.ID}
	if c.Old != nil {
		shown.Before, shown.Change, shown.Title = &state{c.Old.Version, c.Old.SHA256}, record.ChangeRemoved, c.Old.Title
	}
	if c.New != nil {
		shown.After, shown.Change, shown.Title = &state{c.New.Version, c.New.SHA256}, record.ChangeCreated, c.New.Title
	}
	if c.Old == nil || c.New == nil {
		return shown, nil
	}
	compared, err := check.Compare(record.KindNamed(c.Kind), c.OldJSON, c.NewJSON)
	if err != nil {
		return shown, err
	}
	for _, d := range compared.Differences {
		shown.Fields = append(shown.Fields, field(d))
	}
	shown.Change = compared.Type()
	return shown, nil
}

// writeDiffJSON writes an object with a list of changes, one change at a time.
func writeDiffJSON(ctx context.Context, w io.Writer, old, now *release.Release) (differ bool, err error) {
	b := bufio.NewWriter(w)
	head, err := json.MarshalIndent(struct {
		Old string `json:"old"`
		New string `json:"new"`
	}{old.Manifest.Release, now.Manifest.Release}, "", "  ")
	if err != nil {
		return false, err
	}
	b.WriteString(strings.TrimSuffix(string(head), "\n}"))
	b.WriteString(",\n  \"changes\": [")
	var one strings.Builder
	e := json.NewEncoder(&one)
	e.SetIndent("    ", "  ")
	e.SetEscapeHTML(false)
	for c, err := range readChanges(ctx, old, now) {
		if err != nil {
			return differ, err
		}
		if differ {
			b.WriteByte(',')
		}
		differ = true
		one.Reset()
		if err := e.Encode(c); err != nil {
			return differ, err
		}
		b.WriteString("\n    ")
		b.WriteString(strings.TrimSuffix(one.String(), "\n"))
	}
	if differ {
		b.WriteString("\n  ")
	}
	b.WriteString("]\n}\n")
	return differ, b.Flush()
}

// writeDiffText prints a summary and then the changes, which are stored in a file until they are
// counted.
func writeDiffText(ctx context.Context, w io.Writer, old, now *release.Release, st style) (differ bool, err error) {
	body, err := os.CreateTemp("", "stele-diff-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, body.Close(), os.Remove(body.Name())) }()
	b := bufio.NewWriter(body)
	counts := map[record.ChangeType]int{}
	for c, err := range readChanges(ctx, old, now) {
		if err != nil {
			return differ, err
		}
		differ = true
		counts[c.Change]++
		writeChange(b, &c, st)
	}
	if err := b.Flush(); err != nil {
		return differ, err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return differ, err
	}
	fmt.Fprintf(w, "%s from %s to %s\n", ChangesText(counts), releaseName(old.Manifest), releaseName(now.Manifest))
	_, err = io.Copy(w, body)
	return differ, err
}

// writeChange prints a change. The writer keeps the first error.
func writeChange(b *bufio.Writer, c *change, st style) {
	fmt.Fprintf(b, "\n%s  %s  %s  %s\n", Printable(c.Kind), st.bold(Printable(c.ID)), versionRange(c), st.paint("33", string(c.Change)))
	if len(c.Fields) == 0 && c.Title != "" {
		fmt.Fprintf(b, "  %s\n", st.dim(Printable(c.Title)))
	}
	for _, f := range c.Fields {
		member := Printable(strings.TrimPrefix(f.Pointer, "/"))
		if f.Old != nil {
			fmt.Fprintln(b, st.paint("31", "  - "+member+": "+valueText(f.Old)))
		}
		if f.New != nil {
			fmt.Fprintln(b, st.paint("32", "  + "+member+": "+valueText(f.New)))
		}
	}
}

// releaseName returns the ID and date of the release with manifest m, without control characters.
func releaseName(m *release.Manifest) string { return Printable(m.Release + " (" + m.Date + ")") }

func versionRange(c *change) string {
	switch {
	case c.Before == nil:
		return fmt.Sprintf("v%d", c.After.Version)
	case c.After == nil:
		return fmt.Sprintf("v%d", c.Before.Version)
	}
	return fmt.Sprintf("v%d → v%d", c.Before.Version, c.After.Version)
}

// valueText returns v, a JSON value, on one line.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return Printable(s)
	}
	data, err := jsonline.Marshal(v, "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return Printable(strings.TrimSpace(string(data)))
}
