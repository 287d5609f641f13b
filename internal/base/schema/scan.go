package schema

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/jsonline"
)

// scanner reads JSON into a tree in one pass, several times as fast as a general decoder. It stops
// at any fault without describing it.
type scanner struct {
	text string
	at   int // offset of the next byte
	line int32
	// base is the offset of the line's beginning, corrected for multi-byte characters.
	base     int
	tree     *Tree
	controls bool // whether texts may contain control characters
}

// ScanJSON reads the value in text and reports whether it is valid: JSON in UTF-8, without control
// characters, within MaxDepth and MaxNodes. The tree's texts share memory with text.
func (t *Tree) ScanJSON(file, text string, line int32) bool {
	return t.ScanJSONAt(file, text, Pos{line, 1})
}

// ScanJSONAt is ScanJSON for a text that begins at position at of its file.
func (t *Tree) ScanJSONAt(file, text string, at Pos) bool {
	t.Reset(file)
	return (&scanner{text: text, line: at.Line, base: 1 - int(at.Column), tree: t}).scanDocument()
}

// ScanLenient is ScanJSON, but allows control characters in texts.
func (t *Tree) ScanLenient(text string) bool {
	t.Reset("")
	return (&scanner{text: text, line: 1, tree: t, controls: true}).scanDocument()
}

// scanDocument reads one value and checks that nothing follows it.
func (s *scanner) scanDocument() bool {
	s.skipBlanks()
	if !s.scanValue() {
		return false
	}
	s.skipBlanks()
	return s.at == len(s.text)
}

// pos returns the position of the next byte.
func (s *scanner) pos() Pos { return Pos{Line: s.line, Column: int32(s.at-s.base) + 1} }

func (s *scanner) skipBlanks() {
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

// skip skips the character c, and reports whether it came next.
func (s *scanner) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) scanValue() bool {
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
		return s.scanItems('}')
	case '[':
		s.tree.Open(Array, at)
		return s.scanItems(']')
	case '"':
		text, ok := s.scanQuoted()
		s.tree.AddScalar(String, text, at)
		return ok
	case 't':
		return s.scanWord(Bool, "true", at)
	case 'f':
		return s.scanWord(Bool, "false", at)
	case 'n':
		return s.scanWord(Null, "null", at)
	default:
		return s.scanNumber(at)
	}
}

// scanItems reads members or elements up to the closing character end.
func (s *scanner) scanItems(end byte) bool {
	s.at++
	if s.skipBlanks(); s.skip(end) {
		s.tree.Close()
		return true
	}
	for {
		s.skipBlanks()
		if end == '}' && !s.scanMember() || end == ']' && !s.scanValue() {
			return false
		}
		if s.skipBlanks(); s.skip(end) {
			s.tree.Close()
			return true
		}
		if !s.skip(',') {
			return false
		}
	}
}

func (s *scanner) scanMember() bool {
	at := s.pos()
	if s.at == len(s.text) || s.text[s.at] != '"' {
		return false
	}
	name, ok := s.scanQuoted()
	if s.skipBlanks(); !ok || !s.skip(':') {
		return false
	}
	s.skipBlanks()
	s.tree.SetName(name, at)
	return s.scanValue()
}

func (s *scanner) scanQuoted() (text string, ok bool) {
	start := s.at
	escaped, ascii := false, true
	for i := start + 1; ; i++ {
		if i += jsonline.PlainBytes(s.text[min(i, len(s.text)):]); i >= len(s.text) {
			return "", false
		}
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.scanContent(start, escaped, ascii)
		case c == '\\':
			escaped = true
			i++ // the escape is checked when the string is unescaped
		case c >= utf8.RuneSelf:
			ascii = false
		case c == 0x7f && s.controls: // the only control character that JSON allows
		default: // a control character
			return "", false
		}
	}
}

// scanContent returns the content of the string from start to the current position.
func (s *scanner) scanContent(start int, escaped, ascii bool) (text string, ok bool) {
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

func (s *scanner) scanWord(typ Type, word string, at Pos) bool {
	s.tree.AddScalar(typ, word, at)
	found := strings.HasPrefix(s.text[s.at:], word)
	s.at += len(word)
	return found
}

func (s *scanner) scanNumber(at Pos) bool {
	n := numberLen(s.text[s.at:])
	s.tree.AddScalar(Digits, s.text[s.at:s.at+n], at)
	s.at += n
	return n > 0
}
