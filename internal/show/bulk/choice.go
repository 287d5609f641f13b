package bulk

import (
	"fmt"
	"slices"
	"strings"

	"stele/release"
)

// Choice says which downloads to create. It can be used as the value of a flag. The zero Choice is
// the default, which depends on the number of records.
type Choice struct{ words []string }

const (
	byDefault   = "default"
	noDownloads = "none"
	indicators  = "indicators" // files for each indicator
	areas       = "areas"      // and for each indicator in each area
)

// maxPairs is the maximum number of pairs of an indicator and an area for which files are created
// by default. Each pair has four files.
const maxPairs = 20_000

// None chooses no downloads.
var None = Choice{words: []string{noDownloads}}

// Set parses list: comma-separated formats, "none" or "default".
func (c *Choice) Set(list string) error {
	words := strings.Split(list, ",")
	for i, word := range words {
		alone := word == noDownloads || word == byDefault
		switch {
		case alone && len(words) > 1:
			return fmt.Errorf("%s cannot be combined with other formats: list all the formats that you want, such as parquet,indicators,areas,sqlite", word)
		case !alone && word != indicators && word != areas && !slices.Contains(Formats, Format(word)):
			return fmt.Errorf("unknown format %q: choose none, default, or a comma-separated list of ndjson, csv, parquet, sqlite, indicators, areas", word)
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

// Indicators reports whether each indicator has its own files.
func (c Choice) Indicators() bool { return c.isDefault() || c.hasWord(indicators) || c.hasWord(areas) }

// Areas reports whether each pair of an indicator and an area has files, given their number.
func (c Choice) Areas(pairs int) bool { return c.isDefault() && pairs <= maxPairs || c.hasWord(areas) }

func (c Choice) isDefault() bool { return len(c.words) == 0 || c.words[0] == byDefault }

func (c Choice) hasWord(word string) bool { return slices.Contains(c.words, word) }

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
