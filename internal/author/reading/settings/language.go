package settings

import (
	"slices"
	"strings"
)

// Language is a language into which the pages are translated.
type Language struct {
	Tag    string
	Plural func(n int) string // returns the CLDR plural category of a number
}

// Languages are the languages of the pages: one file each in internal/show/site/words.
var Languages = []Language{{"en", englishPlural}, {"ar", arabicPlural}}

// LanguageOf returns the page language with which tag begins, if there is one.
func LanguageOf(tag string) (Language, bool) {
	i := slices.IndexFunc(Languages, func(l Language) bool { return l.Tag == primarySubtag(tag) })
	if i < 0 {
		return Language{}, false
	}
	return Languages[i], true
}

// PageLanguage returns the language of the pages' interface text: as configured, otherwise that of
// the records, otherwise English.
func (s *Settings) PageLanguage() string {
	for _, tag := range []string{s.Words, s.Language} {
		if l, ok := LanguageOf(tag); ok {
			return l.Tag
		}
	}
	return "en"
}

// IsForeign reports whether the records are in another language than the pages' interface text.
func (s *Settings) IsForeign() bool { return primarySubtag(s.Language) != s.PageLanguage() }

func primarySubtag(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	return tag
}

// IsRightToLeft reports whether a language is written from right to left.
func IsRightToLeft(tag string) bool {
	switch primarySubtag(tag) {
	case "ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}

// englishPlural is the plural rule of English and many other languages.
func englishPlural(n int) string {
	if n == 1 {
		return "one"
	}
	return "other"
}

// arabicPlural is the CLDR plural rule of Arabic.
func arabicPlural(n int) string {
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
