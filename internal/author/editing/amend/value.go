package amend

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/record"
)

// value is a value to write into a record.
type value struct {
	typ     schema.Type
	text    string
	members []member // members of an object; elements of an array have no names
}

type member struct {
	name  string
	value value
}

func textValue(s string) value  { return value{typ: schema.String, text: s} }
func (v *value) isScalar() bool { return v.typ != schema.Object && v.typ != schema.Array }

// valueOf returns part as a value, without empty texts.
func valueOf[T record.Correction | record.SourceUpdate | settings.Redaction](part T) value {
	data, _ := json.Marshal(part) // cannot fail for these structs
	t := new(schema.Tree)
	t.ScanLenient(string(data))
	v := valueAt(t, 0)
	empty := func(m member) bool { return m.value.typ == schema.String && m.value.text == "" }
	v.members = slices.DeleteFunc(v.members, empty)
	return v
}

func valueFromJSON(s string) (value, error) {
	t := new(schema.Tree)
	if !t.ScanJSON("", s, 1) {
		return value{}, errors.New("malformed JSON for a list or object")
	}
	return valueAt(t, 0), nil
}

func valueAt(t *schema.Tree, i int32) value {
	n := &t.Nodes[i]
	v := value{typ: n.Type, text: n.Text}
	if count := t.Count(i); count > 0 {
		v.members = make([]member, 0, count)
	}
	for c := range t.Children(i) {
		v.members = append(v.members, member{t.Nodes[c].Name, valueAt(t, c)})
	}
	return v
}

// equal reports whether v and w are equal. A YAML word or CSV cell equals a value of any type with
// the same text.
func (v *value) equal(w *value) bool {
	if v.isScalar() != w.isScalar() || v.text != w.text ||
		v.typ != w.typ && !(v.isScalar() && (acceptsAny(v.typ) || acceptsAny(w.typ))) {
		return false
	}
	same := func(a, b member) bool { return a.name == b.name && a.value.equal(&b.value) }
	return slices.EqualFunc(v.members, w.members, same)
}

// equalUnordered reports whether v and w are equal, ignoring the order of members.
func (v value) equalUnordered(w value) bool {
	v, w = v.sorted(), w.sorted()
	return v.equal(&w)
}

func acceptsAny(t schema.Type) bool { return t == schema.Plain || t == schema.Cell }

// withValueAt returns v with the value to at path, and creates missing objects. New members can be
// anywhere, because an edit inserts them next to their neighbours; see sorted.
func (v value) withValueAt(path []string, to value) value {
	if len(path) == 0 {
		return to
	}
	v.members = slices.Clone(v.members)
	for i := range v.members {
		if v.pathSegment(i) == path[0] {
			v.members[i].value = v.members[i].value.withValueAt(path[1:], to)
			return v
		}
	}
	name := path[0]
	if v.typ == schema.Array {
		name = ""
	}
	v.members = append(v.members, member{name, wrapInPath(path[1:], to)})
	return v
}

// withoutPath returns v without the member at path, which must exist.
func (v value) withoutPath(path []string) value {
	v.members = slices.Clone(v.members)
	for i := range v.members {
		switch {
		case v.pathSegment(i) != path[0]:
		case len(path) == 1:
			v.members = slices.Delete(v.members, i, i+1)
			return v
		default:
			v.members[i].value = v.members[i].value.withoutPath(path[1:])
			return v
		}
	}
	return v
}

func (v *value) pathSegment(i int) string {
	if v.typ == schema.Array {
		return strconv.Itoa(i)
	}
	return v.members[i].name
}

// memberIndex returns the index of the member called name, or -1.
func (v *value) memberIndex(name string) int {
	return slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
}

// wrapInPath puts v into objects and arrays, one for each segment of path.
func wrapInPath(path []string, v value) value {
	for _, step := range slices.Backward(path) {
		if step == "0" {
			v = value{typ: schema.Array, members: []member{{"", v}}}
			continue
		}
		v = value{typ: schema.Object, members: []member{{step, v}}}
	}
	return v
}

// sorted returns v with the members of its objects sorted by name.
func (v value) sorted() value {
	v.members = slices.Clone(v.members)
	for i := range v.members {
		v.members[i].value = v.members[i].value.sorted()
	}
	if v.typ == schema.Object {
		slices.SortStableFunc(v.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	}
	return v
}
