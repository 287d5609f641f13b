package schema

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/jsonline"
)

// scanner reads JSON into a tree in one pass, several times as fast as a general decoder. It gives
// up on whatever is wrong or too deep, and leaves it to its caller to find out what that is.
type scanner struct {
	text string
	at   int // offset of the next byte
	line int32
	// base is the offset at which the line would begin if all its characters so far were of one
	// byte
	base     int
	tree     *Tree
	controls bool // whether texts may hold control characters
}

// ScanJSON reads the one value that a JSON text holds, and reports whether it could: the text has
// to be JSON in UTF-8 without control characters, and within MaxDepth and MaxNodes. The texts of
// the tree are cut out of it.
func (t *Tree) ScanJSON(file, text string, line int32) bool {
	return t.ScanJSONAt(file, text, Pos{line, 1})
}

// ScanJSONAt does so for a text that begins within a line.
func (t *Tree) ScanJSONAt(file, text string, at Pos) bool {
	t.Reset(file)
	return (&scanner{text: text, line: at.Line, base: 1 - int(at.Column), tree: t}).whole()
}

// ScanLenient reads JSON as ScanJSON does, and lets texts hold control characters.
func (t *Tree) ScanLenient(text string) bool {
	t.Reset("")
	return (&scanner{text: text, line: 1, tree: t, controls: true}).whole()
}

// whole reads a value and makes sure that nothing follows.
func (s *scanner) whole() bool {
	s.blanks()
	if !s.value() {
		return false
	}
	s.blanks()
	return s.at == len(s.text)
}

// pos is where the next byte stands.
func (s *scanner) pos() Pos { return Pos{Line: s.line, Column: int32(s.at-s.base) + 1} }

func (s *scanner) blanks() {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case ' ', '\t', '\r':
		case '\n':
			s.line, s.base = s.line+1, s.at+1
		default:
			return
		}
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
	if s.at == len(s.text) || len(s.tree.Nodes) >= MaxNodes {
		return false
	}
	at, c := s.pos(), s.text[s.at]
	if (c == '{' || c == '[') && s.tree.Depth() == MaxDepth {
		return false
	}
	switch c {
	case '{':
		s.tree.Open(Object, at)
		return s.many('}')
	case '[':
		s.tree.Open(Array, at)
		return s.many(']')
	case '"':
		text, ok := s.quoted()
		s.tree.Scalar(String, text, at)
		return ok
	case 't':
		return s.word(Bool, "true", at)
	case 'f':
		return s.word(Bool, "false", at)
	case 'n':
		return s.word(Null, "null", at)
	default:
		return s.number(at)
	}
}

// many reads members, or elements, from one brace or bracket to the other.
func (s *scanner) many(end byte) bool {
	s.at++
	if s.blanks(); s.skip(end) {
		s.tree.Close()
		return true
	}
	for {
		s.blanks()
		if end == '}' && !s.member() || end == ']' && !s.value() {
			return false
		}
		if s.blanks(); s.skip(end) {
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
	name, ok := s.quoted()
	if s.blanks(); !ok || !s.skip(':') {
		return false
	}
	s.blanks()
	s.tree.Member(name, at)
	return s.value()
}

// quoted reads a string and answers with its text, cut out of the text where it has no escapes.
func (s *scanner) quoted() (text string, ok bool) {
	start := s.at
	escaped, ascii := false, true
	for i := start + 1; ; i++ {
		if i += jsonline.PlainBytes(s.text[min(i, len(s.text)):]); i >= len(s.text) {
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
		case c == 0x7f && s.controls: // the one that JSON lets stand
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
		s.base += len(raw) - utf8.RuneCountInString(raw)
	}
	if !escaped {
		return raw[1 : len(raw)-1], true
	}
	unescaped, err := jsontext.AppendUnquote(nil, raw)
	return string(unescaped), err == nil && (s.controls || !bytes.ContainsFunc(unescaped, jsonline.IsControl))
}

func (s *scanner) word(typ Type, word string, at Pos) bool {
	s.tree.Scalar(typ, word, at)
	found := strings.HasPrefix(s.text[s.at:], word)
	s.at += len(word)
	return found
}

func (s *scanner) number(at Pos) bool {
	n := numberLen(s.text[s.at:])
	s.tree.Scalar(Digits, s.text[s.at:s.at+n], at)
	s.at += n
	return n > 0
}
