// Package jsonline reads lines of JSON in a known form, many times as fast as a general library. It
// writes JSON in the form of all files of a release.
package jsonline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// Scanner reads a line of JSON in a known form. After a failure its results are meaningless.
type Scanner struct {
	Rest   []byte // the unread part
	failed bool
}

// Failed reports whether the input did not have the expected form.
func (s *Scanner) Failed() bool { return s.failed }

// Ended reports whether the whole line was read without a failure.
func (s *Scanner) Ended() bool { return !s.failed && len(s.Rest) == 0 }

// HasNext reports whether text comes next.
func (s *Scanner) HasNext(text string) bool {
	return len(s.Rest) >= len(text) && string(s.Rest[:len(text)]) == text
}

// Skip skips text, and fails if something else comes next.
func (s *Scanner) Skip(text string) {
	if !s.HasNext(text) {
		s.failed = true
		return
	}
	s.Rest = s.Rest[len(text):]
}

// Text skips name, which includes the colon, and reads the string after it. It fails if the string
// contains escapes.
func (s *Scanner) Text(name string) []byte {
	s.Skip(name)
	s.Skip(`"`)
	text, rest, found := bytes.Cut(s.Rest, []byte{'"'})
	s.Rest, s.failed = rest, s.failed || !found || !IsPlain(text)
	return text
}

// IsPlain reports whether text is the same inside a JSON string, without escapes.
func IsPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// Number skips name and reads an integer of at most 18 digits.
func (s *Scanner) Number(name string) (n int64) {
	const most = 18
	s.Skip(name)
	digits := 0
	for ; digits < len(s.Rest) && digits <= most && '0' <= s.Rest[digits] && s.Rest[digits] <= '9'; digits++ {
		n = n*10 + int64(s.Rest[digits]-'0')
	}
	s.failed = s.failed || digits == 0 || digits > most || s.Rest[0] == '0' && digits > 1
	s.Rest = s.Rest[digits:]
	return n
}

// Digest skips name and reads a string of 64 hexadecimal digits into d.
func (s *Scanner) Digest(name string, d *[sha256.Size]byte) {
	s.Skip(name)
	s.Skip(`"`)
	digits := s.Rest[:min(2*len(d), len(s.Rest))]
	s.Rest = s.Rest[len(digits):]
	s.Skip(`"`)
	if n, err := hex.Decode(d[:], digits); err != nil || n != len(d) {
		s.failed = true
	}
}

// Marshal returns v as JSON with a final line break, without HTML escapes. Each level is indented
// by indent, if that is not empty.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
