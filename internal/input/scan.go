package input

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/record"
)

// scanner reads a line of JSON into a tree in one pass, several times as fast as jsonReader does.
// It gives up on whatever is wrong or too deep, and leaves that to jsonReader, which can say what
// it is. What it does read, it reads exactly as jsonReader does: a fuzz test holds the two
// together.
type scanner struct {
	text string
	at   int // offset of the next byte
	line int32
	wide int // how many bytes more than characters there are before at
	tree *record.Tree
}

// scanLine reads the one value that a line holds, and reports whether it could.
func scanLine(t *record.Tree, file, text string, line int32) bool {
	t.Reset(file)
	s := scanner{text: text, line: line, tree: t}
	s.blanks()
	if !s.value() {
		return false
	}
	s.blanks()
	return s.at == len(text)
}

// pos is where the next byte stands.
func (s *scanner) pos() record.Pos { return record.Pos{Line: s.line, Column: int32(s.at-s.wide) + 1} }

func (s *scanner) blanks() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

// skip goes past a character, if it comes next.
func (s *scanner) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) value() bool {
	if s.at == len(s.text) || s.tree.Depth() >= maxDepth || len(s.tree.Nodes) >= maxNodes {
		return false
	}
	at := s.pos()
	switch c := s.text[s.at]; c {
	case '{':
		s.tree.Open(record.Object, at)
		return s.object()
	case '[':
		s.tree.Open(record.Array, at)
		return s.array()
	case '"':
		text, ok := s.string()
		s.tree.Scalar(record.String, text, at)
		return ok
	case 't':
		return s.word(record.Bool, "true", at)
	case 'f':
		return s.word(record.Bool, "false", at)
	case 'n':
		return s.word(record.Null, "null", at)
	default:
		return (c == '-' || digit(c)) && s.number(at)
	}
}

// object reads members, from one brace to the other.
func (s *scanner) object() bool {
	s.at++
	if s.blanks(); s.skip('}') {
		s.tree.Close()
		return true
	}
	for {
		if s.blanks(); !s.member() {
			return false
		}
		if s.blanks(); s.skip('}') {
			s.tree.Close()
			return true
		}
		if !s.skip(',') {
			return false
		}
	}
}

func (s *scanner) member() bool {
	at := s.pos()
	if s.at == len(s.text) || s.text[s.at] != '"' {
		return false
	}
	name, ok := s.string()
	if s.blanks(); !ok || !s.skip(':') {
		return false
	}
	s.blanks()
	s.tree.Member(name, at)
	return s.value()
}

// array reads elements, from one bracket to the other.
func (s *scanner) array() bool {
	s.at++
	if s.blanks(); s.skip(']') {
		s.tree.Close()
		return true
	}
	for {
		if s.blanks(); !s.value() {
			return false
		}
		if s.blanks(); s.skip(']') {
			s.tree.Close()
			return true
		}
		if !s.skip(',') {
			return false
		}
	}
}

// string reads a string and answers with its text, cut out of the line where it has no escapes.
func (s *scanner) string() (text string, ok bool) {
	start := s.at
	escaped, ascii := false, true
	for i := start + 1; ; i++ {
		if i += record.PlainBytes(s.text[min(i, len(s.text)):]); i >= len(s.text) {
			return "", false
		}
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.content(start, escaped, ascii)
		case c == '\\':
			escaped = true
			i++ // what follows is looked at when the string is unescaped
		case c >= utf8.RuneSelf:
			ascii = false
		default: // a control character
			return "", false
		}
	}
}

// content is the text of the string from start to here.
func (s *scanner) content(start int, escaped, ascii bool) (text string, ok bool) {
	raw := s.text[start:s.at]
	if !ascii {
		if !utf8.ValidString(raw) {
			return "", false
		}
		s.wide += len(raw) - utf8.RuneCountInString(raw)
	}
	if !escaped {
		return raw[1 : len(raw)-1], true
	}
	unescaped, err := jsontext.AppendUnquote(nil, raw)
	return string(unescaped), err == nil && firstBad(unescaped) < 0
}

func (s *scanner) word(typ record.Type, word string, at record.Pos) bool {
	end := s.at + len(word)
	if end > len(s.text) || s.text[s.at:end] != word {
		return false
	}
	s.tree.Scalar(typ, s.text[s.at:end], at)
	s.at = end
	return true
}

func (s *scanner) number(at record.Pos) bool {
	start := s.at
	s.skip('-')
	if !s.skip('0') && !s.digits() {
		return false
	}
	if s.skip('.') && !s.digits() {
		return false
	}
	if s.skip('e') || s.skip('E') {
		if !s.skip('+') {
			s.skip('-')
		}
		if !s.digits() {
			return false
		}
	}
	s.tree.Scalar(record.Digits, s.text[start:s.at], at)
	return true
}

// digits goes past digits, and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && digit(s.text[s.at]) {
		s.at++
	}
	return s.at > start
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
