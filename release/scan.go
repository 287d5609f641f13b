package release

import (
	"bytes"
	"encoding/hex"
	"unicode/utf8"
)

// lineScanner goes down a line of JSON whose form is known. What it answers with means nothing once
// it failed.
type lineScanner struct {
	rest   []byte
	failed bool
}

// ended reports whether all was read, and nothing failed.
func (s *lineScanner) ended() bool { return !s.failed && len(s.rest) == 0 }

// sees reports whether something comes next.
func (s *lineScanner) sees(what string) bool {
	return len(s.rest) >= len(what) && string(s.rest[:len(what)]) == what
}

func (s *lineScanner) skip(what string) {
	if !s.sees(what) {
		s.failed = true
		return
	}
	s.rest = s.rest[len(what):]
}

// text reads a string behind its name.
func (s *lineScanner) text(name string) []byte {
	s.skip(name)
	s.skip(`"`)
	text, rest, found := bytes.Cut(s.rest, []byte{'"'})
	s.rest, s.failed = rest, s.failed || !found || !plain(text)
	return text
}

// plain reports whether a text stands for itself in JSON.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// number reads a number of which no digit can be too many.
func (s *lineScanner) number(name string) (n int64) {
	const most = 18
	s.skip(name)
	digits := 0
	for ; digits < len(s.rest) && digits <= most && '0' <= s.rest[digits] && s.rest[digits] <= '9'; digits++ {
		n = n*10 + int64(s.rest[digits]-'0')
	}
	s.failed = s.failed || digits == 0 || digits > most || s.rest[0] == '0' && digits > 1
	s.rest = s.rest[digits:]
	return n
}

// digest reads 64 hexadecimal digits behind their name.
func (s *lineScanner) digest(name string, d *Digest) {
	s.skip(name)
	s.skip(`"`)
	digits := s.rest[:min(2*len(d), len(s.rest))]
	s.rest = s.rest[len(digits):]
	s.skip(`"`)
	if n, err := hex.Decode(d[:], digits); err != nil || n != len(d) {
		s.failed = true
	}
}
