package markup

import (
	"bytes"
	"strings"

	"stele/internal/base/jsonline"
)

// special contains the bytes that may need an escape: characters with a meaning in HTML, control
// characters, and the first byte of characters that change the direction of text. Any line break is
// a line break in HTML.
var special = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = c != '\n' && c != '\t' && c != '\r'
	}
	for _, c := range []byte{'&', '<', '>', '"', 0x7f, 0xe2} {
		t[c] = true
	}
	return t
}()

// The characters that end a change of text direction.
const (
	popDirection = "\u202c"
	popIsolate   = "\u2069"
)

// plain reports whether s contains only characters that need no escape: ASCII characters that are
// neither special nor control characters.
func plain(s string) bool {
	const (
		each = 0x0101010101010101 // a byte times this is that byte eight times
		high = 0x80 * each
	)
	for ; len(s) >= 8; s = s[8:] { // eight bytes at a time
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// Quotation mark and ampersand differ in one bit, and so do the angle brackets.
		quotes, angles := (x|4*each)^'&'*each, (x|2*each)^'>'*each
		// This sets the high bit of each byte that is above 126, below a space, or one of those
		// four. Carries may set more, but only if there is such a byte.
		if (x|(x-' '*each)|(x+each)|(quotes-each)|(angles-each))&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || special[c] {
			return false
		}
	}
	return true
}

// appendText appends s, escaped, to b. It closes changes of text direction in s, so that they do
// not affect the following text.
func appendText(b []byte, s string) []byte {
	if plain(s) { // the usual case
		return append(b, s...)
	}
	b = appendValue(b, s)
	embeddings, isolates := 0, 0
	for i := range len(s) {
		if s[i] == 0xe2 {
			switch direction(s[i:]) {
			case embedding:
				embeddings++
			case isolate:
				isolates++
			}
		}
	}
	if embeddings+isolates == 0 {
		return b
	}
	// Ends without a beginning have no effect, so there may be too many.
	b = appendTimes(b, popDirection, embeddings)
	b = appendTimes(b, popIsolate, isolates)
	return appendTimes(b, popDirection, embeddings)
}

// appendValue appends s, escaped, to b, and adds nothing else.
func appendValue(b []byte, s string) []byte {
	start := 0
	for i := range len(s) {
		if c := s[i]; special[c] && c != 0xe2 {
			b = append(append(b, s[start:i]...), replacement(c)...)
			start = i + 1
		}
	}
	return append(b, s[start:]...)
}

func appendTimes(b []byte, s string, n int) []byte {
	for range n {
		b = append(b, s...)
	}
	return b
}

func replacement(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&#34;"
	}
	return "\ufffd"
}

type directional uint8

const (
	neither directional = iota
	embedding
	isolate
)

// direction returns the change of text direction that s begins with.
func direction(s string) directional {
	if len(s) < 3 {
		return neither
	}
	switch {
	// U+202A, U+202B, U+202D, U+202E
	case s[1] == 0x80 && (s[2] == 0xaa || s[2] == 0xab || s[2] == 0xad || s[2] == 0xae):
		return embedding
	case s[1] == 0x81 && 0xa6 <= s[2] && s[2] <= 0xa8: // U+2066 to U+2068
		return isolate
	}
	return neither
}

// AppendJSON appends s to b as a JSON string. It escapes the characters that have a meaning in HTML
// or change the direction of text.
func AppendJSON(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	if plain(s) && strings.IndexByte(s, '\\') < 0 {
		return append(append(b, s...), '"')
	}
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && !special[c] && c != '\\' {
			continue
		}
		if c == 0xe2 {
			if direction(s[i:]) != neither {
				b = append(append(b, s[start:i]...), '\\', 'u', '2', '0', hex[s[i+1]&1<<2|s[i+2]>>4&3], hex[s[i+2]&15])
				start, i = i+3, i+2
			}
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}

// Encode returns v as compact JSON, for a separate file.
func Encode(v any) []byte {
	data, err := jsonline.Marshal(v, "")
	if err != nil {
		panic("markup: " + err.Error()) // texts and numbers can be encoded
	}
	return bytes.TrimSuffix(data, []byte{'\n'})
}
