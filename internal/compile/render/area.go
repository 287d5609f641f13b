package render

import (
	"strings"

	"stele/record"
)

// Area is a place that statistics are about: its name, and the ID of its entity.
type Area struct{ Name, EntityID string }

// Areas returns the places that have an ISO 3166 or UN M49 code among their subjects, by
// AreaScheme.Key of the code, so that statistics can show names of areas.
func Areas(e Records) (map[string]Area, error) {
	areas := map[string]Area{}
	k := record.KindNamed(record.KindEntity)
	if k == nil {
		return areas, nil
	}
	records, parser := e.Reader(), new(record.Parser)
	for i := range e.Len(k) {
		data, err := records.Record(k, i)
		if err != nil {
			return nil, err
		}
		rec, err := parser.Parse(k, data)
		if err != nil {
			return nil, err
		}
		entity, ok := rec.(*record.Entity)
		if !ok || entity.EntityType != record.EntityPlace {
			continue
		}
		for _, subject := range entity.Subjects {
			if scheme := AreaScheme(subject.Scheme); scheme != "" {
				areas[scheme.Key(subject.Code)] = Area{entity.Name, string(entity.ID)}
			}
		}
	}
	return areas, nil
}

// AreaScheme returns the scheme of area codes for the scheme of a subject, or "".
func AreaScheme(scheme string) record.AreaScheme {
	switch {
	case strings.HasPrefix(scheme, "ISO 3166"):
		return record.SchemeISO3166
	case scheme == "UN M49":
		return record.SchemeUNM49
	}
	return ""
}
