package jsondiff

import (
	"bytes"
	"slices"

	"stele/internal/base/jsonline"
)

// Trim leaves, of two JSON objects, the members that are not the same in both to the byte, and
// those that are named. A record that changed is mostly what it was, and to pass over that takes
// much less time than to decode it. What cannot be taken apart stays whole.
func Trim(old, now []byte, named ...string) (a, b []byte) {
	was, ok1 := members(old)
	is, ok2 := members(now)
	if !ok1 || !ok2 {
		return old, now
	}
	return without(was, is, named), without(is, was, named)
}

// without writes the members of one object that another does not have.
func without(these, those []jsonline.Member, named []string) []byte {
	b, next := []byte{'{'}, 0 // most stand in the same order in both
	for _, m := range these {
		at := next
		if at == len(those) || !bytes.Equal(those[at].Name, m.Name) {
			at = find(those, m.Name)
		}
		if at >= 0 {
			next = at + 1
			if bytes.Equal(those[at].Value, m.Value) && !slices.Contains(named, string(m.Name)) {
				continue
			}
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(jsonline.AppendText(b, string(m.Name)), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// members are those of an object, each of which stands there once.
func members(object []byte) (list []jsonline.Member, ok bool) {
	const most = 256 // because each name is compared with all
	list = make([]jsonline.Member, 0, 32)
	for m, err := range jsonline.Members(object) {
		if err != nil || len(list) == most || find(list, m.Name) >= 0 {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

func find(list []jsonline.Member, name []byte) int {
	return slices.IndexFunc(list, func(m jsonline.Member) bool { return bytes.Equal(m.Name, name) })
}
