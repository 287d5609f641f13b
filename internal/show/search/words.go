// Package search makes the index that the pages search: words with the records that have them, in
// many small files, so that a browser fetches a few of them and never the whole.
//
// How it is divided follows from the number of documents alone, so that a preview can name all
// files before it has made any. The same documents give the same bytes, in whichever order they are
// added.
package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Limits of a word.
const (
	shortest = 2
	longest  = 32 // letters; what is longer is cut
)

// Words returns the words of a text as they are looked for: in small letters, without accents,
// without what only joins others, and without the endings in which spellings and numbers differ.
// The script of the search page does the same.
func Words(text string) (list []string) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, w := range strings.FieldsFunc(fold(text), between) {
		if w = stem(w); w != "" {
			list = append(list, w)
		}
	}
	return list
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
	{"United Kingdom", "uk britain"},
	{"United States", "us usa america"},
	{"World Health Organization", "who"},
	{"Democratic Republic of the Congo", "drc"},
	{"United Arab Emirates", "uae"},
	{"European Union", "eu"},
}

// fold makes small letters and takes accents away.
func fold(text string) string {
	plain := true
	for i := range len(text) {
		if text[i] >= 0x80 {
			plain = false
			break
		}
	}
	text = strings.ToLower(text)
	if plain {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// stem is the word that stands for others: without a plural's ending, in one spelling. It is "" for
// what is not worth looking for: joining words, single letters, and long numbers.
func stem(w string) string {
	if joining[w] {
		return ""
	}
	if runes := []rune(w); len(runes) > longest {
		w = string(runes[:longest])
	} else if len(runes) < shortest && w[0] < 0x80 {
		return ""
	}
	if strings.Trim(w, "0123456789") == "" && len(w) > 4 {
		return ""
	}
	w = strings.Replace(w, "isation", "ization", 1)
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.ContainsRune("sui", rune(w[len(w)-2])):
		w = w[:len(w)-1]
	}
	if same, ok := synonyms[w]; ok {
		return same
	}
	return w
}

// joining are words that nearly every text has.
var joining = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(Joining) {
		m[w] = true
	}
	return m
}()

// Joining are the words that are not looked for, and Synonyms those that stand for another, as the
// script needs them too.
const Joining = "a an and are as at be by for from has have in is it its not of on or than that the their there this to was were what which with"

// Synonyms are words that are looked for as another, which the records use: pairs, as they are
// after folding and without their endings.
var Synonyms = [][2]string{
	{"mortality", "death"},
	{"dead", "death"},
	{"died", "death"},
	{"fatality", "death"},
	{"vaccination", "vaccine"},
	{"vaccinated", "vaccine"},
	{"unvaccinated", "vaccine"},
	{"immunization", "vaccine"},
	{"immunized", "vaccine"},
	{"immunised", "vaccine"},
	{"jab", "vaccine"},
	{"vax", "vaccine"},
	{"shot", "vaccine"},
	{"kid", "child"},
	{"children", "child"},
	{"infant", "child"},
	{"baby", "child"},
	{"toddler", "child"},
	{"tb", "tuberculosis"},
	{"flu", "influenza"},
	{"whooping", "pertussis"},
	{"lockjaw", "tetanus"},
	{"chickenpox", "varicella"},
	{"poliomyelitis", "polio"},
	{"sms", "text"},
	{"texting", "text"},
	{"epidemic", "outbreak"},
	{"trial", "study"},
}

var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, s := range Synonyms {
		m[s[0]] = s[1]
	}
	return m
}()
