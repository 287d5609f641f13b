package layout

import "encoding/json"

// The parts that a copy may leave out. The rest, which are records, listings, deltas and
// descriptions, it has to have.
const (
	PartVariants  = "variants"  // compressed variants, but those of pages
	PartPages     = "pages"     // pages for people and what belongs to them
	PartDownloads = "downloads" // what is below /bulk
)

// Parts are all of them.
var Parts = []string{PartVariants, PartPages, PartDownloads}

// Copy says what a copy of a release has.
type Copy struct {
	Format string   `json:"format"`
	Origin string   `json:"origin"` // the address that it was made from
	Has    []string `json:"has"`    // the parts that it has
}

// CopyFormat is the form in which a copy says that.
const CopyFormat = "stele-copy/1"

// Encode returns what stands in the file.
func (c *Copy) Encode() ([]byte, error) {
	c.Format = CopyFormat
	data, err := json.Marshal(c)
	return append(data, '\n'), err
}
