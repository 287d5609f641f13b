package input

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// mergeDefaults merges an inner folder's defaults over those of the outer folders.
func mergeDefaults(inner, outer *schema.Tree) *schema.Tree {
	if inner == nil || outer == nil {
		return cmp.Or(inner, outer)
	}
	to := new(schema.Tree)
	mergeTrees(&merger{to: to, own: inner, defaults: outer})
	return to
}

// fillDefaults merges a record over its defaults: the record's members win, objects are merged
// member by member, and {names} in texts of the defaults are replaced by the record's members.
func fillDefaults(to, own, defaults *schema.Tree) []schema.Problem {
	return mergeTrees(&merger{to: to, own: own, defaults: defaults, fill: true})
}

func mergeTrees(m *merger) []schema.Problem {
	m.to.Reset(slices.Concat(m.own.Files, m.defaults.Files)...)
	m.mergeObjects(0, 0)
	return m.problems
}

type merger struct {
	to, own, defaults *schema.Tree
	fill              bool
	grown             int // number of bytes from replaced names
	problems          []schema.Problem
	names             map[object]map[string]int32 // for large trees only; see find
}

type object struct {
	tree *schema.Tree
	node int32
}

// mergeObjects merges object own of the record over object shared of the defaults.
func (m *merger) mergeObjects(own, shared int32) {
	m.openNode(m.own, own, 0)
	for c := range m.own.Children(own) {
		n := &m.own.Nodes[c]
		d := m.findMember(m.defaults, shared, n.Name)
		if d >= 0 && n.Type == schema.Object && m.defaults.Nodes[d].Type == schema.Object {
			m.mergeObjects(c, d)
			continue
		}
		m.copyNode(m.own, c, 0, false)
	}
	for c := range m.defaults.Children(shared) {
		if m.findMember(m.own, own, m.defaults.Nodes[c].Name) < 0 {
			m.copyNode(m.defaults, c, uint8(len(m.own.Files)), m.fill)
		}
	}
	m.to.Close()
}

// findMember returns the index of the member called name in node i, or -1. It indexes the members
// of large trees, because a linear search would be quadratic.
func (m *merger) findMember(t *schema.Tree, i int32, name string) int32 {
	const large = 1000
	if len(t.Nodes) < large {
		return t.Find(i, name)
	}
	names, ok := m.names[object{t, i}]
	if !ok {
		names = map[string]int32{}
		for c := range t.Children(i) {
			if _, twice := names[t.Nodes[c].Name]; !twice {
				names[t.Nodes[c].Name] = c
			}
		}
		if m.names == nil {
			m.names = map[object]map[string]int32{}
		}
		m.names[object{t, i}] = names
	}
	if at, ok := names[name]; ok {
		return at
	}
	return -1
}

func (m *merger) openNode(from *schema.Tree, i int32, shift uint8) {
	n := &from.Nodes[i]
	m.to.SetFile(n.File + shift)
	m.to.SetName(n.Name, n.NameAt)
	m.to.Open(n.Type, n.At)
}

// copyNode adds node i of from with its descendants. shift is added to file numbers. If fill is
// true, {names} in texts are replaced.
func (m *merger) copyNode(from *schema.Tree, i int32, shift uint8, fill bool) {
	n := &from.Nodes[i]
	if n.Type == schema.Object || n.Type == schema.Array {
		m.openNode(from, i, shift)
		for c := range from.Children(i) {
			m.copyNode(from, c, shift, fill)
		}
		m.to.Close()
		return
	}
	m.to.SetFile(n.File + shift)
	m.to.SetName(n.Name, n.NameAt)
	if fill && braceIndex(n.Text) >= 0 {
		m.addFilled(n, shift)
		return
	}
	m.to.AddScalar(n.Type, n.Text, n.At)
}

