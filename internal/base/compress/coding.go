package compress

import "strings"

// Coding is a content coding (RFC 9110, section 8.4.1).
type Coding uint8

// The codings that the program understands. Identity means uncompressed.
const (
	Identity Coding = iota
	Brotli
	Zstd
	Gzip
	Codings int = iota // the number of codings
)

var codingNames = [Codings]string{"identity", "br", "zstd", "gzip"}

// String returns the coding's name in headers.
func (c Coding) String() string { return codingNames[c] }

// ParseCoding returns the coding with this name, ignoring case.
func ParseCoding(name string) (Coding, bool) {
	for c, known := range codingNames {
		// Other Unicode letters that fold to ASCII letters are longer than one byte.
		if len(name) == len(known) && strings.EqualFold(name, known) {
			return Coding(c), true
		}
	}
	if len(name) == len("x-gzip") && strings.EqualFold(name, "x-gzip") { // RFC 9110, section 8.4.1.3
		return Gzip, true
	}
	return Identity, false
}
