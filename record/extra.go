package record

import (
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// extra keeps a member of the publisher's own, whatever it holds.
func (c *checker) extra(i int32, owner any) {
	rec, ok := owner.(Record)
	if !ok {
		return
	}
	e, n := rec.Common(), &c.tree.Nodes[i]
	if c.extras[n.Name] {
		c.twice(n)
		return
	}
	if c.extras == nil {
		c.extras = map[string]bool{}
	}
	c.extras[n.Name] = true
	e.Extra = append(e.Extra, Extra{n.Name, string(c.appendAny(nil, i))})
}

// appendAny writes node i as compact JSON. A plain YAML word is what it looks like in JSON: a
// number, true, false, null, or else text.
func (c *checker) appendAny(b []byte, i int32) []byte {
	n := &c.tree.Nodes[i]
	switch {
	case n.Type == schema.Object:
		return c.appendObject(b, i)
	case n.Type == schema.Array:
		b = append(b, '[')
		for child := range c.tree.Children(i) {
			if child > i+1 {
				b = append(b, ',')
			}
			b = c.appendAny(b, child)
		}
		return append(b, ']')
	case n.Type == schema.Null || n.Type == schema.Plain && isNull(n.Text):
		return append(b, "null"...)
	case n.Type == schema.Digits || n.Type == schema.Plain && schema.IsNumber(n.Text):
		if message, fix := schema.NumberProblem(n.Text); message != "" {
			c.add(codes.WrongValue, i, nodeItself, message, fix)
			return append(b, '0')
		}
		return append(b, n.Text...)
	case n.Type == schema.Bool || n.Type == schema.Plain && isBool(n.Text):
		return append(b, n.Text...)
	}
	return jsonline.AppendText(b, n.Text)
}

func (c *checker) appendObject(b []byte, i int32) []byte {
	b = append(b, '{')
	seen := map[string]bool{}
	for child := range c.tree.Children(i) {
		n := &c.tree.Nodes[child]
		if seen[n.Name] {
			c.twice(n)
			continue
		}
		if len(seen) > 0 {
			b = append(b, ',')
		}
		seen[n.Name] = true
		b = append(jsonline.AppendText(b, n.Name), ':')
		b = c.appendAny(b, child)
	}
	return append(b, '}')
}
