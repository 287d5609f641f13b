package settings

import (
	"slices"
	"strings"
)

// Languages are those that pages have words in: a file each in internal/show/site/words.
var Languages = []string{"en", "ar"}

// WordsIn is the language of the pages' own words: the one that is chosen, or that of the records,
// or else English.
func (s *Settings) WordsIn() string {
	for _, tag := range []string{s.Words, s.Language} {
		if tag = primary(tag); slices.Contains(Languages, tag) {
			return tag
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
