// Package quotes finds passages in the plain text of a source, word for word.
//
// A text that came out of a PDF, a web page or a scan is set otherwise than the quote that somebody
// typed. Both are folded: white space, quotation marks, dashes, ligatures, soft hyphens and the
// forms that Unicode calls compatible are the same. Letters, their case, digits and all other signs
// are not folded. A hyphen at the end of a line may be one of the word, or of the typesetter.
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

// folded is a text in the form in which it is compared. Hyphens between letters are taken out and
// noted apart, so that those which may be the typesetter's need not be there.
type folded struct {
	text    string
	hyphens []hyphen // in the order of their places
}

// hyphen stands before the byte at a place.
type hyphen struct {
	at      int32
	lineEnd bool // where a line of the text ends
}

// MaxText is how many bytes a text may have.
const MaxText = 16 << 20

// New folds the text of a source, of which there may be MaxText bytes.
func New(text string) *Text { return &Text{fold(text)} }

// Size is about how many bytes of memory a text takes.
func (t *Text) Size() int { return len(t.text) + 8*len(t.hyphens) }

// Has reports whether a quote stands in the text. The parts of a quote that omission marks divide
// stand there one after the other. A quote without any words stands nowhere.
func (t *Text) Has(quote string) bool {
	from := 0
	parts := split(quote)
	for i := range parts {
		at := t.index(&parts[i], from)
		if at < 0 {
			return false
		}
		from = at + len(parts[i].text)
	}
	return len(parts) > 0
}

// mostTries is how many places of a text are looked at where the letters of a quote stand, but not
// its words. Only a text that is made for it has more.
const mostTries = 1_000_000

// omission is what stands for words that were left out, folded.
const omission = "[...]"

// split divides a quote where words were left out.
func split(quote string) (parts []folded) {
	// "…" is "..." by the compatible forms of Unicode, and a quote is short
	for part := range strings.SplitSeq(strings.ReplaceAll(quote, "…", "..."), omission) {
		if f := fold(part); f.text != "" {
			parts = append(parts, f)
		}
	}
	return parts
}

// index is the place of a part of a quote in the text, at or after another place; -1 if it is not
// there as words of their own.
func (t *Text) index(part *folded, from int) int {
	for range mostTries {
		i := strings.Index(t.text[from:], part.text)
		if i < 0 {
			break
		}
		at := from + i
		if t.stands(part, at) {
			return at
		}
		_, size := utf8.DecodeRuneInString(t.text[at:])
		from = at + size
	}
	return -1
}

// stands reports whether what was found at a place is more than letters that happen to be the same:
// it begins and ends where words do, and has the same hyphens.
func (t *Text) stands(part *folded, at int) bool {
	end := at + len(part.text)
	before, _ := utf8.DecodeLastRuneInString(t.text[:at])
	first, _ := utf8.DecodeRuneInString(part.text)
	last, _ := utf8.DecodeLastRuneInString(part.text)
	after, _ := utf8.DecodeRuneInString(t.text[end:])
	if isWordRune(before) && isWordRune(first) && t.joined(at) ||
		isWordRune(last) && isWordRune(after) && t.joined(end) {
		return false
	}
	return sameHyphens(part.hyphens, t.hyphens[t.hyphenFrom(at+1):t.hyphenFrom(end)], int32(at))
}

// sameHyphens compares the hyphens of a quote with those of a text, which begins at a place. Those
// at the ends of lines need not be in both.
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

// joined reports whether there is no hyphen at a place, between the letters on both sides of it.
func (t *Text) joined(at int) bool {
	i := t.hyphenFrom(at)
	return i == len(t.hyphens) || int(t.hyphens[i].at) != at || t.hyphens[i].lineEnd
}

// hyphenFrom is the number of the first hyphen at or after a place.
func (f *folded) hyphenFrom(at int) int {
	i, _ := slices.BinarySearchFunc(f.hyphens, at, func(h hyphen, at int) int { return int(h.at) - at })
	return i
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// fold brings a text into the form in which it is compared.
func fold(text string) folded {
	in := norm.NFKC.String(strings.Map(seen, text))
	var f folded
	b := make([]byte, 0, len(in))
	var dash, breaks, space bool // what stands between the last sign and the next
	hyphenates := false          // whether the dash is one that divides words, right after a letter
	for _, r := range in {
		switch {
		case unicode.IsSpace(r):
			space = true
			breaks = breaks || dash && isBreak(r)
			continue
		case unicode.Is(unicode.Dash, r):
			// U+2010 is what hyphenation is called; a minus or a long dash divides no word
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
		if r = seen(r); r == '\'' && len(b) > 0 && b[len(b)-1] == '\'' {
			continue // two single ones for a double one
		}
		b = utf8.AppendRune(b, r)
	}
	if dash {
		b = append(b, '-')
	}
	f.text = string(b)
	return f
}

// seen is what a reader sees of a sign: nothing of soft hyphens and the like, and one sort of
// quotation marks. It comes before all else, because some marks would fall apart.
func seen(r rune) rune {
	switch {
	case r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff':
		return -1
	case (r >= utf8.RuneSelf || r == '"' || r == '`') && strings.ContainsRune(marks, r):
		return '\''
	}
	return r
}

// marks are quotation marks, and what is written for them. Inside a quote, double ones become
// single ones and the other way round, so they are all the same.
const marks = "\"`´‘’‚‛“”„‟«»‹›′″‵‶〝〞〟"

// isBreak reports whether white space ends a line.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\f' || r == '\v' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Near is what a text has where a quote leaves it.
type Near struct {
	Words int    // so many words of the quote stand there
	Quote string // what follows in the quote, in few words, folded
	Text  string // what follows in the text
}

// fewWords is how many words Near shows, and least how many must be the same.
const (
	fewWords = 8
	least    = 3
)

// Nearest finds where a quote that the text does not have begins to differ: behind as many of its
// first words as stand there together. It is false where there are hardly any. The hyphens of words
// are not looked at.
func (t *Text) Nearest(quote string) (near Near, ok bool) {
	for _, part := range split(quote) {
		if t.index(&part, 0) >= 0 {
			continue
		}
		ends := wordEnds(part.text)
		// if so many words are there, so are fewer
		few, many := 0, len(ends)+1
		for few+1 < many {
			if n := (few + many) / 2; strings.Contains(t.text, part.text[:ends[n-1]]) {
				few = n
			} else {
				many = n
			}
		}
		if few < least {
			return near, false
		}
		at := strings.Index(t.text, part.text[:ends[few-1]])
		return Near{few, part.opening(ends[few-1]), t.opening(at + ends[few-1])}, true
	}
	return near, false
}

// wordEnds are the places after the words of a folded text.
func wordEnds(text string) (ends []int) {
	for i := range len(text) {
		if text[i] == ' ' {
			ends = append(ends, i)
		}
	}
	return append(ends, len(text))
}

// opening is the first few words from a place on, with their hyphens.
func (f *folded) opening(at int) string {
	const most = 200 // bytes, where a text has no spaces
	var b strings.Builder
	next := f.hyphenFrom(at + 1)
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
	return strings.Join(words[:min(len(words), fewWords)], " ")
}
