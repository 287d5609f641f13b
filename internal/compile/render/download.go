package render

import (
	"stele/record"
	"stele/release"
)

// Download is a file with many records, in a format for notebooks, databases or spreadsheets.
type Download struct {
	Path      string // relative, with slashes
	Format    string // name of the format
	MediaType string
	Kind      *record.Kind // nil if the file contains all kinds
}

// Downloads returns the downloads of a release.
type Downloads func(*release.Manifest) []Download

// Of returns the downloads of m, or none if d is nil.
func (d Downloads) Of(m *release.Manifest) []Download {
	if d == nil {
		return nil
	}
	return d(m)
}
