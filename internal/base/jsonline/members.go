package jsonline

import (
	"bytes"
	"errors"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of an object: its name, unescaped, and its value as JSON.
type Member struct{ Name, Value []byte }

var (
	errNotObject = errors.New("not a JSON object")
	errNotList   = errors.New("not a JSON list")
)

// Members yields the members of object, which must be valid JSON: it only looks for the ends of
// values, which is much faster than parsing them. It yields an error if it cannot find them.
func Members(object []byte) iter.Seq2[Member, error] {
	return split(object, "{}", cutMember, errNotObject)
}

// Elements yields the elements of list, with the same precondition as Members.
func Elements(list []byte) iter.Seq2[[]byte, error] {
	return split(list, "[]", cutValue, errNotList)
}

// split yields the items between two brackets. It uses cut to split off each item. If the text does
// not have that form, the last value is the error malformed.
func split[T any](
	text []byte, brackets string, cut func([]byte) (T, []byte, bool), malformed error,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		rest, ok := cutByte(text, brackets[0])
		if end, empty := cutByte(rest, brackets[1]); ok && empty && len(trimBlanks(end)) == 0 {
			return
		}
		for ok {
			var part T
			if part, rest, ok = cut(rest); !ok {
				break
			}
			if !yield(part, nil) {
				return
			}
			if end, last := cutByte(rest, brackets[1]); last {
				if len(trimBlanks(end)) == 0 {
					return
				}
				break
			}
			rest, ok = cutByte(rest, ',')
		}
		var none T
		yield(none, malformed)
	}
}

// cutValue splits text after its first value.
func cutValue(text []byte) (value, rest []byte, ok bool) {
	text = trimBlanks(text)
	end := valueEnd(text)
	if end <= 0 {
		return nil, nil, false
	}
	return text[:end], text[end:], true
}

// cutMember splits text after its first member.
func cutMember(text []byte) (m Member, rest []byte, ok bool) {
	text = trimBlanks(text)
	end := TextEnd(text)
	if end < 0 {
		return m, nil, false
	}
	name, err := Unquote(text[:end])
	rest, ok = cutByte(text[end:], ':')
	if err != nil || !ok {
		return m, nil, false
	}
	value, rest, ok := cutValue(rest)
	return Member{name, value}, rest, ok
}

// cutByte removes blanks and the byte c from the beginning of text.
func cutByte(text []byte, c byte) (rest []byte, ok bool) {
	text = trimBlanks(text)
	if len(text) == 0 || text[0] != c {
		return nil, false
	}
	return text[1:], true
}

func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// TextEnd returns the end of the string at the beginning of text, or -1 if text does not begin with
// one.
func TextEnd(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return -1
	}
	for at := 1; ; {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			return -1
		}
		at += n + 1
		escapes := 0
		for text[at-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// valueEnd returns the end of the value at the beginning of text, or -1 if it has none.
func valueEnd(text []byte) int {
	for at, depth := 0, 0; at < len(text); {
		switch c := text[at]; c {
		case '"':
			n := TextEnd(text[at:])
			if n < 0 {
				return -1
			}
			at += n
		case '{', '[':
			depth++
			at++
		case '}', ']':
			if depth == 0 { // the end of the enclosing object or list
				return at
			}
			depth--
			at++
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			at++
			continue
		}
		if depth == 0 {
			return at
		}
	}
	return -1
}

// Unquote returns the content of a JSON string, and any other value unchanged.
func Unquote(value []byte) ([]byte, error) {
	switch {
	case len(value) == 0 || value[0] != '"':
		return value, nil
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], nil
	}
	return jsontext.AppendUnquote(nil, value)
}
