package scrutiny

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"stele/internal/base/schema/codes"
)

// westernByte returns the byte for r in Windows-1252 or ISO 8859-1, if there is one.
func westernByte(r rune) (byte, bool) {
	if b, ok := charmap.Windows1252.EncodeRune(r); ok {
		return b, b >= utf8.RuneSelf
	}
	return byte(r), utf8.RuneSelf <= r && r <= 0xff
}

// reportGarbled reports replacement characters, and UTF-8 that was decoded as another encoding.
func reportGarbled(s string, l *Looker) {
	if strings.ContainsRune(s, utf8.RuneError) {
		l.report(codes.GarbledText, "the text contains U+FFFD, which replaces a lost character", "write the original character")
		return
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if 0xc2 <= r && r <= 0xf4 {
			if damaged, meant := findMisdecoded(s[i:]); meant != "" {
				l.report(codes.GarbledText, fmt.Sprintf("the text contains %q, which was %q before a program decoded it wrongly", damaged, meant),
					"save the original as UTF-8, or write "+meant)
				return
			}
		}
		i += size
	}
}

// findMisdecoded returns the first characters of s that are one UTF-8 character decoded byte by
// byte, and that character.
func findMisdecoded(s string) (damaged, meant string) {
	var raw []byte
	for i, r := range s {
		b, ok := westernByte(r)
		if !ok {
			return "", ""
		}
		raw = append(raw, b)
		if len(raw) == 1 {
			continue
		}
		if b >= 0xc0 { // the next byte does not fit
			return "", ""
		}
		if one, size := utf8.DecodeRune(raw); one != utf8.RuneError && size == len(raw) {
			return s[:i+utf8.RuneLen(r)], string(one)
		}
		if len(raw) == utf8.UTFMax {
			break
		}
	}
	return "", ""
}

// reportInvisible reports invisible characters, and characters that change the direction of text.
func reportInvisible(s string, l *Looker) {
	open, flag := 0, false
	last := rune(0)
	for i, r := range s {
		switch {
		case r == 0x202d || r == 0x202e:
			l.report(codes.InvisibleText, fmt.Sprintf("the text contains U+%04X, which reverses the following text", r), "remove it: readers and programs see different words")
			return
		case r == 0x202a || r == 0x202b || 0x2066 <= r && r <= 0x2068:
			open++
		case r == 0x202c || r == 0x2069:
			open--
		case r == 0x200c || r == 0x200d:
			if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); !canJoin(last) || !canJoin(next) {
				reportInvisibleRune(r, l)
				return
			}
		case r == 0x1f3f4:
			flag = true
		case 0xe0020 <= r && r <= 0xe007f && flag: // part of the flags of England, Scotland and Wales
		case r == 0x00ad || r == 0x180e || r == 0x200b || r == 0x2028 || r == 0x2029 || 0x2060 <= r && r <= 0x2064 ||
			r == 0xfeff || 0xe0000 <= r && r <= 0xe007f || r&0xfffe == 0xfffe || 0xfdd0 <= r && r <= 0xfdef:
			reportInvisibleRune(r, l)
			return
		}
		last = r
	}
	if open != 0 {
		l.report(codes.InvisibleText, "the text changes its direction without changing it back", "remove the character, or close it with U+2069")
	}
}

func reportInvisibleRune(r rune, l *Looker) {
	l.report(codes.InvisibleText, fmt.Sprintf("the text contains U+%04X, which is invisible", r), "remove it: searches for the words do not find the text")
}

// canJoin reports whether an invisible character can join r with another character: characters of
// many scripts, and emoji.
func canJoin(r rune) bool { return r >= 0x0590 && r != utf8.RuneError }

// reportSpreadsheetErrors reports error values of spreadsheets.
func reportSpreadsheetErrors(s string, l *Looker) {
	for _, e := range []string{"#REF!", "#N/A", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!"} {
		if strings.Contains(s, e) {
			l.report(codes.GarbledText, "the text contains "+e+", a spreadsheet error", "write the correct text; for a missing value, set obs_status to O")
			return
		}
	}
}

// reportRounded reports a figure that a spreadsheet shortened to six digits.
func reportRounded(s string, l *Looker) {
	digits, exponent, ok := strings.Cut(strings.TrimPrefix(s, "-"), "E+")
	if ok && len(digits) == 7 && digits[1] == '.' && len(exponent) == 2 && exponent > "05" &&
		strings.Trim(digits[2:], "0123456789") == "" && strings.Trim(exponent, "0123456789") == "" {
		l.report(codes.GarbledText, s+" was shortened by a spreadsheet", "write the whole number from the source")
	}
}
