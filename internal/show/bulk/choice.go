package bulk

import (
	"fmt"
	"slices"
	"strings"

	"stele/release"
)

// Choice says which downloads to make. It can be used as a flag. The zero Choice is the default,
// which depends on the number of records.
type Choice struct{ words []string }

const (
	byDefault   = "default"
	noDownloads = "none"
	indicators  = "indicators" // files for each indicator
	areas       = "areas"      // and for each indicator in each area
)

// maxPairs is the maximum number of indicators in areas that have files of their own by default:
// four files each.
const maxPairs = 20_000

// None is the choice of no downloads.
var None = Choice{words: []string{noDownloads}}

// Set parses a list of formats, "none" or "default".
func (c *Choice) Set(list string) error {
	words := strings.Split(list, ",")
	for i, word := range words {
		alone := word == noDownloads || word == byDefault
		switch {
		case alone && len(words) > 1:
			return fmt.Errorf("%s cannot be combined with others: list everything you want, such as parquet,indicators,areas,sqlite", word)
		case !alone && word != indicators && word != areas && !slices.Contains(Formats, Format(word)):
			return fmt.Errorf("unknown format %q: write none, default, or a comma-separated list of ndjson, csv, parquet, sqlite, indicators, areas", word)
		case slices.Contains(words[:i], word):
			return fmt.Errorf("duplicate format %s", word)
		}
	}
	c.words = words
	return nil
}

func (c *Choice) String() string { return strings.Join(c.words, ",") }

// Type returns the name of the value in help texts.
func (c *Choice) Type() string { return "formats" }

// Indicators reports whether each indicator has files of its own.
func (c Choice) Indicators() bool { return c.isDefault() || c.hasWord(indicators) || c.hasWord(areas) }

// Areas reports whether each indicator in each area has files of its own. pairs is their number.
func (c Choice) Areas(pairs int) bool { return c.isDefault() && pairs <= maxPairs || c.hasWord(areas) }

func (c Choice) isDefault() bool { return len(c.words) == 0 || c.words[0] == byDefault }

func (c Choice) hasWord(word string) bool { return slices.Contains(c.words, word) }

// formats returns the formats of a release's downloads.
func (c Choice) formats(m *release.Manifest) []Format {
	wanted := func(f Format) bool { return c.hasWord(string(f)) }
	if c.isDefault() {
		written := 0
		for _, k := range m.Kinds {
			written += k.Count - k.Derived
		}
		wanted = func(f Format) bool { return written <= maxByDefault || traits[f].always }
	}
	var list []Format
	for _, f := range Formats {
		if wanted(f) {
			list = append(list, f)
		}
	}
	return list
}
