package bulk

import (
	"fmt"
	"strings"

	"stele/internal/edition"
)

// fact is something that a download says of itself.
type fact struct{ Name, Value string }

// preserve names what consumers must keep when they pass records on.
const preserve = "record ID, source links, version, verification date, claim boundary, source updates, corrections, labels"

// about is what every format that has room for it says of itself. What the publisher left open is left out.
func about(e edition.Edition) []fact {
	m := e.Release()
	facts := []fact{
		{"title", m.Title},
		{"description", e.Settings().Description},
		{"publisher", m.Publisher},
		{"license", m.License},
		{"contact", m.Contact},
		{"language", m.Language},
		{"notice", m.Notice},
		{"base_url", m.BaseURL},
		{"release", m.Release},
		{"date", m.Date},
		{"citation", citation(e)},
		{"preserve", preserve},
	}
	kept := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// citation is how to name the release as a source.
func citation(e edition.Edition) string {
	m := e.Release()
	return fmt.Sprintf("%s. %s. Release %s, %s. %s. Licence: %s.", strings.TrimSuffix(m.Publisher, "."), strings.TrimSuffix(m.Title, "."), m.Release, m.Date, m.BaseURL, m.License)
}
