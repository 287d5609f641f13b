package record

// decodeExtra decodes a custom member with any content.
func (c *checker) decodeExtra(i int32) {
	e, n := c.rec.Common(), &c.Tree.Nodes[i]
	if c.extras[n.Name] {
		c.ReportDuplicate(n)
		return
	}
	if c.extras == nil {
		c.extras = map[string]bool{}
	}
	c.extras[n.Name] = true
	e.Extra = append(e.Extra, Extra{n.Name, string(c.AppendAny(nil, i))})
}
