package amend

import (
	"bytes"
	"slices"
	"strings"

	"stele/record"
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
	if t.json {
		t.splices = append(t.splices, splice{from, to, jsonScalar(want)})
		return nil
	}
	written := ""
	if from == to { // nothing stands there
		written = " "
	}
	inFlow := t.inFlow(i)
	switch c := t.first(from, to); {
	case want.typ != record.String:
		written += want.text
	case c == '"':
		written += doubleQuoted(want.text)
	case c == '\'' && !strings.ContainsAny(want.text, "\n\t") && printable(want.text):
		written += "'" + strings.ReplaceAll(want.text, "'", "''") + "'"
	case c == '>' && foldable(want.text):
		written = t.folded(i, from, want.text)
	default:
		written += yamlText(want.text, inFlow)
	}
	t.splices = append(t.splices, splice{from, to, written})
	return nil
}

func (t *source) first(from, to int) byte {
	if from < to {
		return t.data[from]
	}
	return 0
}

// folded writes a text on lines of its own, after >-, as the one was that stood there.
func (t *source) folded(i int32, from int, s string) string {
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

// inFlow reports whether node i stands inside braces or brackets.
func (t *source) inFlow(i int32) bool {
	for p := range t.tree.Nodes[:i] {
		n := &t.tree.Nodes[p]
		if n.Type != record.Object && n.Type != record.Array || !t.tree.Holds(int32(p), i) {
			continue
		}
		if o, err := t.offset(n.At); err == nil && o < len(t.data) && (t.data[o] == '{' || t.data[o] == '[') {
			return true
		}
	}
	return false
}

// insertMember adds a member to an object, after the one that the kind declares before it.
func (t *source) insertMember(i int32, m member) error {
	after := t.neighbour(i, m.name)
	if after < 0 {
		return t.firstMember(i, m)
	}
	end, err := t.end(after)
	if err != nil {
		return err
	}
	name, err := t.offset(t.tree.Nodes[after].NameAt)
	if err != nil {
		return err
	}
	start, err := t.offset(t.tree.Nodes[i].At)
	if err != nil {
		return err
	}
	before := t.data[t.lineStart(name):name]
	if t.data[start] == '{' {
		own := len(bytes.TrimSpace(before)) == 0 && t.tree.Nodes[i].At.Line != t.tree.Nodes[after].NameAt.Line
		w := writer{json: t.json, eol: t.eol, space: t.spaced(name, end), unit: t.unit(i, before)}
		separator := ", "
		if t.json && !w.space {
			separator = ","
		}
		if own {
			w.lines, separator = true, ","+t.eol+string(before)
		}
		t.splices = append(t.splices, splice{end, end, separator + w.flowMember(m, string(before))})
		return nil
	}
	indent := strings.Repeat(" ", int(t.tree.Nodes[after].NameAt.Column)-1)
	var b strings.Builder
	w := writer{eol: t.eol}
	w.blockMember(&b, m, indent)
	return t.insertLines(end, b.String())
}

// firstMember fills an object that has none.
func (t *source) firstMember(i int32, m member) error {
	start, err := t.begin(i)
	if err != nil || t.data[start] != '{' {
		return errUnclear
	}
	w := writer{json: t.json, eol: t.eol, space: true}
	t.splices = append(t.splices, splice{start + 1, start + 1, w.flowMember(m, "")})
	return nil
}

// neighbour is the member of object i after which a new one belongs; -1 where there is none.
func (t *source) neighbour(i int32, name string) int32 {
	var order []string
	if i == 0 {
		order = t.kind.Shape().MemberNames()
	}
	at := slices.Index(order, name)
	best, rank, last := int32(-1), -1, int32(-1)
	for c := range t.tree.Children(i) {
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

// append adds elements to list i, whose last element so far is given; -1 for none.
func (t *source) append(i, last int32, elements []member) error {
	start, err := t.begin(i)
	if err != nil || start >= len(t.data) {
		return errUnclear
	}
	if t.data[start] == '[' {
		return t.appendFlow(i, last, start, elements)
	}
	if t.data[start] != '-' || last < 0 {
		return errUnclear
	}
	end, err := t.end(last)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := writer{eol: t.eol}
	indent := strings.Repeat(" ", int(t.tree.Nodes[i].At.Column)-1)
	for _, e := range elements {
		w.blockElement(&b, &e.value, indent)
	}
	return t.insertLines(end, b.String())
}

func (t *source) appendFlow(i, last int32, start int, elements []member) error {
	end := start + 1
	if last >= 0 {
		var err error
		if end, err = t.end(last); err != nil {
			return err
		}
	}
	closing, err := t.closing(end)
	if err != nil {
		return err
	}
	if last < 0 && !t.json && !t.inFlow(i) && len(bytes.TrimSpace(t.data[start+1:closing])) == 0 {
		return t.openBlock(i, start, closing+1, elements)
	}
	w := writer{json: t.json, eol: t.eol, space: true}
	name := start
	if n := &t.tree.Nodes[i]; n.NameAt.Line > 0 {
		if name, err = t.offset(n.NameAt); err != nil {
			return err
		}
		w.space = t.spaced(name, start)
	}
	before := t.data[t.lineStart(name):name]
	outer := string(before)
	if len(bytes.TrimSpace(before)) > 0 {
		outer = ""
	}
	var b strings.Builder
	switch {
	case last >= 0 && t.tree.Nodes[last].At.Line != t.tree.Nodes[i].At.Line: // each on lines of its own
		at, err := t.offset(t.tree.Nodes[last].At)
		if err != nil {
			return err
		}
		inner := string(t.data[t.lineStart(at):at])
		if strings.TrimSpace(inner) != "" {
			return errUnclear
		}
		w.lines, w.unit = true, unitOf(outer, inner)
		for _, e := range elements {
			b.WriteString("," + t.eol + inner + w.flow(&e.value, inner))
		}
		t.splices = append(t.splices, splice{end, end, b.String()})
	case last < 0 && t.json && t.linesOf(i):
		w.lines, w.unit = true, t.unit(0, before)
		list := value{typ: record.Array, members: elements}
		t.splices = append(t.splices, splice{start, closing + 1, w.flow(&list, outer)})
	default:
		for n, e := range elements {
			if n > 0 || last >= 0 {
				b.WriteString(w.comma())
			}
			b.WriteString(w.flow(&e.value, ""))
		}
		t.splices = append(t.splices, splice{end, end, b.String()})
	}
	return nil
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

// linesOf reports whether the object that node i is a member of has its members on lines of their
// own.
func (t *source) linesOf(i int32) bool {
	n := &t.tree.Nodes[i]
	o, err := t.offset(n.NameAt)
	return err == nil && len(bytes.TrimSpace(t.data[t.lineStart(o):o])) == 0 && n.NameAt.Line > t.tree.Nodes[0].At.Line
}

// spaced reports whether a space stands after the colon of a name.
func (t *source) spaced(name, end int) bool {
	for o := name; o < end; o++ {
		if t.data[o] == '"' || t.data[o] == '\'' {
			if next, err := t.endOfQuoted(o); err == nil {
				o = next - 1
			}
			continue
		}
		if t.data[o] == ':' {
			return o+1 < len(t.data) && blank(t.data[o+1])
		}
	}
	return true
}

// unit is by how much the members of object i are indented further than the object.
func (t *source) unit(i int32, inner []byte) string {
	o, err := t.offset(t.tree.Nodes[i].At)
	if err != nil {
		return "  "
	}
	line := t.data[t.lineStart(o):o]
	return unitOf(string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), string(inner))
}

func unitOf(outer, inner string) string {
	if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" && strings.TrimSpace(unit) == "" {
		return unit
	}
	return "  "
}
