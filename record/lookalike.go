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

// checkCode reports invisible and misleading characters in the code s at the JSON Pointer at.
func (c *checker) checkCode(at, s string) {
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
			c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" contains an invisible character", "delete it")
			return
		case r < utf8.RuneSelf:
			latin = latin || isAlphanumeric(byte(r)) && r > '9'
		case suggest.ToLatin(r) != r:
			alike = r
		}
	}
	switch plain := strings.Join(strings.Fields(s), " "); {
	case latin && alike != 0:
		c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" contains a letter of another alphabet that looks like "+string(suggest.ToLatin(alike)),
			"use letters of one alphabet")
	case plain != s:
		c.Report(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" begins or ends with spaces, or has several in a row", "write "+schema.Quote(plain))
	}
}
