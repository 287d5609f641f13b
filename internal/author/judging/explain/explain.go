// Package explain has a text for each code of check and audit: its meaning, why it matters, and the
// remedy, with a bad and a good example. A test puts each example into a starter folder: the bad
// example must give only this code, and the good example none.
package explain

import (
	"embed"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"

	"stele/internal/author/judging/report"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/audit"
)

// One txtar archive per code: a text, then files whose names begin with before/, bad/ and good/. A
// file that is also in the starter folder contains only the members that differ.
//
//go:embed codes/*.txtar
var files embed.FS

// Explanation is the explanation of a code.
type Explanation struct {
	Info              codes.Info
	Text              string
	Before, Bad, Good []File // Before are files of the previous release, if the code needs one
}

// File is a file of an example.
type File struct{ Name, Text string }

// fileName matches the line before a file in a txtar archive.
var fileName = regexp.MustCompile(`(?m)^-- (.+) --\n`)

func Find(code codes.Code) (*Explanation, error) {
	data, err := files.ReadFile("codes/" + string(code) + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("no explanation of %s: %w", code, err)
	}
	names := fileName.FindAllSubmatchIndex(data, -1)
	ends := func(i int) int { // end of the text before file i
		if i < len(names) {
			return names[i][0]
		}
		return len(data)
	}
	e := &Explanation{Info: code.Info(), Text: strings.TrimSpace(string(data[:ends(0)]))}
	groups := map[string]*[]File{"before": &e.Before, "bad": &e.Bad, "good": &e.Good}
	for i, at := range names {
		group, name, _ := strings.Cut(string(data[at[2]:at[3]]), "/")
		list := groups[group]
		if list == nil {
			return nil, fmt.Errorf("%s: unknown file %s: use before/, bad/ or good/", code, name)
		}
		*list = append(*list, File{name, string(data[at[1]:ends(i+1)])})
	}
	return e, nil
}

// Codes returns the codes of check and audit.
func Codes() (list []string) {
	for _, info := range codes.Table {
		list = append(list, string(info.Code))
	}
	for _, check := range audit.Checks {
		list = append(list, check.ID)
	}
	return list
}

// List prints one row per code.
func List(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, info := range codes.Table {
		fmt.Fprintf(w, "%s\t%s\t%s\n", info.Code, info.Severity, info.Title)
	}
	for _, check := range audit.Checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", check.ID, check.Level, check.Title)
	}
	return w.Flush()
}

// Text returns the explanation of a code as text for the terminal.
func Text(name string, color bool) (string, error) {
	paint := func(style, s string) string { return report.Paint(color, style, s) }
	if c, ok := audit.Find(name); ok {
		head := paint("1", c.ID+" ("+string(c.Level)+")") + "  " + paint("1", c.Title)
		return fmt.Sprintf("%s\n\n%s\n\nSee %s.\n", head, c.Text, c.Part), nil
	}
	e, err := Find(codes.Code(name))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n%s\n", paint("1", string(e.Info.Code)+" ("+e.Info.Severity.String()+")"), paint("1", e.Info.Title), e.Text)
	for _, part := range []struct {
		name, style string
		files       []File
	}{{"Before", "2", e.Before}, {"Bad", "31", e.Bad}, {"Good", "32", e.Good}} {
		for _, f := range part.files {
			fmt.Fprintf(&b, "\n%s\n", paint(part.style, part.name+": "+f.Name))
			for line := range strings.Lines(f.Text) {
				b.WriteString("    " + line)
			}
		}
	}
	return b.String(), nil
}
