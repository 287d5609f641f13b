package lookup

import (
	"cmp"

	"stele/internal/author/reading/settings/places"
	"stele/record"
)

// AreaOf names the area of a statistic: by its entity, or by where its boundary says that it holds,
// or as it is called in the language of the records, or else by its code.
func (l *Reader) AreaOf(st *record.HealthcareStatistic) string {
	if st.RefAreaScheme == record.SchemeEntity {
		return l.Refer(st.RefArea).Title
	}
	if a, ok := l.areas[st.RefAreaScheme.Key(st.RefArea)]; ok {
		return a.Name
	}
	if st.ClaimBoundary != nil && st.ClaimBoundary.Place != "" {
		return st.ClaimBoundary.Place
	}
	return cmp.Or(places.Name(st.RefAreaScheme, st.RefArea, l.Records.Settings().Language), st.RefArea)
}
