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

func (n *node) find(name string) *node {
	if n != nil {
		for _, c := range n.list {
			if c.name == name {
				return c
			}
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
	now := &node{typ: schema.Object}
	var done []string
	if was != nil {
		now.name, now.from = was.name, was.from
		for _, c := range was.list {
			m := s.Member(c.name)
			var shape *schema.Shape
			if m != nil {
				shape = m.Shape
			}
			done = append(done, c.name)
			if v := f.value(shape, c, join(path, c.name)); v != nil {
				now.list = append(now.list, v)
			}
		}
	}
	for i := range s.Members {
		m := &s.Members[i]
		if slices.Contains(done, m.Name) {
			continue
		}
		if v := f.value(m.Shape, nil, join(path, m.Name)); v != nil {
			v.name = m.Name
			now.list = append(now.list, v)
		}
	}
	if len(now.list) == 0 && path != "" {
		if was != nil && len(was.list) == 0 {
			return was
		}
		return nil
	}
	if was != nil && slices.Equal(was.list, now.list) {
		return was
	}
	return now
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (f form) array(s *schema.Shape, was *node, path string) *node {
	now := &node{typ: schema.Array}
	if was != nil {
		now.name, now.from = was.name, was.from
	}
	switch {
	case f.Has(path): // one on each line
		for line := range strings.SplitSeq(unixLines(f.Get(path)), "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			e := &node{text: line, typ: s.Elem.Type, from: -1}
			if i := len(now.list); was != nil && i < len(was.list) && strings.TrimSpace(was.list[i].shown()) == line {
				e = was.list[i]
			}
			now.list = append(now.list, e)
		}
	case f.Has(path + ".#"):
		for i := range f.count(path) {
			at := path + "." + strconv.Itoa(i)
			var before *node
			from, err := strconv.Atoi(f.Get(at + ".@"))
			if err != nil || was == nil || from < 0 || from >= len(was.list) {
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
	switch {
	case was == nil && len(now.list) == 0:
		return nil
	case was != nil && slices.Equal(was.list, now.list):
		return was
	}
	return now
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
	now := &node{typ: schema.Object}
	if was != nil {
		now.name = was.name
	}
	for i := range f.count(path) {
		at := path + "." + strconv.Itoa(i)
		name, text := strings.TrimSpace(f.Get(at+".name")), unixLines(f.Get(at+".value"))
		if name == "" && strings.TrimSpace(text) == "" && !f.blank {
			continue
		}
		c := was.find(name)
		if c == nil || c.shown() != text || now.find(name) != nil {
			c = &node{name: name, text: strings.TrimSpace(text), typ: schema.String}
		}
		now.list = append(now.list, c)
	}
	switch {
	case len(now.list) == 0 && was == nil:
		return nil
	case was != nil && slices.Equal(was.list, now.list):
		return was
	case len(now.list) == 0 && len(was.list) > 0:
		return nil
	}
	return now
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
		var shape *schema.Shape
		if m != nil {
			shape = m.Shape
		}
		list = append(list, difference(shape, c, now.find(c.name), join(path, c.name), m != nil && m.Required)...)
	}
	for _, c := range now.list {
		if was.find(c.name) == nil {
			var shape *schema.Shape
			if m := s.Member(c.name); m != nil {
				shape = m.Shape
			}
			list = append(list, difference(shape, nil, c, join(path, c.name), true)...)
		}
	}
	return list
}

// appendJSON writes a value, with the types of its shape where they fit.
func (n *node) appendJSON(b []byte, s *schema.Shape) []byte {
	switch {
	case n.typ == schema.Null:
		return append(b, "null"...)
	case n.typ == schema.Array:
		b = append(b, '[')
		for i, c := range n.list {
			if i > 0 {
				b = append(b, ',')
			}
			var elem *schema.Shape
			if s != nil {
				elem = s.Elem
			}
			b = c.appendJSON(b, elem)
		}
		return append(b, ']')
	case n.typ == schema.Object:
		b = append(b, '{')
		for i, c := range n.list {
			if i > 0 {
				b = append(b, ',')
			}
			var shape *schema.Shape
			if s != nil && !s.Open {
				if m := s.Member(c.name); m != nil {
					shape = m.Shape
				}
			} else if s != nil {
				shape = textShape
			}
			b = append(jsonline.AppendText(b, c.name), ':')
			b = c.appendJSON(b, shape)
		}
		return append(b, '}')
	}
	typed := n.typ != schema.String && (s == nil || s.Type == schema.Digits || s.Type == schema.Bool)
	if s != nil && (s.Type == schema.Digits || s.Type == schema.Bool) {
		typed = true
	}
	if typed && json.Valid([]byte(n.text)) && !strings.ContainsAny(n.text[:1], `"[{`) {
		return append(b, n.text...)
	}
	return jsonline.AppendText(b, n.text)
}

var textShape = &schema.Shape{Type: schema.String}
