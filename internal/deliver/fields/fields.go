// Package fields converts the fields of a form to the value of a record, and back. It compares a
// value with the value when the form was opened, and merges the changes of two people.
package fields

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// Node is a value of a record in a form. A hidden field stores the original Node for comparison.
type Node struct {
	Name   string      `json:"n,omitempty"`
	Text   string      `json:"t,omitempty"`
	Type   schema.Type `json:"y,omitempty"`
	List   []*Node     `json:"l,omitempty"` // members of an object, elements of an array
	Shared bool        `json:"s,omitempty"` // it comes from the defaults of the folder
	From   int         `json:"-"`           // previous index of an element; -1 for a new one
}

// UnmarshalJSON also sets From in the elements of a list.
func (n *Node) UnmarshalJSON(data []byte) error {
	type plain Node
	err := json.Unmarshal(data, (*plain)(n))
	for i, c := range n.List {
		if c == nil {
			return errors.New("malformed value")
		}
		c.From = i
	}
	return err
}

// NodeOf returns node i of a tree, with its descendants.
func NodeOf(t *schema.Tree, i int32) *Node {
	n := &Node{Name: t.Nodes[i].Name, Text: t.Nodes[i].Text, Type: t.Nodes[i].Type, Shared: t.Nodes[i].File != 0}
	for c := range t.Children(i) {
		child := NodeOf(t, c)
		child.From = len(n.List)
		n.List = append(n.List, child)
	}
	return n
}

// Children returns the members or elements of a value. n may be nil.
func (n *Node) Children() []*Node {
	if n == nil {
		return nil
	}
	return n.List
}

