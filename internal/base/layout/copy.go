package layout

import "encoding/json"

// The parts that a copy of a release may leave out. The rest is required: records, listings, deltas
// and descriptions.
const (
	PartVariants  = "variants"  // compressed variants, except those of pages
	PartPages     = "pages"     // pages and their assets
	PartDownloads = "downloads" // files below bulk/
)

var Parts = []string{PartVariants, PartPages, PartDownloads}

// Copy says which parts a copy of a release has.
type Copy struct {
	Format string   `json:"format"`
	Origin string   `json:"origin"` // the URL that it was copied from
	Has    []string `json:"has"`    // the optional parts that it has
}

// CopyFormat is the format of Copy.
const CopyFormat = "stele-copy/1"

// Encode returns the copy as JSON.
func (c *Copy) Encode() ([]byte, error) {
	c.Format = CopyFormat
	data, err := json.Marshal(c)
	return append(data, '\n'), err
}
