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

// A copy of a release may omit parts of it. It keeps the manifest of the whole release, whose
// digest and signature others know, and has another file that lists its parts.

// partOf returns the part that the file called name belongs to, or "" if all copies contain it.
func (m *Manifest) partOf(name string) string {
	switch {
	case layout.IsDownload(name):
		return layout.PartDownloads
	case name == m.Pages && m.Histories != "":
		return layout.PartPages
	case strings.HasPrefix(name, layout.AssetFolder), strings.HasPrefix(name, layout.SearchFolder),
		path.Ext(name) == ".html", strings.HasPrefix(name, "sitemap"):
		return layout.PartPages
	}
	return ""
}

func (m *Manifest) With(parts []string) *Manifest {
	c := *m
	c.Files = nil
	for _, f := range m.Files {
		if part := m.partOf(f.Path); part != "" && !slices.Contains(parts, part) {
			continue
		}
		if !slices.Contains(parts, layout.PartVariants) {
			f.Variants = nil
		}
		c.Files = append(c.Files, f)
	}
	if !slices.Contains(parts, layout.PartPages) {
		if c.onlyHistories = c.Histories == ""; !c.onlyHistories {
			c.Pages = ""
		}
	}
	return &c
}

// Use sets the manifest of the release. If the release is a partial copy, only its parts are used.
func (r *Release) Use(manifest []byte) error {
	m := new(Manifest)
	if err := m.Decode(manifest); err != nil {
		return err
	}
	r.Manifest = m
	if !r.Local() { // a service has all parts
		return nil
	}
	data, err := r.ReadFile(layout.CopyPath, 4<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var c layout.Copy
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%s: %w", layout.CopyPath, err)
	}
	if c.Format != layout.CopyFormat {
		return fmt.Errorf("%s: unknown format %.40q (known: %s)", layout.CopyPath, c.Format, layout.CopyFormat)
	}
	for _, part := range c.Has {
		if !slices.Contains(layout.Parts, part) {
			return fmt.Errorf("%s: unknown part %.40q", layout.CopyPath, part)
		}
	}
	r.Manifest = m.With(c.Has)
	return nil
}
