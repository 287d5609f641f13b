package starter

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// New writes a template for a record into the folder of its kind and returns its path below dir.
func New(dir string, k *record.Kind, id string, today record.Date, draft bool) (string, error) {
	if message, fix := record.ID(id).Problem(); message != "" {
		return "", fmt.Errorf("%s: %s", message, fix)
	}
	path := filepath.Join("records", k.Folder(), id+".yaml")
	text := Template(k, id, today)
	if draft {
		text = append(text, "\n# Delete this line to publish the record.\ndraft: true\n"...)
	}
	return path, createFile(filepath.Join(dir, path), text)
}

// Template returns a record of a kind with a comment above each member. Members to fill in are
// empty, so that the checker asks for them. Optional members are after a #.
func Template(k *record.Kind, id string, today record.Date) []byte {
	w := &templateWriter{today: string(today)}
	w.writeLine("", "# yaml-language-server: $schema=../../%s/%s.json", SchemaDir, k.Name)
	w.writeLine("", "#")
	w.writeLine("", "# A new %s. %s", k.One, k.Doc)
	w.writeLine("", "# Fill in the empty members; `stele check` lists what is missing. Members after a # are optional.")
	for i := range k.Shape().Members {
		m := &k.Shape().Members[i]
		if m.Implied {
			continue
		}
		w.writeLine("", "")
		if m.Name == "id" {
			w.writeLine("", "# %s", m.Doc)
			w.writeLine("", "id: %s", id)
			continue
		}
		w.writeMember(m, "", m.Required, false)
	}
	return w.Bytes()
}

type templateWriter struct {
	bytes.Buffer
	today string
}

func (w *templateWriter) writeLine(indent, format string, args ...any) {
	w.WriteString(strings.TrimRight(indent+fmt.Sprintf(format, args...), " ") + "\n")
}

// writeMember writes a member and its comment. If active is false, the member is a comment, too.
func (w *templateWriter) writeMember(m *schema.Member, indent string, active, first bool) {
	for _, note := range memberNotes(m) {
		w.writeLine(indent, "# %s", note)
	}
	lead := indent
	if first {
		lead = indent[:len(indent)-2] + "- "
	}
	if !active {
		lead += "# "
	}
	switch s := m.Shape; {
	case s.Type == schema.Object && !s.Open && active:
		w.writeLine(lead, "%s:", m.Name)
		w.writeMembers(s, indent+"  ", false)
	case s.Type == schema.Array && s.Elem.Type == schema.Object && m.Items > 0 && active:
		w.writeLine(lead, "%s:", m.Name)
		w.writeMembers(s.Elem, indent+"    ", true)
	default:
		w.writeLine(lead, "%s: %s", m.Name, w.placeholder(m))
	}
}

func (w *templateWriter) writeMembers(s *schema.Shape, indent string, list bool) {
	first := list
	for i := range s.Members {
		w.writeMember(&s.Members[i], indent, s.Members[i].Required, first)
		first = false
	}
}

func memberNotes(m *schema.Member) []string {
	lines := []string{m.Doc}
	if n := len(m.Shape.List); n > 0 && n <= 14 {
		for _, v := range m.Shape.List {
			lines = append(lines, "  "+v.Word+": "+v.Doc)
		}
	}
	return lines
}

// placeholder returns the initial value of m in a template: a valid value, "…" or "".
func (w *templateWriter) placeholder(m *schema.Member) string {
	switch s := m.Shape; {
	case s.Type == schema.Array:
		return "[]"
	case s.Open:
		return "{}"
	case s.Type == schema.Object:
		names := s.MemberNames()
		return "{" + strings.Join(names, ": …, ") + ": …}"
	case m.Name == "version":
		return "1"
	case !m.Required:
		return "…"
	case s.Format != nil && s.Format.Code == codes.MalformedDate:
		return w.today
	case s.Type == schema.Bool:
		return "true"
	}
	return ""
}
