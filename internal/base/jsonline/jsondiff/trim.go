package jsondiff

import (
	"bytes"
	"slices"

	"stele/internal/base/jsonline"
)

// Trim leaves, of two JSON objects, the members that are not the same in both to the byte, and
// those that are named. A record that changed is mostly what it was, and to pass over that takes
// much less time than to decode it. Objects that are not written as releases have them, without
// spaces, stay whole.
func Trim(old, now []byte, named ...string) (a, b []byte) {
	was, ok := members(old)
	if !ok {
		return old, now
	}
	is, ok := members(now)
	if !ok {
		return old, now
	}
	return without(was, is, named), without(is, was, named)
}

// without writes the members of one object that another does not have.
func without(these, those []member, named []string) []byte {
	b, next := []byte{'{'}, 0 // most stand in the same order in both
	for _, m := range these {
		at := next
		if at == len(those) || !bytes.Equal(those[at].name, m.name) {
			at = slices.IndexFunc(those, func(x member) bool { return bytes.Equal(x.name, m.name) })
		}
		if at >= 0 {
			next = at + 1
			if bytes.Equal(those[at].whole, m.whole) && !slices.Contains(named, string(m.name)) {
				continue
			}
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, m.whole...)
	}
	return append(b, '}')
}

// member is one of an object: its name, and the whole of it with its value.
type member struct{ name, whole []byte }

// members finds those of an object, in the order in which they stand. It does not read their
// values, and fails where it would have to read a name or to look for spaces.
func members(object []byte) (list []member, ok bool) {
	const most = 256 // no name may stand twice, and each is compared with all
	if len(object) < 2 || object[0] != '{' || object[len(object)-1] != '}' {
		return nil, false
	}
	list = make([]member, 0, 32)
	rest := object[1 : len(object)-1]
	for more := len(rest) > 0; more; {
		name := textSize(rest)
		if name == 0 || name == len(rest) || rest[name] != ':' || len(list) == most {
			return nil, false
		}
		size := name + 1 + valueSize(rest[name+1:])
		m := member{rest[1 : name-1], rest[:size]}
		if size == name+1 || !jsonline.Plain(m.name) ||
			slices.ContainsFunc(list, func(x member) bool { return bytes.Equal(x.name, m.name) }) {
			return nil, false
		}
		list = append(list, m)
		if more = size < len(rest); more {
			rest = rest[size+1:] // after a comma
		}
	}
	return list, true
}

// valueSize is how long the value is that comes next; 0 if that is none.
func valueSize(b []byte) (n int) {
	depth := 0
	for n < len(b) {
		switch b[n] {
		case '"':
			text := textSize(b[n:])
			if text == 0 {
				return 0
			}
			n += text - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return n
			}
		case ' ', '\t', '\n', '\r':
			return 0
		}
		if n++; depth < 0 {
			return 0
		}
	}
	if depth > 0 {
		return 0
	}
	return n
}

// textSize is how long the text is that comes next, with its quotation marks; 0 if that is none.
func textSize(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for n := 1; ; n++ {
		end := bytes.IndexByte(b[n:], '"')
		if end < 0 {
			return 0
		}
		n += end
		escapes := 0
		for b[n-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return n + 1
		}
	}
}
