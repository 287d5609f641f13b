// Package search writes the index for the search page: words with the records that contain them, in
// many small files, so that a browser downloads only a few of them.
//
// The division into files depends only on the number of documents, so that a preview can name all
// files before writing any. The same documents give the same bytes, regardless of the order in
// which they are added.
package search

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/fold"
)

// The limits on words.
const (
	shortest   = 2
	maxLetters = 32 // letters; longer words are cut
)

// Words returns the words of text in searchable form: in lower case, without accents and connecting
// words, and without the endings in which spellings and plurals differ. An abbreviation with dots
// is one word, and so is a number with thousands separators. The search script does the same.
func Words(text string) (list []string) {
	for w := range splitWords(foldText(text)) {
		if w = stem(w); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// arabicLetters normalizes Arabic digits, and Arabic letters that are used interchangeably.
var arabicLetters = func() *strings.Replacer {
	list := []string{"ة", "ه", "ى", "ي", "ی", "ي", "ک", "ك", "ء", "", "ـ", ""}
	for digit := range 10 {
		list = append(list, string(rune('٠'+digit)), strconv.Itoa(digit), string(rune('۰'+digit)), strconv.Itoa(digit))
	}
	return strings.NewReplacer(list...)
}()

func foldText(text string) string { return arabicLetters.Replace(fold.Accents(text)) }

// splitWords yields the words of text, which is already folded, without stemming.
func splitWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes, word := []rune(text), make([]rune, 0, maxLetters)
		for i := 0; i < len(runes); i++ {
			if !isWordRune(runes[i]) {
				continue
			}
			word, i = nextWord(runes, i, word[:0])
			if !yield(string(word)) {
				return
			}
		}
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// nextWord appends the word of runes that begins at i to word, and returns it with its end.
func nextWord(runes []rune, i int, word []rune) ([]rune, int) {
	is := func(i int, of func(rune) bool) bool { return i < len(runes) && of(runes[i]) }
	part, digits, single := i, true, true // whether it consists of digits, or of single letters with dots
	for ; i < len(runes); i++ {
		if r := runes[i]; isWordRune(r) {
			word, digits, single = append(word, r), digits && isDigit(r), single && unicode.IsLetter(r)
			continue
		}
		switch {
		case single && runes[i] == '.' && i == part+1 && is(i+1, unicode.IsLetter) && !is(i+2, isWordRune):
		case digits && word[0] != '0' && i <= part+3 && strings.ContainsRune(thousands, runes[i]) &&
			is(i+1, isDigit) && is(i+2, isDigit) && is(i+3, isDigit) && !is(i+4, isWordRune):
		default:
			return word, i
		}
		part = i + 1
	}
	return word, i
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// thousands contains the characters that separate thousands in numbers.
const thousands = ",.'\u2019 \u00a0\u202f"

// Whole returns the word for a text that is found only as a whole, such as a source identifier or
// an area code. The word is reversed, because such texts differ at their ends, and the first
// letters of a word select its file.
func Whole(text string) string {
	var list []rune
	for _, r := range foldText(text) {
		if isWordRune(r) && len(list) < maxLetters {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	return string(append(list, '='))
}

// Abbreviations returns the abbreviations of the names in text.
func Abbreviations(text string) (list []string) {
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

// stem returns the base form of a word: without a plural ending, in one spelling. It returns "" for
// connecting words and single letters.
func stem(w string) string {
	if joining[w] {
		return ""
	}
	n := utf8.RuneCountInString(w)
	if n < shortest && w[0] < utf8.RuneSelf {
		return ""
	}
	if n > maxLetters {
		w, n = string([]rune(w)[:maxLetters]), maxLetters
	}
	if bare, ok := strings.CutPrefix(strings.TrimPrefix(w, "و"), "ال"); ok && n > 3 { // the Arabic article, also after "and"
		w, n = bare, utf8.RuneCountInString(bare)
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

// joining contains words that are in nearly every text.
var joining = wordSet(English.Joining)

var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, s := range English.Synonyms {
		m[s[0]] = s[1]
	}
	return m
}()
