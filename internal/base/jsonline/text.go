package jsonline

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendText writes a text as a JSON string, escaping only what JSON requires.
func AppendText(b []byte, s string) []byte {
	if PlainBytes(s) == len(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, s) // fails for invalid UTF-8, which no reader lets through, and replaces it
	return b
}

// PlainBytes counts the bytes at the beginning of a text that stand for themselves in a JSON string
// and for one character each: ASCII without quotation marks, backslashes and control characters.
func PlainBytes(s string) int {
	const (
		each = 0x0101010101010101 // a byte times this is that byte eight times
		high = 0x80 * each
	)
	n := 0
	for ; len(s)-n >= 8; n += 8 { // eight bytes at a time
		x := binary.LittleEndian.Uint64([]byte(s[n : n+8])) // which copies nothing
		quotation, backslash := x^'"'*each, x^'\\'*each
		// This sets the high bit of each byte that is above 127, below a space, 127, a quotation
		// mark or a backslash. Borrowing and carrying can set more, but only after such a byte,
		// and the first is what counts.
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

// IsControl reports whether r is a control character. Text has no others than tabs and line breaks.
func IsControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

func plainByte(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf-1 && c != '"' && c != '\\'
}
