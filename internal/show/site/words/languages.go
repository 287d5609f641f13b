package words

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/reading/settings"
	"stele/internal/compile/render"
)

//go:embed *.yaml
var files embed.FS

// ForLanguage returns the texts in the language with the given tag, which must exist.
func ForLanguage(tag string) *Set {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	set := loaded[tag]
	if set == nil {
		var err error
		if set, err = load(tag); err != nil {
			panic("words: " + err.Error()) // they are part of the program
		}
		loaded[tag] = set
	}
	return set
}

var (
	loadedMu sync.Mutex
	loaded   = map[string]*Set{}
)

// For returns the texts of the pages in the language that s chooses.
func For(s *settings.Settings) *Set {
	set := ForLanguage(s.PageLanguage())
	if !strings.Contains(strings.ToLower(s.Language), "-nu-latn") || set.Digits == English().Digits {
		return set
	}
	western, english := *set, English()
	western.Digits, western.Group, western.Point = english.Digits, english.Group, english.Point
	return &western
}

// OfRecords returns the texts in the language of the records, or of the pages if there are none.
func OfRecords(s *settings.Settings) *Set {
	if s.Words == "" || !s.IsForeign() {
		return For(s)
	}
	records := *s
	if records.Words = ""; records.IsForeign() { // no texts in that language
		return For(s)
	}
	return For(&records)
}

// English returns the English texts, from which all others are translated.
func English() *Set { return ForLanguage("en") }

// load returns the texts in the language with the given tag. They have the names of Set's fields.
func load(tag string) (*Set, error) {
	data, err := files.ReadFile(tag + ".yaml")
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := yaml.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("%s.yaml: %w", tag, err)
	}
	asJSON, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("%s.yaml: %w", tag, err)
	}
	language, ok := settings.LanguageOf(tag)
	if !ok {
		return nil, fmt.Errorf("%s.yaml: the settings do not know this language", tag)
	}
	set := &Set{Language: language}
	if tag == "en" {
		set.NothingPromised, set.Preserve = render.NothingPromised, render.Preserve
	}
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(set); err != nil {
		return nil, fmt.Errorf("%s.yaml: %w", tag, err)
	}
	return set, nil
}
