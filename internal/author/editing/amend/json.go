package amend

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// editJSON rewrites a JSON record with the same indentation as before, or on one line if it was on
// one line. Members keep their order, and numbers their digits.
func (t *source) editJSON(i int32, want *value) {
	if is := valueAt(t.tree, i); is.equal(want) {
		return
	}
	start := t.startOffset(i)
	var old json.RawMessage
	mustBe(json.NewDecoder(bytes.NewReader(t.data[start:])).Decode(&old) == nil)
	open := old[1 : 1+max(0, bytes.IndexByte(old[1:], '"'))] // the text before the first member
	spaced := bytes.Contains(old, []byte(`": `))
	b := appendJSON(nil, t.inDeclaredOrder(i, want), spaced)
	if at := bytes.LastIndexByte(open, '\n'); at >= 0 {
		line := t.data[t.lineStart(start):start]
		outer := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
		var lines bytes.Buffer
		mustBe(json.Indent(&lines, b, outer, strings.TrimPrefix(string(open[at+1:]), outer)) == nil)
		b = bytes.ReplaceAll(lines.Bytes(), []byte("\n"), []byte(t.eol))
	}
	t.splices = append(t.splices, splice{start, start + len(old), string(b)})
}

// inDeclaredOrder returns want with the members of node i in their old order, and new members
// inserted in the order that the kind declares.
func (t *source) inDeclaredOrder(i int32, want *value) *value {
	list := valueAt(t.tree, i)
	list.members = slices.DeleteFunc(list.members, func(m member) bool { return want.memberIndex(m.name) < 0 })
	for _, m := range want.members {
		if at := list.memberIndex(m.name); at >= 0 {
			list.members[at] = m
			continue
		}
		at := len(list.members)
		if c := t.precedingMember(i, m.name, want); c >= 0 {
			at = list.memberIndex(t.tree.Nodes[c].Name) + 1
		}
		list.members = slices.Insert(list.members, at, m)
	}
	return &list
}

// appendJSON appends v to b as JSON on one line, with spaces after colons and commas if spaced is
// true.
func appendJSON(b []byte, v *value, spaced bool) []byte {
	switch {
	case v.typ == schema.Null:
		return append(b, "null"...)
	case v.typ == schema.String || v.typ == schema.Plain && !looksTyped(v.text):
		return jsonline.AppendText(b, v.text)
	case v.isScalar():
		return append(b, v.text...)
	}
	brackets := "{}"
	if v.typ == schema.Array {
		brackets = "[]"
	}
	b = append(b, brackets[0])
	for i := range v.members {
		if i > 0 {
			b = append(b, ',')
		}
		if i > 0 && spaced {
			b = append(b, ' ')
		}
		if v.typ == schema.Object {
			if b = append(jsonline.AppendText(b, v.members[i].name), ':'); spaced {
				b = append(b, ' ')
			}
		}
		b = appendJSON(b, &v.members[i].value, spaced)
	}
	return append(b, brackets[1])
}
