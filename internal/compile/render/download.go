package render

import (
	"stele/record"
	"stele/release"
)

// Download is a file of a release that holds many records, in a format for notebooks, databases and
// spreadsheets.
type Download struct {
	Path      string // relative, with slashes
	Format    string // what its format is called
	MediaType string
	Kind      *record.Kind // nil where the file holds all kinds
}

// Downloads names the downloads of a release.
type Downloads func(*release.Manifest) []Download

// Of returns them; none where nothing names any.
func (d Downloads) Of(m *release.Manifest) []Download {
	if d == nil {
		return nil
	}
	return d(m)
}
