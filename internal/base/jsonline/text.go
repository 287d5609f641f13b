package jsonline

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendText appends s as a JSON string and escapes only what JSON requires.
func AppendText(b []byte, s string) []byte {
	if PlainBytes(s) == len(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, s) // only fails for invalid UTF-8, which it replaces
	return b
}

// PlainBytes returns the number of bytes at the beginning of s that need no escape in a JSON string
// and are one character each: printable ASCII except quotation marks and backslashes.
func PlainBytes(s string) int {
	const (
		each = 0x0101010101010101 // times a byte: that byte eight times
		high = 0x80 * each
	)
	n := 0
	for ; len(s)-n >= 8; n += 8 { // eight bytes at a time
		x := binary.LittleEndian.Uint64([]byte(s[n : n+8])) // does not copy
		quotation, backslash := x^'"'*each, x^'\\'*each
		// special has the high bit of each byte that is above 126, below a space, a quotation mark
		// or a backslash. Carries and borrows can set more bits, but only after such a byte, and
		// only the first one counts.
		special := (x | (x - ' '*each) | (x + each) | (quotation - each) | (backslash - each)) & high
		if special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for n < len(s) && plainByte(s[n]) {
		n++
	}
	return n
}

// IsControl reports whether r is a control character other than a tab or a line break.
func IsControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

func plainByte(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf-1 && c != '"' && c != '\\'
}
