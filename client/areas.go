package client

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"

	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/release"
)

// Area is an area of a publisher's scheme. From and To are its first and last day, or "".
type Area struct {
	Code, Name, Level, Parent, From, To string
	Predecessors, Successors            []Area // without their own
}

// Area returns the area with the given scheme and code, which are RefAreaScheme and RefArea of a
// statistic. It includes the area's predecessors and successors. The error is fs.ErrNotExist if the
// release has no such scheme or code. Countries are in no scheme.
func (c *Client) Area(ctx context.Context, scheme, code string) (*Area, error) {
	path := layout.AreaFile(scheme, ".json")
	listed := c.release.Manifest.File(path)
	if listed == nil {
		return nil, fmt.Errorf("the release has no scheme of areas %q: %w", scheme, fs.ErrNotExist)
	}
	data, err := c.Release(ctx).ReadFile(path, min(listed.Size, layout.MaxAreas))
	if err != nil {
		return nil, missingFileError(path, err)
	}
	if sha256.Sum256(data) != listed.SHA256 {
		return nil, &release.DamagedError{Fault: release.Fault{Path: path, Message: path + " differs from the manifest"}}
	}
	s, err := areas.ParseArea(data, code)
	if err != nil {
		return nil, err
	}
	found := s.Code(code)
	if found == nil {
		return nil, fmt.Errorf("scheme %s has no area %q: %w", scheme, code, fs.ErrNotExist)
	}
	a := newArea(found)
	for _, next := range s.Predecessors(code) {
		a.Predecessors = append(a.Predecessors, newArea(next))
	}
	for _, next := range s.Successors(code) {
		a.Successors = append(a.Successors, newArea(next))
	}
	return &a, nil
}

func newArea(c *areas.Code) Area {
	return Area{Code: c.Code, Name: c.Name, Level: c.Level, Parent: c.Parent, From: c.From, To: c.To}
}
