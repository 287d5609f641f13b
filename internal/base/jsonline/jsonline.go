// Package jsonline reads lines of JSON whose form is known, many times as fast as a library for any
// JSON does, and writes JSON as all files of a release have it.
package jsonline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// Scanner goes down a line of JSON whose form is known. What it answers with means nothing once
// it failed.
type Scanner struct {
	Rest   []byte // what is still to be read
	failed bool
}

// Failed reports whether something else stood there than was asked for.
func (s *Scanner) Failed() bool { return s.failed }

// Ended reports whether all was read, and nothing failed.
func (s *Scanner) Ended() bool { return !s.failed && len(s.Rest) == 0 }

// Sees reports whether something comes next.
func (s *Scanner) Sees(what string) bool {
	return len(s.Rest) >= len(what) && string(s.Rest[:len(what)]) == what
}

// Skip passes over what must come next.
func (s *Scanner) Skip(what string) {
	if !s.Sees(what) {
		s.failed = true
		return
	}
	s.Rest = s.Rest[len(what):]
}

// Text reads a string after its name.
func (s *Scanner) Text(name string) []byte {
	s.Skip(name)
	s.Skip(`"`)
	text, rest, found := bytes.Cut(s.Rest, []byte{'"'})
	s.Rest, s.failed = rest, s.failed || !found || !Plain(text)
	return text
}

// Plain reports whether a text stands for itself in JSON.
func Plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// Number reads a number of which no digit can be too many.
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

// Digest reads 64 hexadecimal digits after their name.
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

// Marshal writes JSON with a line break at its end, without the escapes of <, > and & that only
// pages need. Each level gets an indent, if there is one.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
