package amend

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stele/internal/base/schema"
	"stele/internal/base/suggest"
	"stele/record"
)

// written is a record in its file.
type written struct {
	id       string
	kind     *record.Kind
	own      *schema.Tree // its members in the file
	merged   *schema.Tree // with defaults
	problems []schema.Problem
}

// digest returns the digest of the JSON as which the record is published.
func (r *written) digest() [sha256.Size]byte {
	rec, _, _ := new(record.Parser).Decode(r.kind, r.merged)
	return sha256.Sum256(r.kind.AppendJSON(nil, rec))
}

// text returns the text of the member called name, from the record or its defaults.
func (r *written) text(name string) string { return r.merged.Text(name) }

// has reports whether the record has a member, or must have it.
func (r *written) has(name string) bool {
	m := r.kind.Shape().Member(name)
	return r.merged.Find(0, name) >= 0 || m != nil && m.Required
}

// appendToList returns v, a value of the record, with element added to list. If the list comes from
// the defaults, the record gets a copy of it, and the defaults stay as they are.
func (r *written) appendToList(v value, list string, element value) value {
	l := value{typ: schema.Array}
	if i := r.merged.Find(0, list); i >= 0 && r.merged.Nodes[i].Type == schema.Array {
		l = valueAt(r.merged, i)
	}
	l.members = append(l.members, member{"", element})
	return v.withValueAt([]string{list}, l)
}

// overlay returns v, a value of the record, with the value to at path. Lists from the defaults are
// copied completely, because records replace them completely.
func (r *written) overlay(v value, path []string, to value) value {
	for n := 1; n < len(path); n++ {
		i, whole := r.merged.At(jsonPointer(path[:n]))
		if _, own := r.own.At(jsonPointer(path[:n])); whole && !own && r.merged.Nodes[i].Type == schema.Array {
			if _, taken := v.lookUp(path[:n]); !taken {
				v = v.withValueAt(path[:n], valueAt(r.merged, i))
			}
			break
		}
	}
	return v.withValueAt(path, to)
}

func jsonPointer(path []string) string {
	steps := make([]any, len(path))
	for i, step := range path {
		steps[i] = step
	}
	return schema.Pointer(steps...)
}

// changedMembers returns the names of the members that differ between before and r.
func (r *written) changedMembers(before *written) []string {
	var names []string
	is, was := valueAt(r.merged, 0), valueAt(before.merged, 0)
	for _, m := range is.members {
		if i := was.memberIndex(m.name); i < 0 || !m.value.equal(&was.members[i].value) {
			names = append(names, m.name)
		}
	}
	for _, m := range was.members {
		if is.memberIndex(m.name) < 0 {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

// hold has the members that keep a record from being published, which are allowed in any record.
var hold = sync.OnceValue(schema.ShapeOf[record.Hold])

// parseTyped returns s, a value from the command line, with the type of the member at path.
func (r *written) parseTyped(path []string, s string) (value, error) {
	if strings.TrimSpace(s) == "" {
		return value{}, fmt.Errorf("%[1]s would be empty; to remove it, use --unset %[1]s", strings.Join(path, "."))
	}
	if m := hold().Member(path[0]); m != nil && len(path) == 1 {
		return value{typ: m.Shape.Type, text: s}, nil
	}
	shape := r.kind.Shape()
	for n, step := range path {
		name := strings.Join(path[:n+1], ".")
		switch {
		case shape == nil: // in one of the publisher's own members
		case shape.Type == schema.Array:
			count := 0
			if i, whole := r.merged.At(jsonPointer(path[:n])); whole {
				count = r.merged.Count(i)
			}
			if at, err := strconv.Atoi(step); err != nil || at < 0 || at > count {
				return value{}, fmt.Errorf("%s is a list with %d elements: number them from 0, as in %s.0",
					strings.Join(path[:n], "."), count, strings.Join(path[:n], "."))
			}
			shape = shape.Elem
		case shape.Open:
			return textValue(s), nil
		case shape.Type != schema.Object:
			return value{}, fmt.Errorf("%s has no members", strings.Join(path[:n], "."))
		case shape.Extra && strings.HasPrefix(step, "x_"):
			shape = nil
		default:
			m := shape.Member(step)
			if m == nil {
				return value{}, fmt.Errorf("unknown member %s%s", name, suggest.DidYouMean(step, shape.MemberNames()))
			}
			shape = m.Shape
		}
	}
	switch {
	case shape == nil:
		return r.guessType(path, s), nil
	case shape.Type == schema.Object, shape.Type == schema.Array:
		return value{},
			fmt.Errorf("%s has several values: set them one by one, or change them with a text editor and name the member in --fields",
				strings.Join(path, "."))
	}
	return value{typ: shape.Type, text: s}, nil
}

// guessType returns s as the value of one of the publisher's own members, with the type of the old
// value or the type that s suggests.
func (r *written) guessType(path []string, s string) value {
	if i, whole := r.merged.At(jsonPointer(path)); whole && r.merged.Nodes[i].Type == schema.String {
		return textValue(s)
	}
	if strings.Trim(s[:1], "-0123456789") == "" && json.Valid([]byte(s)) {
		return value{typ: schema.Digits, text: s}
	}
	if s == "true" || s == "false" {
		return value{typ: schema.Bool, text: s}
	}
	return textValue(s)
}

func (v *value) lookUp(path []string) (value, bool) {
	if len(path) == 0 {
		return *v, true
	}
	for i := range v.members {
		if v.pathSegment(i) == path[0] {
			return v.members[i].value.lookUp(path[1:])
		}
	}
	return value{}, false
}
