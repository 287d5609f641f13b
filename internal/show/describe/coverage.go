package describe

import (
	"stele/internal/show/site/lookup"
	"stele/record"
)

// coverage is the time and the places that the statistics of a release are about.
type coverage struct {
	from      string      // the first year; "" if there are no statistics
	to        record.Date // the last day
	countries []string    // their three letters, in order
}

// cover finds the time and the places of all statistics.
func (s *service) cover() (coverage, error) {
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

// countryList has the addresses of countries that European portals use, by three letters.
const countryList = "http://publications.europa.eu/resource/authority/country/"

// dcat is the time and place in the words of DCAT.
func (c *coverage) dcat() (o object) {
	if c.from != "" {
		o = append(o, member{"dct:temporal", object{
			{"@type", "dct:PeriodOfTime"},
			{"dcat:startDate", typed(c.from, "xsd:gYear")},
			{"dcat:endDate", typed(string(c.to), "xsd:date")},
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

// schemaOrg is the same in the words of schema.org.
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
