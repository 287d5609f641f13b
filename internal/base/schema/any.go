package schema

import (
	"stele/internal/base/jsonline"
	"stele/internal/base/schema/codes"
)

// AppendAny appends node i to b as compact JSON. A plain YAML word becomes the JSON value that it
// looks like (a number, true, false or null), otherwise text.
func (d *Decoder) AppendAny(b []byte, i int32) []byte {
	n := &d.Tree.Nodes[i]
	switch {
	case n.Type == Object:
		return d.appendObject(b, i)
	case n.Type == Array:
		b = append(b, '[')
		for child := range d.Tree.Children(i) {
			if child > i+1 {
				b = append(b, ',')
			}
			b = d.AppendAny(b, child)
		}
		return append(b, ']')
	case n.Type == Null || n.Type == Plain && isNull(n.Text):
		return append(b, "null"...)
	case n.Type == Digits || n.Type == Plain && IsNumber(n.Text):
		if message, fix := NumberProblem(n.Text); message != "" {
			d.ReportValue(codes.WrongValue, i, message, fix)
			return append(b, '0')
		}
		return append(b, n.Text...)
	case n.Type == Bool || n.Type == Plain && isBool(n.Text):
		return append(b, n.Text...)
	}
	return jsonline.AppendText(b, n.Text)
}

func (d *Decoder) appendObject(b []byte, i int32) []byte {
	b = append(b, '{')
	seen := map[string]bool{}
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		if seen[n.Name] {
			d.ReportDuplicate(n)
			continue
		}
		seen[n.Name] = true
		b = d.AppendAny(jsonline.AppendMember(b, n.Name, nil), child)
	}
	return append(b, '}')
}
