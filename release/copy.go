package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/base/layout"
)

// A copy of a release may leave parts of it out. Its manifest is still that of the whole, because
// others know that by its digest and its signature. So a file beside it says what is there.

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

const copyFormat = "stele-copy/1"

// Encode returns what stands in the file.
func (c *Copy) Encode() ([]byte, error) {
	c.Format = copyFormat
	data, err := json.Marshal(c)
	return append(data, '\n'), err
}

// partOf is the part that a file of the manifest belongs to; "" for what every copy has.
func (m *Manifest) partOf(at string) string {
	switch {
	case strings.HasPrefix(at, layout.BulkFolder):
		return PartDownloads
	case at == m.Pages && m.Histories != "":
		return PartPages
	case strings.HasPrefix(at, layout.AssetFolder), strings.HasPrefix(at, layout.SearchFolder),
		path.Ext(at) == ".html", strings.HasPrefix(at, "sitemap"):
		return PartPages
	}
	return ""
}

// With returns the manifest of a copy that has some of the parts.
func (m *Manifest) With(parts []string) *Manifest {
	c := *m
	c.Files = nil
	for _, f := range m.Files {
		if part := m.partOf(f.Path); part != "" && !slices.Contains(parts, part) {
			continue
		}
		if !slices.Contains(parts, PartVariants) {
			f.Variants = nil
		}
		c.Files = append(c.Files, f)
	}
	if !slices.Contains(parts, PartPages) {
		if c.onlyHistories = c.Histories == ""; !c.onlyHistories {
			c.Pages = ""
		}
	}
	return &c
}

// Use lets the release be the one that a manifest describes, or the part of it that is here.
func (r *Release) Use(manifest []byte) error {
	m := new(Manifest)
	if err := m.Decode(manifest); err != nil {
		return err
	}
	r.Manifest = m
	if !r.Local() { // a service answers for itself
		return nil
	}
	data, err := r.ReadFile(layout.CopyPath, 4<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var c Copy
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%s: %w", layout.CopyPath, err)
	}
	if c.Format != copyFormat {
		return fmt.Errorf("%s has the format %.40q, and this program reads %s", layout.CopyPath, c.Format, copyFormat)
	}
	for _, part := range c.Has {
		if !slices.Contains(Parts, part) {
			return fmt.Errorf("%s names a part %.40q, which is not known", layout.CopyPath, part)
		}
	}
	r.Manifest = m.With(c.Has)
	return nil
}
