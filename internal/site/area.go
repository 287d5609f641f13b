package site

import (
	"strings"

	"stele/record"
)

// area is what statistics are for.
type area struct {
	name     string
	entityID string // of the record that describes it, or ""
}

// gatherAreas finds the places that have a code of ISO 3166 or UN M49 among their subjects, so that
// statistics can call areas by their names.
func (s *site) gatherAreas() error {
	s.areas = map[string]area{}
	k := record.KindNamed(record.KindEntity)
	if len(s.stats.indicators) == 0 || k == nil {
		return nil
	}
	p := s.idle.Get().(*page)
	defer s.idle.Put(p)
	for i := range s.e.Len(k) {
		rec, err := p.read(k, i)
		if err != nil {
			return err
		}
		e, ok := rec.(*record.Entity)
		if !ok || e.EntityType != record.EntityPlace {
			continue
		}
		for _, subject := range e.Subjects {
			if scheme := areaScheme(subject.Scheme); scheme != "" {
				s.areas[record.AreaKey(scheme, subject.Code)] = area{e.Name, string(e.ID)}
			}
		}
	}
	return nil
}

// areaScheme is the scheme of area codes that a subject's scheme is, or "".
func areaScheme(scheme string) record.AreaScheme {
	switch {
	case strings.HasPrefix(scheme, "ISO 3166"):
		return record.SchemeISO3166
	case scheme == "UN M49":
		return record.SchemeUNM49
	}
	return ""
}

// areaOf names the area of a statistic: by its entity, or by where its boundary says that it holds,
// or else by its code.
func (p *page) areaOf(st *record.HealthcareStatistic) area {
	if st.RefAreaScheme == record.SchemeEntity {
		return area{p.refer(st.RefArea).title, st.RefArea}
	}
	if a, ok := p.areas[record.AreaKey(st.RefAreaScheme, st.RefArea)]; ok {
		return a
	}
	if st.ClaimBoundary != nil && st.ClaimBoundary.Place != "" {
		return area{name: st.ClaimBoundary.Place}
	}
	return area{name: st.RefArea}
}
