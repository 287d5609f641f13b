package bulk

import (
	"fmt"
	"slices"
	"strings"

	"stele/release"
)

// Choice says which downloads are made. It can be used as a flag. The zero Choice is the default,
// which depends on how many records a publisher wrote.
type Choice struct{ words []string }

const (
	byDefault = "default"
	none      = "none"
)

// None is the choice of no downloads.
var None = Choice{words: []string{none}}

// Set reads a list of formats, "none" or "default".
func (c *Choice) Set(list string) error {
	words := strings.Split(list, ",")
	for i, word := range words {
		alone := word == none || word == byDefault
		switch {
		case alone && len(words) > 1:
			return fmt.Errorf("%s stands alone", word)
		case !alone && !slices.Contains(Formats, Format(word)):
			return fmt.Errorf("%q is not a format: write ndjson, csv, parquet, sqlite, several of them with commas, none, or default", word)
		case slices.Contains(words[:i], word):
			return fmt.Errorf("%s stands there twice", word)
		}
	}
	c.words = words
	return nil
}

func (c *Choice) String() string { return strings.Join(c.words, ",") }

// Type returns what help texts call the value.
func (c *Choice) Type() string { return "formats" }

// formats are those that a release gets.
func (c Choice) formats(m *release.Manifest) []Format {
	wanted := func(f Format) bool { return slices.Contains(c.words, string(f)) }
	if len(c.words) == 0 || c.words[0] == byDefault {
		written := 0
		for _, k := range m.Kinds {
			written += k.Count - k.Derived
		}
		wanted = func(f Format) bool { return written <= traits[f].upTo }
	}
	var list []Format
	for _, f := range Formats {
		if wanted(f) {
			list = append(list, f)
		}
	}
	return list
}
