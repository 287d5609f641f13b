// Package fold leaves out of texts what does not tell them apart, in three strengths: Accents keeps
// words and what stands between them, Code what an eye sees of a code, Letters the letters alone.
package fold

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"stele/internal/base/suggest"
)

// letters are those that have no accent to take away, and what people write instead.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// plain reports whether a text is of ASCII, and of what else is asked for.
func plain(s string, also func(c byte) bool) bool {
	for i := range len(s) {
		if s[i] >= 0x7f || !also(s[i]) {
			return false
		}
	}
	return true
}

// Accents returns a text in lower case, without accents.
func Accents(s string) string {
	s = strings.ToLower(s)
	if plain(s, func(byte) bool { return true }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(letters.Replace(s)))
}

// Composed returns a text in the composed form of Unicode (NFC).
func Composed(s string) string {
	if plain(s, func(byte) bool { return true }) {
		return s
	}
	return norm.NFC.String(s)
}

// Code returns a code as one sees it: without regard to case, to look-alikes of other alphabets, to
// blanks at its ends and to what cannot be seen.
func Code(s string) string {
	if plain(s, func(c byte) bool { return c > ' ' && (c < 'A' || c > 'Z') }) {
		return s
	}
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(suggest.LooksLike(r))
	}, norm.NFKC.String(s))), " ")
}

// Letters returns the letters and digits of a text in lower case, without accents. Two texts that
// differ only in case, spaces, punctuation or look-alikes of other alphabets have the same.
func Letters(s string) string {
	if plain(s, func(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r = suggest.LooksLike(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}
