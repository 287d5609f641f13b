package search

import (
	_ "embed" // names of countries
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"stele/internal/author/reading/settings/places"
)

// maxCountries is the maximum number of countries that a word may name. A word with more, such as
// "republic", names none.
const maxCountries = 6

// maxMeanings is the maximum number of meanings of a name in a release. The index ignores names
// with more, such as "republic".
const maxMeanings = 3

// otherNames lists country names that are not in CLDR, by country code.
//
//go:embed countries.txt
var otherNames string

// names returns a map from words in other languages and country names to words of the index.
var names = sync.OnceValue(func() map[string][]string {
	all := map[string]map[string]bool{}
	add := func(name, target string) {
		for _, w := range Words(name) {
			if all[w] == nil {
				all[w] = map[string]bool{}
			}
			all[w][target] = true
		}
	}
	for code, languages := range places.Names() {
		add(code, Whole(code))
		for _, names := range languages {
			for _, name := range names {
				for _, w := range Words(significantWords(name)) {
					if isSignificant(w) {
						add(w, Whole(code))
					}
				}
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, codes map[string]bool) bool { return len(codes) > maxCountries })
	eachLine(otherNames, func(code, names string) { add(names, Whole(code)) })
	eachLine(diseases, func(target, names string) {
		for _, w := range Words(target) {
			add(names, w)
		}
	})
	m := map[string][]string{}
	for name, targets := range all {
		m[name] = slices.Sorted(maps.Keys(targets))
	}
	return m
})

// eachLine calls add for each line, which contains a target word and its names.
func eachLine(lines string, add func(target, names string)) {
	for line := range strings.Lines(lines) {
		if target, names, ok := strings.Cut(line, ": "); ok {
			add(target, names)
		}
	}
}

// significantWords returns name without its lower-case connecting words, such as German *die*,
// which looks like an English verb. It keeps them if name begins in lower case.
func significantWords(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) && !unicode.Is(unicode.M, r) })
	if len(parts) > 0 && strings.ContainsFunc(parts[0], unicode.IsUpper) {
		parts = slices.DeleteFunc(parts, func(w string) bool { return strings.IndexFunc(w, unicode.IsLower) == 0 })
	}
	return strings.Join(parts, " ")
}

// isSignificant reports whether w, a word of a name, is neither a connecting word, such as "de",
// nor an English word.
func isSignificant(w string) bool {
	letters := []rune(w)
	return (len(letters) > 2 || len(letters) == 2 && !unicode.Is(unicode.Latin, letters[0])) && !english()[w]
}

// english returns the words of the vocabulary as the index contains them.
var english = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, list := range []string{English.Joining, English.Asking, English.Known, English.Small} {
		for _, w := range Words(list) {
			all[w] = true
		}
	}
	for _, pair := range English.Synonyms {
		all[pair[0]], all[pair[1]] = true, true
	}
	return all
})

// addNames adds the other names of the index's words to its files.
func (x *Index) addNames() {
	all := names()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var known []string
		for _, target := range all[name] {
			if x.words[target] != nil && target != name {
				known = append(known, target)
			}
		}
		if slices.ContainsFunc(known, isWord) {
			known = slices.DeleteFunc(known, isWhole) // Africa is the continent
		}
		if len(known) > 0 && len(known) <= maxMeanings {
			b := x.bucket(name)
			x.names[b] = append(x.names[b], [2]string{name, strings.Join(known, " ")})
		}
	}
}

func isWhole(w string) bool { return strings.HasSuffix(w, "=") }
func isWord(w string) bool  { return !isWhole(w) }
