package record

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// code makes sure that nothing in a code deceives the eye.
func (c *checker) code(at, s string) {
	last, odd := byte(' '), false
	for i := range len(s) {
		odd = odd || s[i] >= utf8.RuneSelf || s[i] < ' ' || s[i] == ' ' && last == ' '
		last = s[i]
	}
	if s == "" || !odd && last != ' ' {
		return
	}
	latin, alike := false, rune(0)
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Cf, r):
			c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has a character that cannot be seen", "take it out")
			return
		case r < utf8.RuneSelf:
			latin = latin || alnum(byte(r)) && r > '9'
		case suggest.ToLatin(r) != r:
			alike = r
		}
	}
	switch plain := strings.Join(strings.Fields(s), " "); {
	case latin && alike != 0:
		c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has a letter of another alphabet that looks like "+string(suggest.ToLatin(alike)),
			"write it in letters of one alphabet")
	case plain != s:
		c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has blanks at its ends, or several together", "write "+schema.Quote(plain))
	}
}
