package jsondiff

import (
	"bytes"
	"slices"

	"stele/internal/base/jsonline"
)

// Trim returns two JSON objects without the members that are equal in both, except the named ones.
// Most members of a changed record are unchanged, and skipping them is much faster than decoding
// them. Trim returns documents that are not simple objects unchanged.
func Trim(old, now []byte, named ...string) (a, b []byte) {
	was, ok1 := parseMembers(old)
	is, ok2 := parseMembers(now)
	if !ok1 || !ok2 {
		return old, now
	}
	return changedMembers(was, is, named), changedMembers(is, was, named)
}

// changedMembers returns an object with the members of these that differ from those, and the named
// members.
func changedMembers(these, those []jsonline.Member, named []string) []byte {
	b, next := []byte{'{'}, 0 // members usually have the same order in both
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

// parseMembers returns the members of object. It fails if a name is repeated.
func parseMembers(object []byte) (list []jsonline.Member, ok bool) {
	const most = 256 // each name is compared with all others
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
