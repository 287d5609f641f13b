// Package quotes searches the plain text of a source for quotes, word for word.
//
// Text extracted from a PDF, a web page or a scan differs from typed text in typography. Therefore
// both are folded: white space, quotation marks, dashes, ligatures, soft hyphens and Unicode
// compatibility forms do not count. Letters, their case, digits and all other characters do. A
// hyphen at a line end may or may not belong to the word.
package quotes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is the folded text of a source.
type Text struct{ folded }

// folded is a text in the form for comparison. Hyphens between letters are stored separately, so
// that those at line ends can be ignored.
type folded struct {
	text    string
	hyphens []hyphen // sorted by position
}

// hyphen is a hyphen before the byte at offset at.
type hyphen struct {
	at      int32
	lineEnd bool // whether it ends a line
}

// MaxText is the greatest size of a text in bytes.
const MaxText = 16 << 20

// New folds the text of a source, which must not be larger than MaxText.
func New(text string) *Text { return &Text{fold(text)} }

// Size returns the approximate memory that the text uses, in bytes.
func (t *Text) Size() int { return len(t.text) + 8*len(t.hyphens) }

// Contains reports whether the text contains quote. The parts of a quote between omission marks
// must appear in this order. A quote without words is never contained.
func (t *Text) Contains(quote string) bool {
	from := 0
	parts := splitQuote(quote)
	for i := range parts {
		at := t.index(&parts[i], from)
		if at < 0 {
			return false
		}
		from = at + len(parts[i].text)
	}
	return len(parts) > 0
}

// maxTries limits the positions that are checked for a quote. Only a malicious text has more.
const maxTries = 1_000_000

// omission marks omitted words, after folding.
const omission = "[...]"

// splitQuote splits a quote at omissions.
func splitQuote(quote string) (parts []folded) {
	// "…" is compatible with "..." in Unicode.
	for part := range strings.SplitSeq(strings.ReplaceAll(quote, "…", "..."), omission) {
		if f := fold(part); f.text != "" {
			parts = append(parts, f)
		}
	}
	return parts
}

// index returns the first offset, not before from, at which t contains part as whole words. It
// returns -1 if there is none.
func (t *Text) index(part *folded, from int) int {
	for range maxTries {
		i := strings.Index(t.text[from:], part.text)
		if i < 0 {
			break
		}
		at := from + i
		if t.matches(part, at) {
			return at
		}
		_, size := utf8.DecodeRuneInString(t.text[at:])
		from = at + size
	}
	return -1
}

// matches reports whether part, found at offset at, begins and ends at word boundaries and has the
// same hyphens as the text.
func (t *Text) matches(part *folded, at int) bool {
	end := at + len(part.text)
	before, _ := utf8.DecodeLastRuneInString(t.text[:at])
	first, _ := utf8.DecodeRuneInString(part.text)
	last, _ := utf8.DecodeLastRuneInString(part.text)
	after, _ := utf8.DecodeRuneInString(t.text[end:])
	if isWordRune(before) && isWordRune(first) && t.isUnhyphenatedAt(at) ||
		isWordRune(last) && isWordRune(after) && t.isUnhyphenatedAt(end) {
		return false
	}
	return sameHyphens(part.hyphens, t.hyphens[t.findHyphen(at+1):t.findHyphen(end)], int32(at))
}

// sameHyphens reports whether the hyphens of a quote equal those of the text from offset at on.
// Hyphens at line ends may be missing in either of them.
func sameHyphens(quote, text []hyphen, at int32) bool {
	for len(quote) > 0 || len(text) > 0 {
		switch {
		case len(quote) > 0 && len(text) > 0 && quote[0].at == text[0].at-at:
			quote, text = quote[1:], text[1:]
		case len(quote) > 0 && quote[0].lineEnd && (len(text) == 0 || quote[0].at < text[0].at-at):
			quote = quote[1:]
		case len(text) > 0 && text[0].lineEnd && (len(quote) == 0 || quote[0].at > text[0].at-at):
			text = text[1:]
		default:
			return false
		}
	}
	return true
}

// isUnhyphenatedAt reports whether no hyphen separates the letters around offset at.
func (t *Text) isUnhyphenatedAt(at int) bool {
	i := t.findHyphen(at)
	return i == len(t.hyphens) || int(t.hyphens[i].at) != at || t.hyphens[i].lineEnd
}

