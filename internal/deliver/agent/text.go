package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"stele/internal/author/report"
	"stele/internal/build/render"
	"stele/release"
)

// printable is a text of others in a line, without what could steer whoever shows it.
func printable(text string) string { return report.Printable(strings.ReplaceAll(text, "\n", " ")) }

// quote is a text of others in quotation marks, with control characters as escapes.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // a text can always be written
		return `""`
	}
	return report.EscapeJSON(strings.TrimSuffix(b.String(), "\n"))
}

// block is a text of others between lines that nothing in it can end.
func block(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + kind + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

type prose struct{ strings.Builder }

func (p *prose) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *prose) end(m *release.Manifest, note string) string {
	p.line("%sRelease %s of %s. %s Licence: %s, unless a record names another. Cite: %s", note,
		printable(m.Release), printable(m.Date), render.PreserveSentence, printable(m.License), quote(render.Cite(m)))
	return p.String()
}

// cut is a text of at most so many bytes, which ends between letters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " […]"
}

// missing says that something is not there, for errors.Is.
type missing struct{ text string }

func missingf(format string, args ...any) error { return &missing{fmt.Sprintf(format, args...)} }

func (e *missing) Error() string        { return e.text }
func (e *missing) Is(target error) bool { return target == fs.ErrNotExist }
