package lookup

import (
	"cmp"
	"slices"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet/areas"
	"stele/record"
)

// AreaOf names the area of a statistic: by its entity, by its name at the time in a publisher's
// scheme, with years if another area has the same name, or by where its boundary says that it
// holds, or as it is called in the language of the records, or else by its code.
func (l *Reader) AreaOf(st *record.HealthcareStatistic) string {
	if st.RefAreaScheme == record.SchemeEntity {
		return l.Refer(st.RefArea).Title
	}
	if scheme := l.SchemeOf(st); scheme != nil {
		if code := scheme.Code(st.RefArea); code != nil {
			return scheme.Label(code, l.Records.Settings().Language)
		}
	}
	if a, ok := l.areas[st.RefAreaScheme.Key(st.RefArea)]; ok {
		return a.Name
	}
	if st.ClaimBoundary != nil && st.ClaimBoundary.Place != "" {
		return st.ClaimBoundary.Place
	}
	return cmp.Or(places.Name(st.RefAreaScheme, st.RefArea, l.Records.Settings().Language), st.RefArea)
}

// SchemeOf returns the publisher's scheme that a statistic names, or nil.
func (x *Index) SchemeOf(st *record.HealthcareStatistic) *areas.Scheme {
	return x.Scheme(st.RefAreaScheme)
}

// Scheme returns a publisher's scheme by its name, or nil.
func (x *Index) Scheme(name record.AreaScheme) *areas.Scheme {
	list := x.Records.Areas()
	if i := slices.IndexFunc(list, func(s *areas.Scheme) bool { return s.Name == string(name) }); i >= 0 {
		return list[i]
	}
	return nil
}
