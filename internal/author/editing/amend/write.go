package amend

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/base/schema"
)

// replaceScalar replaces scalar i with want, in the same style.
func (t *source) replaceScalar(i int32, want *value) {
	from, to := t.startOffset(i), t.endOffset(i)
	written, c := " ", byte(0)
	if from < to { // it has a text
		written, c = "", t.data[from]
	}
	indent := strings.Repeat(" ", max(t.indent(i), 0)+2)
	switch {
	case want.typ != schema.String:
		written += want.text
	case c == '"':
		written += doubleQuoted(want.text)
	case c == '\'' && !strings.ContainsAny(want.text, "\n\t") && isPlainLine(want.text):
		written += "'" + strings.ReplaceAll(want.text, "'", "''") + "'"
	case c == '>' && want.text != "" && isPlainLine(want.text) && strings.Join(strings.Fields(want.text), " ") == want.text:
		written = foldedBlock(want.text, indent)
	case c == '|' && canBeLiteral(want.text):
		written = literalBlock(want.text, indent)
	default:
		written += yamlText(want.text, false)
	}
	t.splices = append(t.splices, splice{from, to, strings.ReplaceAll(written, "\n", t.eol)})
}

// replaceFlow rewrites node i, which is in braces or brackets. An empty list becomes a block list.
func (t *source) replaceFlow(i int32, start int, want *value) {
	end := t.endOffset(i)
	text := t.data[start:end] // there may be comments, each up to the end of its line
	mustBe(bytes.IndexByte(text, '#') < 0 || bytes.IndexByte(text, '\n') < 0)
	if n := &t.tree.Nodes[i]; n.Type == schema.Array && n.NameAt.Line > 0 && !t.tree.Contains(i, i+1) {
		t.replaceEmptyList(i, start, end, want.members)
		return
	}
	t.splices = append(t.splices, splice{start, end, yamlFlow(want)})
}

// foldedBlock returns s as a folded block, like the one that it replaces.
func foldedBlock(s, indent string) string {
	const width = 96
	var b strings.Builder
	b.WriteString(">-")
	length := width
	for word := range strings.FieldsSeq(s) {
		if length+1+len(word) > width {
			b.WriteString("\n" + indent)
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

// insertMember adds m to object i, after the remaining member that the kind declares before it.
func (t *source) insertMember(i int32, m member, want *value) {
	after := t.precedingMember(i, m.name, want)
	mustBe(after >= 0)
	indent := strings.Repeat(" ", int(t.tree.Nodes[after].NameAt.Column)-1)
	t.insertLines(t.endOffset(after), blockMember(m, indent))
}

// precedingMember returns the remaining member of object i after which a new one belongs, or -1.
func (t *source) precedingMember(i int32, name string, want *value) int32 {
	var order []string
	if i == 0 {
		order = t.order
	}
	at := slices.Index(order, name)
	best, rank, last := int32(-1), -1, int32(-1)
	for c := range t.tree.Children(i) {
		if want.memberIndex(t.tree.Nodes[c].Name) < 0 {
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

// replaceEmptyList replaces [] with block elements.
func (t *source) replaceEmptyList(i int32, start, end int, elements []member) {
	n := &t.tree.Nodes[i]
	mustBe(n.NameAt.Line > 0 && n.NameAt.Line == n.At.Line)
	from := start
	if rest := bytes.TrimSpace(t.data[end:t.lineEnd(end)]); len(rest) == 0 {
		for from > 0 && t.data[from-1] == ' ' {
			from--
		}
	}
	t.splices = append(t.splices, splice{from, end, ""})
	lines, indent := "", strings.Repeat(" ", int(n.NameAt.Column)+1)
	for _, e := range elements {
		lines += blockElement(&e.value, indent)
	}
	t.insertLines(end, lines)
}

// insertLines inserts lines below the line that contains end, the end of a value. A comment on that
// line stays.
func (t *source) insertLines(end int, lines string) {
	at := t.lineEnd(end)
	rest := bytes.TrimSpace(t.data[end:at])
	mustBe(len(rest) == 0 || rest[0] == '#')
	// the lines begin after a break and do not end with one, so the last line of a file keeps its
	// ending
	t.splices = append(t.splices, splice{at, at, strings.ReplaceAll("\n"+strings.TrimSuffix(lines, "\n"), "\n", t.eol)})
}
