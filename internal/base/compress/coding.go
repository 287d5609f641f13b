package compress

import "strings"

// Coding is a content coding (RFC 9110, section 8.4.1), as something to compare and to count by.
type Coding uint8

// The codings that requests and answers are read for. Identity is none.
const (
	Identity Coding = iota
	Brotli
	Zstd
	Gzip
	Codings int = iota // how many there are
)

var codingNames = [Codings]string{"identity", "br", "zstd", "gzip"}

// String returns the coding's name in header lines.
func (c Coding) String() string { return codingNames[c] }

// ParseCoding finds a coding by its name, in which upper and lower case are the same.
func ParseCoding(name string) (Coding, bool) {
	for c, known := range codingNames {
		// Unicode has further letters that fold to those of ASCII, but they are longer.
		if len(name) == len(known) && strings.EqualFold(name, known) {
			return Coding(c), true
		}
	}
	if len(name) == len("x-gzip") && strings.EqualFold(name, "x-gzip") { // RFC 9110, section 8.4.1.3
		return Gzip, true
	}
	return Identity, false
}
