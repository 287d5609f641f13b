package report

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"stele/internal/check"
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

// Diff shows what changed from one release to another, and reports whether anything did.
func Diff(ctx context.Context, w io.Writer, old, now *release.Release, format string, color bool) (bool, error) {
	all := []change{}
	for c, err := range release.Diff(ctx, old, now) {
		if err != nil {
			return false, err
		}
		shown, err := describe(c)
		if err != nil {
			return false, err
		}
		all = append(all, shown)
	}
	if format == "json" {
		return len(all) > 0, writeDiffJSON(w, old, now, all)
	}
	return len(all) > 0, writeDiffText(w, old, now, all, style(color))
}

func describe(c release.Change) (change, error) {
	shown := change{Kind: c.Kind, ID: c.ID}
	if c.Old != nil {
		shown.Before, shown.Change, shown.Title = &state{c.Old.Version, c.Old.SHA256}, "removed", c.Old.Title
	}
	if c.New != nil {
		shown.After, shown.Change, shown.Title = &state{c.New.Version, c.New.SHA256}, "created", c.New.Title
	}
	if c.Old == nil || c.New == nil {
		return shown, nil
	}
	compared, err := check.Compare(c.OldJSON, c.NewJSON)
	if err != nil {
		return shown, err
	}
	for _, d := range compared.Differences {
		shown.Fields = append(shown.Fields, field(d))
	}
	shown.Change = compared.Type()
	return shown, nil
}

func writeDiffJSON(w io.Writer, old, now *release.Release, all []change) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Old     string   `json:"old"`
		New     string   `json:"new"`
		Changes []change `json:"changes"`
	}{old.Manifest.Release, now.Manifest.Release, all})
}

func writeDiffText(w io.Writer, old, now *release.Release, all []change, st style) error {
	b := bufio.NewWriter(w)
	counts := map[record.ChangeType]int{}
	for _, c := range all {
		counts[c.Change]++
	}
	fmt.Fprintf(b, "%s from %s to %s\n", Changes(counts), name(old.Manifest), name(now.Manifest))
	for _, c := range all {
		fmt.Fprintf(b, "\n%s  %s  %s  %s\n", printable(c.Kind), st.bold(printable(c.ID)), versions(c), st.paint("33", string(c.Change)))
		if len(c.Fields) == 0 && c.Title != "" {
			fmt.Fprintf(b, "  %s\n", st.dim(printable(c.Title)))
		}
		for _, f := range c.Fields {
			place := printable(strings.TrimPrefix(f.Pointer, "/"))
			if f.Old != nil {
				fmt.Fprintln(b, st.paint("31", "  - "+place+": "+value(f.Old)))
			}
			if f.New != nil {
				fmt.Fprintln(b, st.paint("32", "  + "+place+": "+value(f.New)))
			}
		}
	}
	return b.Flush()
}

// name names a release, which anybody may have made.
func name(m *release.Manifest) string { return printable(m.Release + " (" + m.Date + ")") }

func versions(c change) string {
	switch {
	case c.Before == nil:
		return fmt.Sprintf("v%d", c.After.Version)
	case c.After == nil:
		return fmt.Sprintf("v%d", c.Before.Version)
	}
	return fmt.Sprintf("v%d → v%d", c.Before.Version, c.After.Version)
}

// value is a JSON value on one line.
func value(v any) string {
	if s, ok := v.(string); ok {
		return printable(s)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return printable(strings.TrimSpace(b.String()))
}
