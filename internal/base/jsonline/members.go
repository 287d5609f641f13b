package jsonline

import (
	"bytes"
	"errors"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of an object: its name, and its value as JSON.
type Member struct{ Name, Value []byte }

var (
	errNoObject = errors.New("not a JSON object")
	errNoList   = errors.New("not a JSON list")
)

// Members takes an object apart. It is for what is known to be JSON, so that it need only find
// where values end, which takes a fraction of the time that reading them does; what it cannot take
// apart is an error all the same.
func Members(object []byte) iter.Seq2[Member, error] {
	return parts(object, "{}", cutMember, errNoObject)
}

// Elements takes a list apart, as Members does an object.
func Elements(list []byte) iter.Seq2[[]byte, error] {
	return parts(list, "[]", cutValue, errNoList)
}

// parts cuts off what stands between brackets, part by part.
func parts[T any](text []byte, brackets string, cut func([]byte) (T, []byte, bool), wrong error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		rest, ok := after(text, brackets[0])
		if end, empty := after(rest, brackets[1]); ok && empty && len(blanks(end)) == 0 {
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
			if end, last := after(rest, brackets[1]); last {
				if len(blanks(end)) == 0 {
					return
				}
				break
			}
			rest, ok = after(rest, ',')
		}
		var none T
		yield(none, wrong)
	}
}

// cutValue cuts a value off.
func cutValue(text []byte) (value, rest []byte, ok bool) {
	text = blanks(text)
	end := valueEnd(text)
	if end <= 0 {
		return nil, nil, false
	}
	return text[:end], text[end:], true
}

// cutMember cuts a member off.
func cutMember(text []byte) (m Member, rest []byte, ok bool) {
	text = blanks(text)
	end := TextEnd(text)
	if end < 0 {
		return m, nil, false
	}
	name, err := Unquote(text[:end])
	rest, ok = after(text[end:], ':')
	if err != nil || !ok {
		return m, nil, false
	}
	value, rest, ok := cutValue(rest)
	return Member{name, value}, rest, ok
}

// after cuts off a character and blanks before it.
func after(text []byte, c byte) (rest []byte, ok bool) {
	text = blanks(text)
	if len(text) == 0 || text[0] != c {
		return nil, false
	}
	return text[1:], true
}

func blanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// TextEnd is where the string ends that a text begins with; -1 if it does not.
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

// valueEnd is where the value ends that a text begins with; -1 if it does not.
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
			if depth == 0 { // the object's own end, after a number or a word
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

// Unquote returns the content of a text, and everything else as it stands in the JSON.
func Unquote(value []byte) ([]byte, error) {
	switch {
	case len(value) == 0 || value[0] != '"':
		return value, nil
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], nil
	}
	return jsontext.AppendUnquote(nil, value)
}
