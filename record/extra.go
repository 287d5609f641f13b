package record

// extra keeps a member of the publisher's own, whatever it holds.
func (c *checker) extra(i int32) {
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
