package render

// SeriesFile is a file that each indicator has beside its page.
type SeriesFile struct {
	Suffix    string // how its name ends
	Name      string // what people call its format
	MediaType string
	Areas     bool // whether each area of the indicator has it too
	Most      int  // how many values an indicator has at most that has it; 0 for any number
}
