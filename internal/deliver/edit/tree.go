package edit

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// node is a value of a record, as a form shows and changes it.
type node struct {
	name, text string
	typ        schema.Type
	list       []*node // members of an object, elements of an array
	shared     bool    // it stands in the defaults of the folder
	from       int     // of an element: which one it was; -1 for a new one
}

// nodeOf is a value of a tree.
func nodeOf(t *schema.Tree, i int32) *node {
	n := &node{name: t.Nodes[i].Name, text: t.Nodes[i].Text, typ: t.Nodes[i].Type, shared: t.Nodes[i].File != 0}
	for c := range t.Children(i) {
		child := nodeOf(t, c)
		child.from = len(n.list)
		n.list = append(n.list, child)
	}
	return n
}

// children are what a value holds, which may be nil.
func (n *node) children() []*node {
	if n == nil {
		return nil
	}
	return n.list
}

func (n *node) find(name string) *node {
	for _, c := range n.children() {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (n *node) plain() bool { return n.typ != schema.Object && n.typ != schema.Array }

// shown is the text of a field; "" for nothing.
func (n *node) shown() string {
	if n == nil || n.typ == schema.Null {
		return ""
	}
	return unixLines(n.text)
}

// unixLines is a text with the line breaks that records have: browsers send others.
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// trimmed is a value without white space around it.
func (f form) trimmed(name string) string { return strings.TrimSpace(f.Get(name)) }

// maxElements is how many elements a list of a form may have.
const maxElements = 5000

// form are the values that a browser sent. Their names lead into the record with dots. Beside the
// elements of a list, its name and ".#" says how many there are, and that of an element and ".@"
// which one it was.
type form struct {
	url.Values
	blank bool // elements without anything in them stay, to be filled in
}

// value is the value of a shape, or of a member that no shape names for nil, after the form. What
// the form does not have is as it was; nil is nothing.
func (f form) value(s *schema.Shape, was *node, path string) *node {
	switch {
	case s == nil && (was == nil || !was.plain()):
		return was
	case s == nil || s.Type != schema.Object && s.Type != schema.Array:
		return f.scalar(s, was, path)
	case s.Type == schema.Array:
		return f.array(s, was, path)
	case s.Open:
		return f.terms(was, path)
	}
	return f.object(s, was, path)
}

func (f form) scalar(s *schema.Shape, was *node, path string) *node {
	if !f.Has(path) {
		return was
	}
	text := unixLines(f.Get(path))
	if was != nil && was.shown() == text {
		return was
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	now := &node{text: text, typ: schema.Plain}
	if was != nil {
		now.name, now.typ, now.from = was.name, was.typ, was.from
		if was.plain() && strings.HasSuffix(was.text, "\n") {
			now.text += "\n"
		}
	}
	if s != nil {
		now.typ = s.Type
	}
	return now
}

func (f form) object(s *schema.Shape, was *node, path string) *node {
	now := was.emptied(schema.Object)
	for _, c := range was.children() {
		if v := f.value(inner(s, c.name), c, join(path, c.name)); v != nil {
			now.list = append(now.list, v)
		}
	}
	for i := range s.Members {
		m := &s.Members[i]
		if was.find(m.Name) != nil {
			continue
		}
		if v := f.value(m.Shape, nil, join(path, m.Name)); v != nil {
			v.name = m.Name
			now.list = append(now.list, v)
		}
	}
	return now.after(was, path == "")
}

// inner is the shape of a member, or of the elements of a list for ""; nil where none is named.
func inner(s *schema.Shape, name string) *schema.Shape {
	switch {
	case s == nil:
		return nil
	case name == "":
		return s.Elem
	case s.Open:
		return textShape
	}
	if m := s.Member(name); m != nil {
		return m.Shape
	}
	return nil
}

// emptied is what takes the place of a value, which may be nil, without what it holds.
func (n *node) emptied(typ schema.Type) *node {
	now := &node{typ: typ}
	if n != nil {
		now.name, now.from = n.name, n.from
	}
	return now
}

// after is a value that holds others, after a form: what it was if that is the same, and nil for
// one that holds nothing and may not be empty.
func (n *node) after(was *node, mayBeEmpty bool) *node {
	switch {
	case was != nil && slices.Equal(was.list, n.list):
		return was
	case len(n.list) == 0 && !mayBeEmpty:
		return nil
	}
	return n
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (f form) array(s *schema.Shape, was *node, path string) *node {
	now := was.emptied(schema.Array)
	switch {
	case f.Has(path): // one on each line
		for line := range strings.SplitSeq(unixLines(f.Get(path)), "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			e := &node{text: line, typ: s.Elem.Type, from: -1}
			if i := len(now.list); i < len(was.children()) && strings.TrimSpace(was.list[i].shown()) == line {
				e = was.list[i]
			}
			now.list = append(now.list, e)
		}
	case f.Has(path + ".#"):
		for i := range f.count(path) {
			at := path + "." + strconv.Itoa(i)
			var before *node
			from, err := strconv.Atoi(f.Get(at + ".@"))
			if err != nil || from < 0 || from >= len(was.children()) {
				from = -1
			} else {
				before = was.list[from]
			}
			e := f.value(s.Elem, before, at)
			if e == nil && f.blank {
				e = &node{typ: s.Elem.Type, from: from}
			}
			if e != nil {
				if e.from != from {
					c := *e
					c.from, e = from, &c
				}
				now.list = append(now.list, e)
			}
		}
	default:
		return was
	}
	return now.after(was, was != nil)
}

// count is how many elements a list has in the form.
func (f form) count(path string) int {
	n, err := strconv.Atoi(f.Get(path + ".#"))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxElements)
}

// terms are names with texts, which are the author's own.
func (f form) terms(was *node, path string) *node {
	if !f.Has(path + ".#") {
		return was
	}
	now := was.emptied(schema.Object)
	for i := range f.count(path) {
		at := path + "." + strconv.Itoa(i)
		name, text := f.trimmed(at+".name"), unixLines(f.Get(at+".value"))
		if name == "" && strings.TrimSpace(text) == "" && !f.blank {
			continue
		}
		c := was.find(name)
		if c == nil || c.shown() != text || now.find(name) != nil {
			c = &node{name: name, text: strings.TrimSpace(text), typ: schema.String}
		}
		now.list = append(now.list, c)
	}
	return now.after(was, false)
}

// do changes the lists of the form as a button asks: "add source_links", "remove source_links.1",
// "up source_links.1", "today published_date", "set evidence_ids.0=evd-a".
func (f form) do(action string, today string) {
	verb, path, _ := strings.Cut(action, " ")
	list, last := "", ""
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		list, last = path[:at], path[at+1:]
	}
	i, err := strconv.Atoi(last)
	n := f.count(list)
	switch {
	case verb == "today":
		f.Set(path, today)
	case verb == "set":
		name, value, _ := strings.Cut(path, "=")
		f.Set(name, value)
	case verb == "add":
		f.Set(path+".#", strconv.Itoa(min(f.count(path)+1, maxElements)))
	case err != nil || i < 0 || i >= n:
	case verb == "up" && i > 0:
		f.move(path, list+".~")
		f.move(list+"."+strconv.Itoa(i-1), path)
		f.move(list+".~", list+"."+strconv.Itoa(i-1))
	case verb == "remove":
		f.move(path, "")
		for ; i+1 < n; i++ {
			f.move(list+"."+strconv.Itoa(i+1), list+"."+strconv.Itoa(i))
		}
		f.Set(list+".#", strconv.Itoa(n-1))
	}
}

// move renames all values at and below a path; to "" they go.
func (f form) move(from, to string) {
	for name, values := range f.Values {
		if name != from && !strings.HasPrefix(name, from+".") {
			continue
		}
		delete(f.Values, name)
		if to != "" {
			f.Values[to+name[len(from):]] = values
		}
	}
}

// difference is what makes one value of another.
func difference(s *schema.Shape, was, now *node, path string, required bool) (list []amend.Setting) {
	whole := func() []amend.Setting {
		return []amend.Setting{{Path: path, Value: string(now.appendJSON(nil, s)), JSON: true}}
	}
	switch {
	case was == now:
		return nil
	case now == nil || now.typ == schema.Array && len(now.list) == 0 && !required:
		return []amend.Setting{{Path: path, Unset: true}}
	case now.plain():
		return []amend.Setting{{Path: path, Value: now.text}}
	case was == nil || s == nil || s.Open || was.typ != now.typ:
		return whole()
	case now.typ == schema.Array:
		if len(was.list) != len(now.list) {
			return whole()
		}
		for i, e := range now.list {
			if e.from != i || e.plain() != was.list[i].plain() {
				return whole()
			}
		}
		for i, e := range now.list {
			list = append(list, difference(s.Elem, was.list[i], e, path+"."+strconv.Itoa(i), true)...)
		}
		return list
	}
	for _, c := range was.list {
		m := s.Member(c.name)
		required := m != nil && m.Required
		list = append(list, difference(inner(s, c.name), c, now.find(c.name), join(path, c.name), required)...)
	}
	for _, c := range now.list {
		if was.find(c.name) == nil {
			list = append(list, difference(inner(s, c.name), nil, c, join(path, c.name), true)...)
		}
	}
	return list
}

// appendJSON writes a value, with the types of its shape where they fit.
func (n *node) appendJSON(b []byte, s *schema.Shape) []byte {
	ends := "[]"
	switch n.typ {
	case schema.Null:
		return append(b, "null"...)
	case schema.Object:
		ends = "{}"
	case schema.Array:
	default:
		typed := n.typ != schema.String
		if s != nil {
			typed = s.Type == schema.Digits || s.Type == schema.Bool
		}
		if typed && json.Valid([]byte(n.text)) && !strings.ContainsAny(n.text[:1], `"[{`) {
			return append(b, n.text...)
		}
		return jsonline.AppendText(b, n.text)
	}
	b = append(b, ends[0])
	for i, c := range n.list {
		if i > 0 {
			b = append(b, ',')
		}
		if n.typ == schema.Object {
			b = append(jsonline.AppendText(b, c.name), ':')
		}
		b = c.appendJSON(b, inner(s, c.name))
	}
	return append(b, ends[1])
}

var textShape = &schema.Shape{Type: schema.String}
