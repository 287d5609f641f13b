// Package fold reduces texts to a form for comparison, in three strengths: Accents ignores case and
// accents, Code ignores invisible differences, Letters ignores everything except letters and
// digits.
package fold

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"stele/internal/base/suggest"
)

// letters replaces letters that have no accent to remove.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// isASCII reports whether every byte of s is ASCII and satisfies ok.
func isASCII(s string, ok func(c byte) bool) bool {
	for i := range len(s) {
		if s[i] >= 0x7f || !ok(s[i]) {
			return false
		}
	}
	return true
}

// Accents returns s in lower case, without accents.
func Accents(s string) string {
	s = strings.ToLower(s)
	if isASCII(s, func(byte) bool { return true }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(letters.Replace(s)))
}

// ComposeNFC returns s in the composed form of Unicode (NFC).
func ComposeNFC(s string) string {
	if isASCII(s, func(byte) bool { return true }) {
		return s
	}
	return norm.NFC.String(s)
}

// Code returns a code as a reader sees it: in lower case, with look-alike letters as Latin ones,
// without invisible characters and without spaces at the ends.
func Code(s string) string {
	if isASCII(s, func(c byte) bool { return c > ' ' && (c < 'A' || c > 'Z') }) {
		return s
	}
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(suggest.ToLatin(r))
	}, norm.NFKC.String(s))), " ")
}

// Letters returns the letters and digits of s in lower case, without accents, with look-alike
// letters as Latin ones.
func Letters(s string) string {
	if isASCII(s, func(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r = suggest.ToLatin(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}
