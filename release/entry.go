package release

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// Entry is a line of a kind's listing.
type Entry struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
	Title   string `json:"title,omitempty"`
	Updated string `json:"updated_date,omitempty"`
	SHA256  Digest `json:"sha256"`
}

// Entries reads the listing of a kind. A listing that is not what the manifest says ends with an error.
func (r *Release) Entries(kind string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		k := r.KindNamed(kind)
		if k == nil { // made before there was such a kind
			return
		}
		for line, err := range r.Lines(k.Index) {
			var e Entry
			if err == nil {
				e, err = parseEntry(line)
			}
			if err != nil {
				yield(e, fmt.Errorf("%s: %w", k.Index, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// parseEntry reads a line of a listing.
func parseEntry(line []byte) (e Entry, err error) {
	if e, ok := scanEntry(string(line)); ok {
		return e, nil
	}
	err = json.Unmarshal(line, &e)
	return e, err
}

// scanEntry reads a line of the form that this program writes, many times as fast as a library for any JSON does. It gives up on whatever has another form or
// an escape in it; what it does read, it reads as the library would.
func scanEntry(line string) (e Entry, ok bool) {
	s := entryScanner{rest: line}
	e.ID = s.text(`{"id":`)
	e.Version = s.number(`,"version":`)
	if strings.HasPrefix(s.rest, `,"title":`) {
		e.Title = s.text(`,"title":`)
	}
	if strings.HasPrefix(s.rest, `,"updated_date":`) {
		e.Updated = s.text(`,"updated_date":`)
	}
	s.digest(`,"sha256":`, &e.SHA256)
	s.skip("}")
	return e, !s.failed && s.rest == ""
}

// entryScanner goes down a line. What it answers with means nothing once it failed.
type entryScanner struct {
	rest   string
	failed bool
}

func (s *entryScanner) skip(what string) {
	rest, found := strings.CutPrefix(s.rest, what)
	s.rest, s.failed = rest, s.failed || !found
}

// text reads a string behind its name.
func (s *entryScanner) text(name string) string {
	s.skip(name)
	s.skip(`"`)
	text, rest, found := strings.Cut(s.rest, `"`)
	s.rest, s.failed = rest, s.failed || !found || !plain(text)
	return text
}

// plain reports whether a text stands for itself in JSON.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] == '\\' {
			return false
		}
	}
	return utf8.ValidString(text)
}

// number reads a number of which no digit can be too many.
func (s *entryScanner) number(name string) (n int64) {
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
func (s *entryScanner) digest(name string, d *Digest) {
	var digits [2 * len(d)]byte
	s.skip(name)
	s.skip(`"`)
	s.rest = s.rest[copy(digits[:], s.rest):]
	s.skip(`"`)
	if _, err := hex.Decode(d[:], digits[:]); err != nil {
		s.failed = true
	}
}
