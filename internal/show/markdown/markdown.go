// Package markdown escapes foreign text so that it contains no Markdown or HTML.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline returns text on one line, escaped so that it contains no Markdown or HTML.
func Inline(text string) string { return string(AppendInline(nil, text)) }

// AppendInline appends Inline(text) to b. It writes one space for each run of white space.
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

// marks contains the characters that have a meaning in Markdown.
const marks = "\\`*_[]<>&|~"

// plainWord contains the usual characters of words: ASCII without marks and white space.
var plainWord = func() (t [256]bool) {
	for c := byte(0x21); c < utf8.RuneSelf; c++ {
		t[c] = strings.IndexByte(marks, c) < 0
	}
	return t
}()

// plainWords returns the length of the longest prefix of text that needs no escaping: plain
// characters with single spaces between them.
func plainWords(text string) int {
	n := 0
	for n < len(text) && (plainWord[text[n]] || text[n] == ' ' && n > 0 && n+1 < len(text) && plainWord[text[n+1]]) {
		n++
	}
	return n
}

// Paragraph is like Inline for text at the beginning of a line, where more characters have a
// meaning, such as digits before a period or closing parenthesis.
func Paragraph(text string) string { return string(AppendParagraph(nil, text)) }

// AppendParagraph appends Paragraph(text) to b.
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

// Code returns text between two runs of backticks that are longer than any run in text.
func Code(text string) string { return string(AppendCode(nil, text)) }

// AppendCode appends Code(text) to b.
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

// AppendWords appends name, a trusted name such as that of a member, to b as words.
func AppendWords(b []byte, name string) []byte {
	return append(b, strings.ReplaceAll(name, "_", " ")...)
}
