package reuse

import (
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/release"
)

func readAreas(r *release.Release) (map[string]*areas.Scheme, error) {
	schemes := map[string]*areas.Scheme{}
	for _, f := range r.Manifest.Files {
		if !strings.HasPrefix(f.Path, layout.AreaFolder) || !strings.HasSuffix(f.Path, ".json") {
			continue
		}
		data, err := r.ReadListed(&f, layout.MaxAreas)
		if err != nil {
			return nil, err
		}
		s, _, err := areas.Parse(data)
		if err != nil {
			return nil, err
		}
		schemes[s.Name] = s
	}
	return schemes, nil
}

// checkArea compares cells with the code of an area, which published contains after the name of its
// scheme. A copy may have the area's name instead, but not the code of another area.
func (p *Published) checkArea(cells []string, published string) result {
	name, code, _ := strings.Cut(published, " ")
	scheme, got := p.schemes[name], result{verdict: NotApplicable}
	if scheme == nil {
		return got
	}
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == code {
			got.verdict = Kept
			continue
		}
		other, why := scheme.Code(cell), "leading zeros are missing"
		if other == nil && cell != strings.TrimLeft(code, "0") || cell == "" {
			continue
		}
		if other != nil {
			what := "another area"
			if slices.Contains(scheme.Successors(code), other) {
				what = "a successor"
			} else if slices.Contains(scheme.Predecessors(code), other) {
				what = "a predecessor"
			}
			why = "the code of " + what + ": " + areas.Describe(other)
		}
		return result{verdict: Altered, why: why, published: code, copy: cell}
	}
	return got
}