// addFilled adds a text with its {names} replaced, at the record's position, because the text
// differs between records.
func (m *merger) addFilled(n *schema.Node, shift uint8) {
	template, value := n.Text, m.memberText
	if id := m.defaults.Find(0, "id"); id >= 0 && n == &m.defaults.Nodes[id] {
		template, value = m.trimIDTemplate(template), m.memberInID
	}
	text, missing, ok := expandNames(template, maxLine-m.grown, value)
	if m.grown <= maxLine && (!ok || m.grown+len(text) > maxLine) {
		where := fmt.Sprintf("%s:%d", m.own.Files[0], m.own.Nodes[0].At.Line)
		problem := newProblem("", m.to.Files[n.File+shift], n.At, "", "")
		problem.Value = n.Text
		if m.grown+len(text) > maxLine {
			problem.Code, problem.Message = codes.TooLarge, fmt.Sprintf("the defaults of a record grow to more than %d MiB", maxLine>>20)
		} else {
			problem.Code, problem.Message, problem.Fix = codes.UnusableDefault, "{"+missing+"} is not a text member of the record ("+where+")", m.suggestName(missing)
		}
		m.problems = append(m.problems, *problem)
	}
	m.grown += len(text)
	m.to.SetFile(0)
	m.to.AddScalar(schema.Cell, text, m.own.Nodes[0].At)
}

// memberText returns the text of the record's own member name, such as source_links.0.url.
func (m *merger) memberText(name string) (text string, ok bool) {
	i, whole := m.own.Find(0, name), true
	if i < 0 { // or a nested member
		i, whole = m.own.At("/" + strings.ReplaceAll(name, ".", "/"))
	}
	v := &m.own.Nodes[i]
	switch v.Type {
	case schema.Object, schema.Array, schema.Null:
		return "", false
	case schema.Plain:
		whole = whole && v.Text != "" && v.Text != "~" && v.Text != "null"
	}
	return v.Text, whole
}

// trimIDTemplate removes the parts of an ID template whose members the record lacks: -{vintage} and
// -{dimensions.sex}.
func (m *merger) trimIDTemplate(template string) string {
	for at := 0; ; {
		begin := strings.Index(template[at:], "-{")
		if begin < 0 {
			return template
		}
		at += begin
		name, _, closed := strings.Cut(template[at+2:], "}")
		if !closed || name != "vintage" && !strings.HasPrefix(name, "dimensions.") {
			at++
			continue
		}
		end := at + 2 + len(name) + 1
		if _, ok := m.memberText(name); ok {
			at = end
		} else {
			template = template[:at] + template[end:]
		}
	}
}

// memberInID returns a member in a form allowed in IDs: the period 2016-07-01/P1Y as
// 2016-07-01-P1Y, and the ages 15+ as 15plus, to differ from 15.
func (m *merger) memberInID(name string) (text string, ok bool) {
	text, ok = m.memberText(name)
	return formatForID.Replace(text), ok
}

// formatForID replaces characters that IDs cannot contain.
var formatForID = strings.NewReplacer("/", "-", " ", "-", "+", "plus", "<", "under", ">", "over")

func (m *merger) suggestName(missing string) string {
	var names []string
	for c := range m.own.Children(0) {
		names = append(names, m.own.Nodes[c].Name)
	}
	for _, name := range names {
		// the name in the default is right, the record's is misspelled
		if name != missing && strings.EqualFold(strings.ReplaceAll(name, "-", "_"), missing) {
			return "the name in the record is " + name + ": write " + missing + " there"
		}
	}
	if near := suggest.Closest(missing, names); near != "" && near != missing {
		return "did you mean {" + near + "}?"
	}
	return "write the name of a member that all of the records have, as in {title}; write {{ and }} for braces"
}

// braceIndex returns the index of the first brace in s, or -1. It is three times as fast as
// strings.IndexAny.
func braceIndex(s string) int {
	i := strings.IndexByte(s, '{')
	if i < 0 {
		return strings.IndexByte(s, '}')
	}
	if j := strings.IndexByte(s[:i], '}'); j >= 0 {
		return j
	}
	return i
}

// expandNames replaces {names}, and {{ and }} by braces. If a name has no value, missing is that
// name. It stops if the text becomes longer than maxSize.
func expandNames(s string, maxSize int, value func(name string) (string, bool)) (text, missing string, ok bool) {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	ok = true
	for b.Len() <= maxSize {
		plain := braceIndex(s)
		if plain < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:plain])
		s = s[plain:]
		switch {
		case strings.HasPrefix(s, "{{"), strings.HasPrefix(s, "}}"):
			b.WriteByte(s[0])
			s = s[2:]
		case s[0] == '{':
			name, rest, closed := strings.Cut(s[1:], "}")
			v, found := value(name)
			if ok && (!closed || !found) {
				missing, ok = name, false
			}
			b.WriteString(v)
			s = rest
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String(), missing, ok
}
