package settings

import (
	"slices"
	"strings"
)

// Language is one that pages have words in.
type Language struct {
	Tag    string
	Plural func(n int) string // the category of Unicode's plural rules that a number falls into
}

// Languages are those that pages have words in: a file each in internal/show/site/words.
var Languages = []Language{{"en", oneOther}, {"ar", arabic}}

// LanguageOf is the language that a tag begins with, if pages have words in it.
func LanguageOf(tag string) (Language, bool) {
	i := slices.IndexFunc(Languages, func(l Language) bool { return l.Tag == primary(tag) })
	if i < 0 {
		return Language{}, false
	}
	return Languages[i], true
}

// WordsIn is the language of the pages' own words: the one that is chosen, or that of the records,
// or else English.
func (s *Settings) WordsIn() string {
	for _, tag := range []string{s.Words, s.Language} {
		if l, ok := LanguageOf(tag); ok {
			return l.Tag
		}
	}
	return "en"
}

// Foreign reports whether the records are in another language than the pages' own words.
func (s *Settings) Foreign() bool { return primary(s.Language) != s.WordsIn() }

// primary is what a tag begins with: the language itself.
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	return tag
}

// RightToLeft reports whether a language is written from right to left.
func RightToLeft(tag string) bool {
	switch primary(tag) {
	case "ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}

// oneOther is the rule of English, and of many others.
func oneOther(n int) string {
	if n == 1 {
		return "one"
	}
	return "other"
}

// arabic is the rule of Arabic in the Common Locale Data Repository.
func arabic(n int) string {
	switch rest := n % 100; {
	case n == 0:
		return "zero"
	case n == 1:
		return "one"
	case n == 2:
		return "two"
	case rest >= 3 && rest <= 10:
		return "few"
	case rest >= 11:
		return "many"
	}
	return "other"
}
