package render

import (
	"strings"

	"stele/record"
)

// Area is a place that statistics are for: its name, and the entity that describes it.
type Area struct{ Name, EntityID string }

// Areas finds the places that have a code of ISO 3166 or UN M49 among their subjects, by what
// AreaScheme.Key makes of it, so that statistics can call areas by their names.
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

// AreaScheme is the scheme of area codes that a subject's scheme is, or "".
func AreaScheme(scheme string) record.AreaScheme {
	switch {
	case strings.HasPrefix(scheme, "ISO 3166"):
		return record.SchemeISO3166
	case scheme == "UN M49":
		return record.SchemeUNM49
	}
	return ""
}
