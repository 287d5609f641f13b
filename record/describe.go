package record

import (
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// wrongType reports a value of another type than its member has.
func (c *checker) wrongType(i int32, m *Member, s *Shape) {
	n := &c.tree.Nodes[i]
	want, fix := wanted(s), ""
	switch {
	case s.Type == schema.String:
		fix = textFix(n)
	case s.Type == schema.Array && n.Type != schema.Object && s.Elem.Type == schema.String:
		fix = "write a list: [" + schema.Shorten(n.Text) + "]"
	case s.Type == schema.Array:
		fix = "write a list, in YAML each element on a line that begins with \"- \""
	case s.Type == schema.Digits && n.Type == schema.String && schema.IsNumber(n.Text):
		fix = "write " + n.Text + " without quotation marks"
	case s.Type == schema.Bool:
		fix = "write true or false"
	case s.Type == schema.Object && !s.Open:
		fix = "its members are " + strings.Join(s.MemberNames(), ", ")
	}
	c.add(codes.WrongValue, i, nodeItself, m.Name+" must be "+want+", not "+describe(n), fix)
}

func textFix(n *schema.Node) string {
	if n.Type == schema.Digits || n.Type == schema.Bool || n.Type == schema.Plain {
		return "write it in quotation marks: " + strconv.Quote(schema.Shorten(n.Text))
	}
	return ""
}

func wanted(s *Shape) string {
	switch {
	case s.Integer:
		return "a whole number"
	case s.Type == schema.Digits:
		return "a number"
	case s.Type == schema.Bool:
		return "true or false"
	case s.Type == schema.Array:
		return "a list"
	case s.Type == schema.Object:
		return "an object with members"
	}
	return "text"
}

func describe(n *schema.Node) string {
	switch n.Type {
	case schema.Null:
		return "null"
	case schema.Bool:
		return n.Text
	case schema.Digits:
		return "the number " + schema.Shorten(n.Text)
	case schema.Array:
		return "a list"
	case schema.Object:
		return "an object"
	}
	return schema.Quote(n.Text)
}

func isNull(s string) bool { return s == "" || s == "null" || s == "~" }

func isBool(s string) bool { return s == "true" || s == "false" }

// blank reports whether a text holds nothing but spaces and line breaks.
func blank(s string) bool {
	// most are known by their first character
	return (s == "" || s[0] <= ' ') && strings.Trim(s, " \t\n\f\r") == ""
}

// lowerFirst makes a sentence follow a verb. An abbreviation keeps its capitals.
func lowerFirst(s string) string {
	s = strings.TrimSuffix(s, ".")
	if len(s) < 2 || 'A' <= s[1] && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
