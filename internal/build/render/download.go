package render

import "stele/record"

// Download is a file of a release that holds many records, in a format for notebooks, databases and
// spreadsheets.
type Download struct {
	Path      string // relative, with slashes
	Format    string // what its format is called
	MediaType string
	Kind      *record.Kind // nil where the file holds all kinds
	// of a table that says no more of them than their names, in order; nil in other formats
	Columns []string
}
