package schema

import (
	"strconv"
	"strings"

	"stele/internal/base/schema/codes"
)

// reportWrongType reports that node i does not have the type of member m.
func (d *Decoder) reportWrongType(i int32, m *Member, s *Shape) {
	n := &d.Tree.Nodes[i]
	want, fix := typeName(s), ""
	switch {
	case s.Type == String:
		fix = textFix(n)
	case s.Type == Array && n.Type != Object && s.Elem.Type == String:
		fix = "write a list: [" + Shorten(n.Text) + "]"
	case s.Type == Array:
		fix = "write a list, in YAML each element on a line that begins with \"- \""
	case s.Type == Digits && n.Type == String && IsNumber(n.Text):
		fix = "write " + n.Text + " without quotation marks"
	case s.Type == Bool:
		fix = "write true or false"
	case s.Type == Object && !s.Open:
		fix = "its members are " + strings.Join(s.MemberNames(), ", ")
	}
	d.ReportValue(codes.WrongValue, i, m.Name+" must be "+want+", not "+n.Describe(), fix)
}

func textFix(n *Node) string {
	if n.Type == Digits || n.Type == Bool || n.Type == Plain {
		return "write it in quotation marks: " + strconv.Quote(Shorten(n.Text))
	}
	return ""
}

func typeName(s *Shape) string {
	switch {
	case s.Integer:
		return "a whole number"
	case s.Type == Digits:
		return "a number"
	case s.Type == Bool:
		return "true or false"
	case s.Type == Array:
		return "a list"
	case s.Type == Object:
		return "an object with members"
	}
	return "text"
}

// Describe returns a short description of the value for messages.
func (n *Node) Describe() string {
	switch n.Type {
	case Null:
		return "null"
	case Bool:
		return n.Text
	case Digits:
		return "the number " + Shorten(n.Text)
	case Array:
		return "a list"
	case Object:
		return "an object"
	}
	return Quote(n.Text)
}

func isNull(s string) bool { return s == "" || s == "null" || s == "~" }

func isBool(s string) bool { return s == "true" || s == "false" }

// isBlank reports whether s contains only spaces and line breaks.
func isBlank(s string) bool {
	// For most texts, the first character decides.
	return (s == "" || s[0] <= ' ') && strings.Trim(s, " \t\n\f\r") == ""
}

// lowerFirst returns a sentence in the form that can follow a verb. An abbreviation keeps its
// capitals.
func lowerFirst(s string) string {
	s = strings.TrimSuffix(s, ".")
	if len(s) < 2 || 'A' <= s[1] && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
