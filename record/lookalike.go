package record

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// lookAlikes are letters of other alphabets that look like Latin ones, and which.
var lookAlikes = func() map[rune]rune {
	m := map[rune]rune{}
	latin := []rune("aceiopsxyjhABCEHIJKMOPSTXYABEZHIKMNOPTYXo")
	for i, r := range []rune("асеіорѕхујһАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧο") {
		m[r] = latin[i]
	}
	return m
}()

// LooksLike returns the Latin letter that a Cyrillic or Greek one cannot be told from by eye, or
// the letter itself.
func LooksLike(r rune) rune {
	if latin, ok := lookAlikes[r]; ok {
		return latin
	}
	return r
}

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
			c.problem(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has a character that cannot be seen", "take it out")
			return
		case r < utf8.RuneSelf:
			latin = latin || alnum(byte(r)) && r > '9'
		case LooksLike(r) != r:
			alike = r
		}
	}
	switch plain := strings.Join(strings.Fields(s), " "); {
	case latin && alike != 0:
		c.problem(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has a letter of another alphabet that looks like "+string(LooksLike(alike)),
			"write it in letters of one alphabet")
	case plain != s:
		c.problem(codes.TwoSpellings, at, strconv.QuoteToASCII(s)+" has blanks at its ends, or several together", "write "+schema.Quote(plain))
	}
}
