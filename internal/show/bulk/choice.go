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
	byDefault  = "default"
	none       = "none"
	indicators = "indicators" // files for each indicator
	areas      = "areas"      // and for each indicator in each area
)

// mostPairs is how many areas of indicators have files of their own by default: four each.
const mostPairs = 20_000

// None is the choice of no downloads.
var None = Choice{words: []string{none}}

// Set reads a list of formats, "none" or "default".
func (c *Choice) Set(list string) error {
	words := strings.Split(list, ",")
	for i, word := range words {
		alone := word == none || word == byDefault
		switch {
		case alone && len(words) > 1:
			return fmt.Errorf("%s stands alone: name all that you want, such as parquet,indicators,areas,sqlite", word)
		case !alone && word != indicators && word != areas && !slices.Contains(Formats, Format(word)):
			return fmt.Errorf("%q is not a format: write ndjson, csv, parquet, sqlite, indicators, areas, several of them with commas, none, or default", word)
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

// Indicators reports whether each indicator has files of its own.
func (c Choice) Indicators() bool { return c.isDefault() || c.has(indicators) || c.has(areas) }

// Areas reports whether each indicator in each area has files of its own, pairs being how many that
// are.
func (c Choice) Areas(pairs int) bool { return c.isDefault() && pairs <= mostPairs || c.has(areas) }

func (c Choice) isDefault() bool { return len(c.words) == 0 || c.words[0] == byDefault }

func (c Choice) has(word string) bool { return slices.Contains(c.words, word) }

// formats are those that a release gets.
func (c Choice) formats(m *release.Manifest) []Format {
	wanted := func(f Format) bool { return c.has(string(f)) }
	if c.isDefault() {
		written := 0
		for _, k := range m.Kinds {
			written += k.Count - k.Derived
		}
		wanted = func(f Format) bool { return written <= mostByDefault || traits[f].always }
	}
	var list []Format
	for _, f := range Formats {
		if wanted(f) {
			list = append(list, f)
		}
	}
	return list
}
