// Package markdown writes texts of others so that nothing in them is taken for Markdown or HTML.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline writes a text so that nothing in it is taken for Markdown or HTML, on one line.
func Inline(text string) string { return string(AppendInline(nil, text)) }

// AppendInline does the same. White space, whatever it is, becomes one blank between words.
func AppendInline(b []byte, text string) []byte {
	blank, first := false, true
	for len(text) > 0 {
		n := plainWords(text)
		if n == 0 {
			var char rune
			if char, n = utf8.DecodeRuneInString(text); unicode.IsSpace(char) {
				blank, text = true, text[n:]
				continue
			}
		}
		if blank && !first {
			b = append(b, ' ')
		}
		if blank, first = false, false; strings.IndexByte(marks, text[0]) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, text[:n]...)
		text = text[n:]
	}
	return b
}

// marks are what Markdown takes for more than itself.
const marks = "\\`*_[]<>&|~"

// plainWord is the characters that words are made of for the most part: those of ASCII but marks
// and white space.
var plainWord = func() (t [256]bool) {
	for c := byte(0x21); c < utf8.RuneSelf; c++ {
		t[c] = strings.IndexByte(marks, c) < 0
	}
	return t
}()

// plainWords counts the bytes at the beginning of a text that stay as they are: plain characters,
// and single blanks between them.
func plainWords(text string) int {
	n := 0
	for n < len(text) && (plainWord[text[n]] || text[n] == ' ' && n > 0 && n+1 < len(text) && plainWord[text[n+1]]) {
		n++
	}
	return n
}

// Paragraph does the same as Inline for a text that begins a line. Some marks mean something there;
// digits do only before a point or bracket.
func Paragraph(text string) string { return string(AppendParagraph(nil, text)) }

// AppendParagraph appends that.
func AppendParagraph(b []byte, text string) []byte {
	start := len(b)
	b = AppendInline(b, text)
	at := start
	for at < len(b) && '0' <= b[at] && b[at] <= '9' {
		at++
	}
	if at == len(b) || strings.IndexByte("#+=.)-", b[at]) < 0 {
		return b
	}
	b = append(b, 0)
	copy(b[at+1:], b[at:])
	b[at] = '\\'
	return b
}

// Code writes a text in a fence of backticks that is longer than any in it.
func Code(text string) string { return string(AppendCode(nil, text)) }

// AppendCode appends that.
func AppendCode(b []byte, text string) []byte {
	fence, blank := "`", ""
	for strings.Contains(text, fence) {
		fence, blank = fence+"`", " "
	}
	for _, part := range [...]string{fence, blank, text, blank, fence} {
		b = append(b, part...)
	}
	return b
}

// AppendWords writes the name of a member, or another of our own, as words.
func AppendWords(b []byte, name string) []byte {
	return append(b, strings.ReplaceAll(name, "_", " ")...)
}
