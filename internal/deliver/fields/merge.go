package fields

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"stele/internal/base/schema"
)

// Merge combines the changes of this form with the changes that others made since it was opened.
type Merge struct {
	Take      map[string]string // the user's choices, "mine" or "theirs", by the path of a conflict
	Conflicts []Conflict        // members that both changed and for which the user has not chosen
}

// Conflict is a member or a cell that this form and another person changed since it was opened.
type Conflict struct {
	Path, Label         string
	Shape               *schema.Shape
	Before, There, Mine *Node
}

// Value returns now with the changes that turn base into mine. If both differ from base in the same
// member, it adds a conflict. A list counts as one member, unless at most one of its elements
// differs in now: then each element is compared by itself.
func (m *Merge) Value(s *schema.Shape, base, mine, now *Node, path string) *Node {
	switch {
	case mine.Same(base) || mine.Same(now):
		return now
	case now.Same(base):
		return mine
	case s != nil && !s.Open && base.isObject() && mine.isObject() && now.isObject():
		return m.mergeObject(s, base, mine, now, path)
	case s != nil && base.isList() && keepsOrder(base, mine) && differsInOne(base, now):
		result := now.emptyLike(schema.Array)
		for i := range now.List {
			at := JoinPath(path, strconv.Itoa(i))
			result.List = append(result.List, m.Value(s.Elem, base.List[i], mine.List[i], now.List[i], at))
		}
		return result
	case m.Take[path] == "mine":
		return mine
	case m.Take[path] == "":
		m.Conflicts = append(m.Conflicts, Conflict{Path: path, Shape: s, Before: base, There: now, Mine: mine})
	}
	return now
}

func (m *Merge) mergeObject(s *schema.Shape, base, mine, now *Node, path string) *Node {
	result := now.emptyLike(schema.Object)
	for _, c := range now.List {
		if v := m.Value(Inner(s, c.Name), base.Find(c.Name), mine.Find(c.Name), c, JoinPath(path, c.Name)); v != nil {
			result.List = append(result.List, v)
		}
	}
	for _, c := range mine.List {
		if now.Find(c.Name) != nil {
			continue
		}
		if v := m.Value(Inner(s, c.Name), base.Find(c.Name), c, nil, JoinPath(path, c.Name)); v != nil {
			result.List = append(result.List, v)
		}
	}
	return result
}

func (n *Node) isObject() bool { return n != nil && n.Type == schema.Object }

func (n *Node) isList() bool { return n != nil && n.Type == schema.Array }

// Same reports whether n and o, which may be nil, have the same content.
func (n *Node) Same(o *Node) bool {
	switch {
	case n == o:
		return true
	case n == nil || o == nil:
		return false
	case n.IsPlain() && o.IsPlain():
		return n.Text == o.Text && (n.Type == schema.Null) == (o.Type == schema.Null)
	}
	return n.Type == o.Type && slices.EqualFunc(n.List, o.List, func(a, b *Node) bool {
		return a.Name == b.Name && a.Same(b)
	})
}

// keepsOrder reports whether the list mine of a form contains the original elements in their order.
func keepsOrder(base, mine *Node) bool {
	if !mine.isList() || len(mine.List) != len(base.List) {
		return false
	}
	for i, e := range mine.List {
		if e.From != i {
			return false
		}
	}
	return true
}

// differsInOne reports whether two lists have the same length and differ in at most one element. If
// more elements differ, elements may have moved.
func differsInOne(base, now *Node) bool {
	if !now.isList() || len(now.List) != len(base.List) {
		return false
	}
	count := 0
	for i := range now.List {
		if !now.List[i].Same(base.List[i]) {
			count++
		}
	}
	return count <= 1
}

// maxPacked is the maximum size of an unpacked hidden field, in bytes.
const maxPacked = 64 << 20

// Pack returns a value as the text of a hidden field; Unpack decodes it.
func Pack(v any) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is valid
	if err := errors.Join(json.NewEncoder(w).Encode(v), w.Close()); err != nil {
		panic("fields: " + err.Error()) // cannot fail for texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

func Unpack(text string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxPacked)).Decode(v)
}