// findHyphen returns the index of the first hyphen at or after offset at.
func (f *folded) findHyphen(at int) int {
	i, _ := slices.BinarySearchFunc(f.hyphens, at, func(h hyphen, at int) int { return int(h.at) - at })
	return i
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// fold returns text in its normal form for comparison.
func fold(text string) folded {
	in := norm.NFKC.String(strings.Map(foldRune, text))
	var f folded
	b := make([]byte, 0, len(in))
	var dash, breaks, space bool // seen since the last character
	hyphenates := false          // whether the dash may be a hyphen at a line end, right after a letter
	for _, r := range in {
		switch {
		case unicode.IsSpace(r):
			space = true
			breaks = breaks || dash && isBreak(r)
			continue
		case unicode.Is(unicode.Dash, r):
			// U+2010 is the hyphen. A minus sign or a long dash never divides a word.
			hyphenates = !dash && !space && len(b) > 0 && (r == '-' || r == '\u2010')
			dash, breaks, space = true, false, false
			continue
		}
		last, _ := utf8.DecodeLastRune(b)
		letters := len(b) > 0 && unicode.IsLetter(last) && unicode.IsLetter(r)
		switch {
		case dash && letters:
			f.hyphens = append(f.hyphens, hyphen{int32(len(b)), hyphenates && breaks})
		case dash:
			b = append(b, '-')
		case space && len(b) > 0:
			b = append(b, ' ')
		}
		dash, breaks, space, hyphenates = false, false, false, false
		if r = foldRune(r); r == '\'' && len(b) > 0 && b[len(b)-1] == '\'' {
			continue // two single marks for a double one
		}
		b = utf8.AppendRune(b, r)
	}
	if dash {
		b = append(b, '-')
	}
	f.text = string(b)
	return f
}

// foldRune returns -1 for an invisible character (such as a soft hyphen), the same mark for all
// quotation marks, and r otherwise. Call it before normalization, which would decompose some marks.
func foldRune(r rune) rune {
	switch {
	case r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff':
		return -1
	case (r >= utf8.RuneSelf || r == '"' || r == '`') && strings.ContainsRune(marks, r):
		return '\''
	}
	return r
}

// marks are quotation marks and their substitutes. Quoting a quote exchanges double and single
// marks, so all count as equal.
const marks = "\"`´‘’‚‛“”„‟«»‹›′″‵‶〝〞〟"

// isBreak reports whether white space character r ends a line.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\f' || r == '\v' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Mismatch describes where a text and a quote begin to differ.
type Mismatch struct {
	Words int    // number of words of the quote that match
	Quote string // the next words of the quote, folded
	Text  string // the next words of the text
}

// shownWords is the number of words in a Mismatch, and minWords the number that must match.
const (
	shownWords = 8
	minWords   = 3
)

// FindMismatch returns the point at which a quote begins to differ from the text: after the longest
// sequence of the quote's first words that the text contains. ok is false if that sequence is too
// short. FindMismatch ignores hyphens.
func (t *Text) FindMismatch(quote string) (near Mismatch, ok bool) {
	for _, part := range splitQuote(quote) {
		if t.index(&part, 0) >= 0 {
			continue
		}
		ends := wordEnds(part.text)
		// Binary search: if so many words are contained, so are fewer.
		few, many := 0, len(ends)+1
		for few+1 < many {
			if n := (few + many) / 2; strings.Contains(t.text, part.text[:ends[n-1]]) {
				few = n
			} else {
				many = n
			}
		}
		if few < minWords {
			return near, false
		}
		at := strings.Index(t.text, part.text[:ends[few-1]])
		return Mismatch{few, part.firstWords(ends[few-1]), t.firstWords(at + ends[few-1])}, true
	}
	return near, false
}

// wordEnds returns the end of each word in a folded text.
func wordEnds(text string) (ends []int) {
	for i := range len(text) {
		if text[i] == ' ' {
			ends = append(ends, i)
		}
	}
	return append(ends, len(text))
}

// firstWords returns the first words after offset at, with their hyphens.
func (f *folded) firstWords(at int) string {
	const most = 200 // bytes, for a text without spaces
	var b strings.Builder
	next := f.findHyphen(at + 1)
	for i, r := range f.text[at:] {
		if i > most {
			break
		}
		if next < len(f.hyphens) && int(f.hyphens[next].at) == at+i {
			if !f.hyphens[next].lineEnd {
				b.WriteByte('-')
			}
			next++
		}
		b.WriteRune(r)
	}
	words := strings.Fields(b.String())
	return strings.Join(words[:min(len(words), shownWords)], " ")
}
