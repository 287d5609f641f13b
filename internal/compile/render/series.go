package render

// SeriesFile is a kind of file that each indicator has next to its page.
type SeriesFile struct {
	Suffix    string // of its name
	Name      string // of its format, for people
	MediaType string
	Areas     bool // whether each area of the indicator has one too
	MaxValues int  // number of values above which an indicator has no such file; 0 for no limit
}
