// Package search makes the index that the pages search: words with the records that have them, in
// many small files, so that a browser fetches a few of them and never the whole.
//
// How it is divided follows from the number of documents alone, so that a preview can name all
// files before it has made any. The same documents give the same bytes, in whichever order they are
// added.
package search

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/fold"
)

// Limits of a word.
const (
	shortest = 2
	longest  = 32 // letters; what is longer is cut
)

// Words returns the words of a text as they are looked for: in small letters, without accents,
// without what only joins others, and without the endings in which spellings and numbers differ. An
// abbreviation with dots is one word, and so is a number whose thousands are set apart. The script
// of the search page does the same.
func Words(text string) (list []string) {
	for w := range pieces(folded(text)) {
		if w = stem(w); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// alike are letters of Arabic that people write for each other.
var alike = strings.NewReplacer("ة", "ه", "ى", "ي", "ی", "ي", "ک", "ك", "ء", "", "ـ", "")

func folded(text string) string { return alike.Replace(fold.Accents(text)) }

// pieces are the words of a folded text as they stand there.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes, word := []rune(text), make([]rune, 0, longest)
		for i := 0; i < len(runes); i++ {
			if !inWord(runes[i]) {
				continue
			}
			word, i = next(runes, i, word[:0])
			if !yield(string(word)) {
				return
			}
		}
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// next appends the word that begins at i, and returns where it ends.
func next(runes []rune, i int, word []rune) ([]rune, int) {
	is := func(i int, of func(rune) bool) bool { return i < len(runes) && of(runes[i]) }
	part, digits, single := i, true, true // whether it has digits alone, or single letters with dots
	for ; i < len(runes); i++ {
		if r := runes[i]; inWord(r) {
			word, digits, single = append(word, r), digits && digit(r), single && unicode.IsLetter(r)
			continue
		}
		switch {
		case single && runes[i] == '.' && i == part+1 && is(i+1, unicode.IsLetter) && !is(i+2, inWord):
		case digits && word[0] != '0' && i <= part+3 && strings.ContainsRune(thousands, runes[i]) &&
			is(i+1, digit) && is(i+2, digit) && is(i+3, digit) && !is(i+4, inWord):
		default:
			return word, i
		}
		part = i + 1
	}
	return word, i
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// thousands are what people set thousands apart by.
const thousands = ",.'\u2019 \u00a0\u202f"

// Whole returns the word for a text that is found as a whole or not at all: an identifier of a
// source, the code of an area. It runs backwards, because such texts differ at their ends, and
// words are divided among files by their beginnings.
func Whole(text string) string {
	var list []rune
	for _, r := range folded(text) {
		if inWord(r) && len(list) < longest {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	return string(append(list, '='))
}

// Also returns the short names of what a text names in full.
func Also(text string) (list []string) {
	for _, name := range shortNames {
		if strings.Contains(text, name[0]) {
			list = append(list, name[1])
		}
	}
	return list
}

var shortNames = [][2]string{
	{"World Health Organization", "who"},
	{"European Union", "eu"},
}

// stem is the word that stands for others: without a plural's ending, in one spelling. It is "" for
// what is not worth looking for: joining words and single letters.
func stem(w string) string {
	if joining[w] {
		return ""
	}
	n := utf8.RuneCountInString(w)
	if n < shortest && w[0] < utf8.RuneSelf {
		return ""
	}
	if n > longest {
		w, n = string([]rune(w)[:longest]), longest
	}
	if bare, ok := strings.CutPrefix(w, "ال"); ok && n > 3 { // the article of Arabic
		w, n = bare, n-2
	}
	w = strings.Replace(w, "isation", "ization", 1)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case n > 3 && strings.HasSuffix(w, "s") && !strings.ContainsRune("sui", rune(w[len(w)-2])):
		w = w[:len(w)-1]
	}
	if same, ok := synonyms[w]; ok {
		return same
	}
	return w
}

// joining are words that nearly every text has.
var joining = set(English.Joining)

var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, s := range English.Synonyms {
		m[s[0]] = s[1]
	}
	return m
}()
