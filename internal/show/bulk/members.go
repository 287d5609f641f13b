package bulk

import (
	"bytes"
	"errors"
	"iter"
)

// member is a member of an object: its name, and its value as JSON.
type member struct{ name, value []byte }

var (
	errNoObject = errors.New("not a JSON object")
	errNoList   = errors.New("not a JSON list")
)

// members takes an object apart. It is for what is known to be JSON, so that it need only find
// where values end, which takes a fraction of the time that reading them does; what it cannot take
// apart is an error all the same.
func members(object []byte) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		rest, ok := after(object, '{')
		if end, empty := after(rest, '}'); ok && empty && len(blanks(end)) == 0 {
			return
		}
		for ok {
			var m member
			if m, rest, ok = cutMember(rest); !ok {
				break
			}
			if !yield(m, nil) {
				return
			}
			if end, last := after(rest, '}'); last {
				if ok = len(blanks(end)) == 0; ok {
					return
				}
				break
			}
			rest, ok = after(rest, ',')
		}
		yield(member{}, errNoObject)
	}
}

// elements takes a list apart, as members does an object.
func elements(list []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rest, ok := after(list, '[')
		if end, empty := after(rest, ']'); ok && empty && len(blanks(end)) == 0 {
			return
		}
		for ok {
			rest = blanks(rest)
			end := valueEnd(rest)
			if end <= 0 {
				break
			}
			if !yield(rest[:end], nil) {
				return
			}
			rest = rest[end:]
			if end, last := after(rest, ']'); last {
				if len(blanks(end)) == 0 {
					return
				}
				break
			}
			rest, ok = after(rest, ',')
		}
		yield(nil, errNoList)
	}
}

// cutMember cuts a member off.
func cutMember(text []byte) (m member, rest []byte, ok bool) {
	text = blanks(text)
	end := textEnd(text)
	if end < 0 {
		return m, nil, false
	}
	name, err := cell(text[:end]).text()
	rest, ok = after(text[end:], ':')
	if err != nil || !ok {
		return m, nil, false
	}
	rest = blanks(rest)
	if end = valueEnd(rest); end <= 0 {
		return m, nil, false
	}
	return member{name, rest[:end]}, rest[end:], true
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

// textEnd is where the string ends that a text begins with; -1 if it does not.
func textEnd(text []byte) int {
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
			n := textEnd(text[at:])
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
