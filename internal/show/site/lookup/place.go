package lookup

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/layout"
	"stele/internal/show/site/words"
	"stele/record"
)

// Place is an area with statistics, and the indicators that have values for it.
type Place struct {
	Key     string
	Code    string // the key, or the code in a publisher's scheme
	Scheme  string // the publisher's scheme, or ""
	Name    string
	Entity  string    // ID of the entity that describes it, or ""
	Region  string    // key of its continent, or ""
	Figures []Figures // sorted by indicator code
}

// Figures identifies the statistics of an indicator for one area.
type Figures struct {
	*Indicator
	Records []int32
}

// World is the key of the world, its UN M49 code.
const World = "001"

// PlacesFolder contains the pages of places without an entity.
const PlacesFolder = "places/"

// Address returns the URL of the place's entity, or of the place itself if it has no entity.
func (p *Place) Address() string {
	if p.Entity != "" {
		return layout.PageAddress("entities", p.Entity)
	}
	if p.Scheme != "" {
		return AreaAddress(p.Scheme, p.Code)
	}
	return "/" + PlacesFolder + p.Key + "/"
}

// Count returns the number of figures of the place.
func (p *Place) Count() (n int) {
	for _, f := range p.Figures {
		n += len(f.Records)
	}
	return n
}

// gatherPlaces lists the indicators of each area. Places are sorted by name.
func (x *Index) gatherPlaces() error {
	x.byArea, x.byEntity = map[string]*Place{}, map[string]*Place{}
	x.described = map[string]*Indicator{}
	l := x.NewReader(words.English())
	for _, of := range x.Indicators {
		l.describe(of)
		for n, key := range of.Areas {
			place := x.byArea[key]
			if place == nil {
				place = l.newPlace(key, l.Statistic(int(of.OfArea[n][0])))
			}
			place.Figures = append(place.Figures, Figures{of, of.OfArea[n]})
		}
	}
	slices.SortFunc(x.Places, func(a, b *Place) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
	return l.Failed()
}

// describe sets the entity of x, which its first statistic names.
func (l *Reader) describe(x *Indicator) {
	x.Title, x.Measure = words.Phrase(x.Code), &record.Measure{}
	e := Find[*record.Entity](l, l.Statistic(int(x.Records[0])).IndicatorID)
	if e == nil {
		return
	}
	x.Entity, x.Title, x.Summary = e, e.Name, e.Summary
	l.described[string(e.ID)] = x
	if e.Measure != nil {
		x.Measure = e.Measure
	}
}

// newPlace returns the place of a statistic's area.
func (l *Reader) newPlace(key string, st *record.HealthcareStatistic) *Place {
	place := &Place{Key: key, Name: l.AreaOf(st), Entity: l.areas[key].EntityID}
	if st.RefAreaScheme == record.SchemeEntity {
		place.Entity = st.RefArea
	}
	if _, _, there := l.Records.Find(place.Entity); !there {
		place.Entity = ""
	}
	if place.Code = place.Key; st.RefAreaScheme.Own() {
		place.Code, place.Scheme = strings.Clone(st.RefArea), strings.Clone(string(st.RefAreaScheme))
	}
	place.Key, place.Name = strings.Clone(place.Key), strings.Clone(place.Name) // must not refer to the record
	place.Entity, place.Region = strings.Clone(place.Entity), places.Continent(place.Key)
	l.byArea[place.Key] = place
	if place.Entity != "" {
		l.byEntity[place.Entity] = place
	}
	l.Places = append(l.Places, place)
	return place
}

// PlaceOf returns the place with the given area key, or nil if it has no statistics.
func (x *Index) PlaceOf(area string) *Place { return x.byArea[area] }

// PlaceBy returns the place that the given entity describes, or nil.
func (x *Index) PlaceBy(entity string) *Place { return x.byEntity[entity] }

// IndicatorBy returns the indicator that the given entity describes, or nil.
func (x *Index) IndicatorBy(entity string) *Indicator { return x.described[entity] }
