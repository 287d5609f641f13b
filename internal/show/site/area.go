package site

import (
	"stele/internal/build/render"
	"stele/record"
)

// area is what statistics are for.
type area struct {
	name     string
	entityID string // of the record that describes it, or ""
}

// gatherAreas finds the places that statistics can call by their names.
func (s *site) gatherAreas() (err error) {
	if len(s.stats.indicators) > 0 {
		s.areas, err = render.Areas(s.e)
	}
	return err
}

// areaOf names the area of a statistic: by its entity, or by where its boundary says that it holds,
// or else by its code.
func (p *page) areaOf(st *record.HealthcareStatistic) area {
	if st.RefAreaScheme == record.SchemeEntity {
		return area{p.refer(st.RefArea).title, st.RefArea}
	}
	if a, ok := p.areas[record.AreaKey(st.RefAreaScheme, st.RefArea)]; ok {
		return area{a.Name, a.EntityID}
	}
	if st.ClaimBoundary != nil && st.ClaimBoundary.Place != "" {
		return area{name: st.ClaimBoundary.Place}
	}
	return area{name: st.RefArea}
}
