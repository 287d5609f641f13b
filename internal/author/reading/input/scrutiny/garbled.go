package scrutiny

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"stele/internal/base/schema/codes"
)

// westernByte returns the byte that a character has in the encodings of western Europe, that of
// Windows or ISO 8859-1, if it has one.
func westernByte(r rune) (byte, bool) {
	if b, ok := charmap.Windows1252.EncodeRune(r); ok {
		return b, b >= utf8.RuneSelf
	}
	return byte(r), utf8.RuneSelf <= r && r <= 0xff
}

// garbled finds characters that a program could not read, and UTF-8 that was read as something
// else.
func garbled(s string, l *Looker) {
	if strings.ContainsRune(s, utf8.RuneError) {
		l.note(codes.GarbledText, "the text has U+FFFD, which stands where a character was lost", "write the character that belongs there")
		return
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if 0xc2 <= r && r <= 0xf4 {
			if damaged, meant := misread(s[i:]); meant != "" {
				l.note(codes.GarbledText, fmt.Sprintf("the text has %q, which was %q before a program misread it", damaged, meant),
					"save it as UTF-8 where it came from, or write "+meant)
				return
			}
		}
		i += size
	}
}

// misread returns the characters at the beginning of a text that are one character of UTF-8 read
// byte by byte, and that one.
func misread(s string) (damaged, meant string) {
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
		if b >= 0xc0 { // it does not go on like this
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

// unseen finds characters that nobody can see, and that turn text around.
func unseen(s string, l *Looker) {
	open, flag := 0, false
	last := rune(0)
	for i, r := range s {
		switch {
		case r == 0x202d || r == 0x202e:
			l.note(codes.InvisibleText, fmt.Sprintf("the text has U+%04X, which turns round what follows", r), "take it out: readers see other words than programs")
			return
		case r == 0x202a || r == 0x202b || 0x2066 <= r && r <= 0x2068:
			open++
		case r == 0x202c || r == 0x2069:
			open--
		case r == 0x200c || r == 0x200d:
			if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); !joins(last) || !joins(next) {
				noteUnseen(r, l)
				return
			}
		case r == 0x1f3f4:
			flag = true
		case 0xe0020 <= r && r <= 0xe007f && flag: // of the flags of England, Scotland and Wales
		case r == 0x00ad || r == 0x180e || r == 0x200b || r == 0x2028 || r == 0x2029 || 0x2060 <= r && r <= 0x2064 ||
			r == 0xfeff || 0xe0000 <= r && r <= 0xe007f || r&0xfffe == 0xfffe || 0xfdd0 <= r && r <= 0xfdef:
			noteUnseen(r, l)
			return
		}
		last = r
	}
	if open != 0 {
		l.note(codes.InvisibleText, "the text changes its direction, and does not change it back", "take out the character that does so, or close it with U+2069")
	}
}

func noteUnseen(r rune, l *Looker) {
	l.note(codes.InvisibleText, fmt.Sprintf("the text has U+%04X, which cannot be seen", r), "take it out: a search for the words does not find it")
}

// joins reports whether a character can be joined with another by one that is not seen: those of
// many scripts, and emoji.
func joins(r rune) bool { return r >= 0x0590 && r != utf8.RuneError }

// spreadsheet finds what a spreadsheet writes in place of a value.
func spreadsheet(s string, l *Looker) {
	for _, e := range []string{"#REF!", "#N/A", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!"} {
		if strings.Contains(s, e) {
			l.note(codes.GarbledText, "the text has "+e+", the error of a spreadsheet", "write what belongs there; a missing value has obs_status O")
			return
		}
	}
}

// rounded finds a figure that a spreadsheet has shortened to six digits.
func rounded(s string, l *Looker) {
	digits, exponent, ok := strings.Cut(strings.TrimPrefix(s, "-"), "E+")
	if ok && len(digits) == 7 && digits[1] == '.' && len(exponent) == 2 && exponent > "05" &&
		strings.Trim(digits[2:], "0123456789") == "" && strings.Trim(exponent, "0123456789") == "" {
		l.note(codes.GarbledText, s+" has lost its last digits in a spreadsheet", "write the whole number, as the source has it")
	}
}