func (n *Node) Find(name string) *Node {
	for _, c := range n.Children() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (n *Node) IsPlain() bool { return n.Type != schema.Object && n.Type != schema.Array }

// Shown returns the text of a field, or "".
func (n *Node) Shown() string {
	if n == nil || n.Type == schema.Null {
		return ""
	}
	return UnixLines(n.Text)
}

// UnixLines converts the line breaks that browsers send.
func UnixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Trimmed returns a form value without surrounding white space.
func (f Form) Trimmed(name string) string { return strings.TrimSpace(f.Get(name)) }

// maxElements is the maximum number of elements of a list in a form.
const maxElements = 5000

// Form contains the values that a browser sent. Names are paths with dots. For a list, the name
// with ".#" contains the number of elements, and the name of an element with ".@" its previous
// index.
type Form struct {
	url.Values
	Blank bool // keep empty elements, to be filled in
}

// Value returns the value at path from the form, with shape s. s is nil for a member without a
// shape. Missing fields keep their values in was. If there is no value, the result is nil.
func (f Form) Value(s *schema.Shape, was *Node, path string) *Node {
	switch {
	case s == nil && (was == nil || !was.IsPlain()), s != nil && s.Open && s.Elem != nil: // no form has such objects
		return was
	case s == nil || s.Type != schema.Object && s.Type != schema.Array:
		return f.scalarValue(s, was, path)
	case s.Type == schema.Array:
		return f.arrayValue(s, was, path)
	case s.Open:
		return f.termsValue(was, path)
	}
	return f.objectValue(s, was, path)
}

func (f Form) scalarValue(s *schema.Shape, was *Node, path string) *Node {
	if !f.Has(path) {
		return was
	}
	text := UnixLines(f.Get(path))
	if was != nil && was.Shown() == text {
		return was
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	now := &Node{Text: text, Type: schema.Plain}
	if was != nil {
		now.Name, now.Type, now.From = was.Name, was.Type, was.From
		if was.IsPlain() && strings.HasSuffix(was.Text, "\n") {
			now.Text += "\n"
		}
	}
	if s != nil {
		now.Type = s.Type
	}
	return now
}

func (f Form) objectValue(s *schema.Shape, was *Node, path string) *Node {
	now := was.emptyLike(schema.Object)
	for _, c := range was.Children() {
		if v := f.Value(Inner(s, c.Name), c, JoinPath(path, c.Name)); v != nil {
			now.List = append(now.List, v)
		}
	}
	for i := range s.Members {
		m := &s.Members[i]
		if was.Find(m.Name) != nil {
			continue
		}
		if v := f.Value(m.Shape, nil, JoinPath(path, m.Name)); v != nil {
			v.Name = m.Name
			now.List = append(now.List, v)
		}
	}
	return now.orSame(was, path == "")
}

// Inner returns the shape of the member called name, or of the elements of a list if name is "". It
// returns nil if the shape is unknown.
func Inner(s *schema.Shape, name string) *schema.Shape {
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

// emptyLike returns an empty object or list to replace n, which may be nil.
func (n *Node) emptyLike(typ schema.Type) *Node {
	now := &Node{Type: typ}
	if n != nil {
		now.Name, now.From = n.Name, n.From
	}
	return now
}

// orSame returns n, or was if both are equal. It returns nil if n is empty and mayBeEmpty is false.
func (n *Node) orSame(was *Node, mayBeEmpty bool) *Node {
	switch {
	case was != nil && slices.Equal(was.List, n.List):
		return was
	case len(n.List) == 0 && !mayBeEmpty:
		return nil
	}
	return n
}

func JoinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (f Form) arrayValue(s *schema.Shape, was *Node, path string) *Node {
	now := was.emptyLike(schema.Array)
	switch {
	case f.Has(path): // one element per line
		for line := range strings.SplitSeq(UnixLines(f.Get(path)), "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			e := &Node{Text: line, Type: s.Elem.Type, From: -1}
			if i := len(now.List); i < len(was.Children()) && strings.TrimSpace(was.List[i].Shown()) == line {
				e = was.List[i]
			}
			now.List = append(now.List, e)
		}
	case f.Has(path + ".#"):
		for i := range f.Count(path) {
			at := path + "." + strconv.Itoa(i)
			var before *Node
			from, err := strconv.Atoi(f.Get(at + ".@"))
			if err != nil || from < 0 || from >= len(was.Children()) {
				from = -1
			} else {
				before = was.List[from]
			}
			e := f.Value(s.Elem, before, at)
			if e == nil && f.Blank {
				e = &Node{Type: s.Elem.Type, From: from}
			}
			if e != nil {
				if e.From != from {
					c := *e
					c.From, e = from, &c
				}
				now.List = append(now.List, e)
			}
		}
	default:
		return was
	}
	return now.orSame(was, was != nil)
}

// Count returns the number of elements of a list in the form.
func (f Form) Count(path string) int {
	n, err := strconv.Atoi(f.Get(path + ".#"))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxElements)
}

// termsValue returns an object whose names and texts the author chooses.
func (f Form) termsValue(was *Node, path string) *Node {
	if !f.Has(path + ".#") {
		return was
	}
	now := was.emptyLike(schema.Object)
	for i := range f.Count(path) {
		at := path + "." + strconv.Itoa(i)
		name, text := f.Trimmed(at+".name"), UnixLines(f.Get(at+".value"))
		if name == "" && strings.TrimSpace(text) == "" && !f.Blank {
			continue
		}
		c := was.Find(name)
		if c == nil || c.Shown() != text || now.Find(name) != nil {
			c = &Node{Name: name, Text: strings.TrimSpace(text), Type: schema.String}
		}
		now.List = append(now.List, c)
	}
	return now.orSame(was, false)
}

// Do performs the action of a button, such as "add source_links", "remove source_links.1", "up
// source_links.1", "today published_date" or "set evidence_ids.0=evd-a".
func (f Form) Do(action string, today string) {
	verb, path, _ := strings.Cut(action, " ")
	list, last := "", ""
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		list, last = path[:at], path[at+1:]
	}
	i, err := strconv.Atoi(last)
	n := f.Count(list)
	switch {
	case verb == "today":
		f.Set(path, today)
	case verb == "set":
		name, value, _ := strings.Cut(path, "=")
		f.Set(name, value)
	case verb == "add":
		f.Set(path+".#", strconv.Itoa(min(f.Count(path)+1, maxElements)))
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

// move renames all values at and below the path from, or deletes them if to is "".
func (f Form) move(from, to string) {
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

// Difference returns the settings that change was into now.
func Difference(s *schema.Shape, was, now *Node, path string, required bool) (list []amend.Setting) {
	whole := func() []amend.Setting {
		return []amend.Setting{{Path: path, Value: string(now.AppendJSON(nil, s)), JSON: true}}
	}
	switch {
	case was.Same(now):
		return nil
	case now == nil || now.Type == schema.Array && len(now.List) == 0 && !required:
		return []amend.Setting{{Path: path, Unset: true}}
	case now.IsPlain():
		return []amend.Setting{{Path: path, Value: now.Text}}
	case was == nil || s == nil || s.Open || was.Type != now.Type:
		return whole()
	case now.Type == schema.Array:
		if len(was.List) != len(now.List) {
			return whole()
		}
		for i, e := range now.List {
			if e.From != i || e.IsPlain() != was.List[i].IsPlain() {
				return whole()
			}
		}
		for i, e := range now.List {
			list = append(list, Difference(s.Elem, was.List[i], e, path+"."+strconv.Itoa(i), true)...)
		}
		return list
	}
	for _, c := range was.List {
		m := s.Member(c.Name)
		required := m != nil && m.Required
		list = append(list, Difference(Inner(s, c.Name), c, now.Find(c.Name), JoinPath(path, c.Name), required)...)
	}
	for _, c := range now.List {
		if was.Find(c.Name) == nil {
			list = append(list, Difference(Inner(s, c.Name), nil, c, JoinPath(path, c.Name), true)...)
		}
	}
	return list
}

// AppendJSON appends n to b as JSON, with the types of shape s if possible.
func (n *Node) AppendJSON(b []byte, s *schema.Shape) []byte {
	ends := "[]"
	switch n.Type {
	case schema.Null:
		return append(b, "null"...)
	case schema.Object:
		ends = "{}"
	case schema.Array:
	default:
		typed := n.Type != schema.String
		if s != nil {
			typed = s.Type == schema.Digits || s.Type == schema.Bool
		}
		if typed && json.Valid([]byte(n.Text)) && !strings.ContainsAny(n.Text[:1], `"[{`) {
			return append(b, n.Text...)
		}
		return jsonline.AppendText(b, n.Text)
	}
	b = append(b, ends[0])
	for i, c := range n.List {
		if i > 0 {
			b = append(b, ',')
		}
		if n.Type == schema.Object {
			b = append(jsonline.AppendText(b, c.Name), ':')
		}
		b = c.AppendJSON(b, Inner(s, c.Name))
	}
	return append(b, ends[1])
}

var textShape = &schema.Shape{Type: schema.String}

// SortPaths sorts paths of fields in the order of the shape's members.
func SortPaths(s *schema.Shape, paths []string) []string {
	slices.SortFunc(paths, func(a, b string) int {
		of := s
		for a != b {
			var first, second string
			first, a, _ = strings.Cut(a, ".")
			second, b, _ = strings.Cut(b, ".")
			if first != second {
				return cmp.Or(cmp.Compare(memberRank(of, first), memberRank(of, second)), cmp.Compare(first, second))
			}
			if of = Inner(of, first); of != nil && of.Type == schema.Array {
				of = of.Elem
				_, a, _ = strings.Cut(a, ".")
				_, b, _ = strings.Cut(b, ".")
			}
		}
		return 0
	})
	return paths
}

func memberRank(s *schema.Shape, name string) int {
	if s == nil || s.Type != schema.Object {
		return 0
	}
	return slices.Index(s.MemberNames(), name)
}

// At returns the value at path in n, and its shape. Either may be nil.
func At(s *schema.Shape, n *Node, path string) (*schema.Shape, *Node) {
	for step := range strings.SplitSeq(path, ".") {
		i, err := strconv.Atoi(step)
		if n != nil && n.Type == schema.Array && err == nil && i < len(n.List) {
			n, s = n.List[i], Inner(s, "")
		} else {
			n, s = n.Find(step), Inner(s, step)
		}
	}
	return s, n
}

// Span returns the first and the last of consecutive numbers, or 0 if values is empty. ok is false
// if values are not consecutive numbers.
func Span(values []string) (first, last int64, ok bool) {
	var list []int64
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return 0, 0, false
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		return 0, 0, true
	}
	first, last = slices.Min(list), slices.Max(list)
	return first, last, last-first == int64(len(list))-1
}
