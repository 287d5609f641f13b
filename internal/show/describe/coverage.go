package describe

import (
	"stele/internal/show/site/lookup"
	"stele/record"
)

// coverage is the time span and the countries of a release's statistics.
type coverage struct {
	from      string      // the first year; "" without statistics
	to        record.Date // the last day
	countries []string    // by three letters, sorted
}

func (s *service) measureCoverage() (coverage, error) {
	index, err := s.series.Index(s.Records)
	if err != nil {
		return coverage{}, err
	}
	s.index = index
	var areas []string
	for _, x := range index.Indicators {
		areas = append(areas, x.Areas...)
	}
	return coverage{index.Span.From, index.Span.To, lookup.Countries(areas...)}, nil
}

// countryList is the prefix of the country URIs that European portals use.
const countryList = "http://publications.europa.eu/resource/authority/country/"

// dcat returns the coverage as DCAT properties.
func (c *coverage) dcat() (o object) {
	if c.from != "" {
		o = append(o, member{"dct:temporal", object{
			{"@type", "dct:PeriodOfTime"},
			{"dcat:startDate", typedValue(c.from, "xsd:gYear")},
			{"dcat:endDate", typedValue(string(c.to), "xsd:date")},
		}})
	}
	if len(c.countries) > 0 {
		places := []object{}
		for _, code := range c.countries {
			places = append(places, iri(countryList+code))
		}
		o = append(o, member{"dct:spatial", places})
	}
	return o
}

// schemaOrg returns the coverage as schema.org properties.
func (c *coverage) schemaOrg() (o object) {
	if c.from != "" {
		o = append(o, member{"temporalCoverage", c.from + "/" + string(c.to)})
	}
	if len(c.countries) > 0 {
		places := []object{}
		for _, code := range c.countries {
			places = append(places, object{{"@type", "Country"}, {"identifier", code}})
		}
		o = append(o, member{"spatialCoverage", places})
	}
	return o
}
