package amend

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/base/schema"
)

// replace writes another scalar in the place of one, in the way that it is written there.
func (t *source) replace(i int32, want *value) error {
	from, err := t.begin(i)
	if err != nil {
		return err
	}
	to, err := t.end(i)
	if err != nil {
		return err
	}
	written, c := " ", byte(0)
	if from < to { // something stands there
		written, c = "", t.data[from]
	}
	switch {
	case want.typ != schema.String:
		written += want.text
	case c == '"':
		written += doubleQuoted(want.text)
	case c == '\'' && !strings.ContainsAny(want.text, "\n\t") && printable(want.text):
		written += "'" + strings.ReplaceAll(want.text, "'", "''") + "'"
	case c == '>' && foldable(want.text):
		written = t.folded(i, want.text)
	case c == '|' && literal(want.text):
		written = literalBlock(want.text, strings.Repeat(" ", max(t.indent(i), 0)+2), t.eol)
	default:
		written += yamlText(want.text, false)
	}
	t.splices = append(t.splices, splice{from, to, written})
	return nil
}

// replaceFlow writes an object or list anew that stands in braces or brackets. An empty list gets
// lines of its own.
func (t *source) replaceFlow(i int32, start int, want *value) error {
	end, err := t.end(i)
	if err != nil {
		return err
	}
	if text := t.data[start:end]; bytes.IndexByte(text, '#') >= 0 && bytes.IndexByte(text, '\n') >= 0 {
		return errUnclear // there may be comments, each of which goes to the end of its line
	}
	if n := &t.tree.Nodes[i]; n.Type == schema.Array && n.NameAt.Line > 0 && !t.tree.Holds(i, i+1) {
		return t.openBlock(i, start, end, want.members)
	}
	t.splices = append(t.splices, splice{start, end, yamlFlow(want)})
	return nil
}

// folded writes a text on lines of its own, after >-, as the one was that stood there.
func (t *source) folded(i int32, s string) string {
	const width = 96
	indent := strings.Repeat(" ", max(t.indent(i), 0)+2)
	var b strings.Builder
	b.WriteString(">-")
	length := width
	for word := range strings.FieldsSeq(s) {
		if length+1+len(word) > width {
			b.WriteString(t.eol + indent)
			length = len(indent)
		} else {
			b.WriteString(" ")
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}

func foldable(s string) bool {
	return printable(s) && strings.Join(strings.Fields(s), " ") == s && s != ""
}

// insertMember adds a member to an object, after the one that the kind declares before it and that
// stays.
func (t *source) insertMember(i int32, m member, want *value) error {
	after := t.neighbour(i, m.name, want)
	if after < 0 {
		return errUnclear
	}
	end, err := t.end(after)
	if err != nil {
		return err
	}
	indent := strings.Repeat(" ", int(t.tree.Nodes[after].NameAt.Column)-1)
	var b strings.Builder
	w := writer{eol: t.eol}
	w.blockMember(&b, m, indent)
	return t.insertLines(end, b.String())
}

// removeMember takes out a member with the lines that it stands on, which are its own.
func (t *source) removeMember(i int32) error {
	name, err := t.offset(t.tree.Nodes[i].NameAt)
	if err != nil {
		return err
	}
	end, err := t.end(i)
	if err != nil {
		return err
	}
	from, to := t.lineStart(name), t.lineEnd(end)
	before, rest := bytes.TrimSpace(t.data[from:name]), bytes.TrimSpace(t.data[end:to])
	if len(before) > 0 || len(rest) > 0 && rest[0] != '#' {
		return errUnclear
	}
	t.removeLines(from, to)
	return nil
}

// neighbour is the member of object i after which a new one belongs, among those that are wanted;
// -1 where there is none.
func (t *source) neighbour(i int32, name string, want *value) int32 {
	var order []string
	if i == 0 {
		order = t.kind.Shape().MemberNames()
	}
	at := slices.Index(order, name)
	best, rank, last := int32(-1), -1, int32(-1)
	for c := range t.tree.Children(i) {
		if want.index(t.tree.Nodes[c].Name) < 0 {
			continue
		}
		last = c
		if r := slices.Index(order, t.tree.Nodes[c].Name); r >= 0 && r < at && r > rank {
			best, rank = c, r
		}
	}
	if best >= 0 {
		return best
	}
	return last
}

// openBlock writes elements on lines of their own in the place of [].
func (t *source) openBlock(i int32, start, end int, elements []member) error {
	n := &t.tree.Nodes[i]
	if n.NameAt.Line == 0 || n.NameAt.Line != n.At.Line {
		return errUnclear
	}
	from := start
	if rest := bytes.TrimSpace(t.data[end:t.lineEnd(end)]); len(rest) == 0 {
		for from > 0 && t.data[from-1] == ' ' {
			from--
		}
	}
	t.splices = append(t.splices, splice{from, end, ""})
	indent := strings.Repeat(" ", int(n.NameAt.Column)-1)
	var b strings.Builder
	w := writer{eol: t.eol}
	for _, e := range elements {
		w.blockElement(&b, &e.value, indent+"  ")
	}
	return t.insertLines(end, b.String())
}

// insertLines puts lines below the line that something ends on; a comment after it stays there.
func (t *source) insertLines(end int, lines string) error {
	at := t.lineEnd(end)
	if rest := bytes.TrimSpace(t.data[end:at]); len(rest) > 0 && rest[0] != '#' {
		return errUnclear
	}
	// the lines begin after a break and not before one, so that the last line of a file stays the
	// way it is
	t.splices = append(t.splices, splice{at, at, t.eol + strings.TrimSuffix(lines, t.eol)})
	return nil
}
