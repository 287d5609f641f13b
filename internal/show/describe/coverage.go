package describe

import (
	"bytes"
	"maps"
	"slices"

	"stele/record"
)

// coverage is the time and the places that the statistics of a release are about.
type coverage struct {
	from      string      // the first year; "" if there are no statistics
	to        record.Date // the last day
	countries []string    // their three letters, in order
}

// mostPeriods is how many ways of writing a period are remembered. There are few, on millions of
// statistics.
const mostPeriods = 10_000

// cover reads the periods and areas of all statistics.
func (s *service) cover() (c coverage, err error) {
	k := record.KindNamed(record.KindHealthcareStatistic)
	records := s.Reader()
	periods, areas, countries := map[string]bool{}, map[[2]string]bool{}, map[string]bool{}
	for i := range s.Len(k) {
		data, err := records.Record(k, i)
		if err != nil {
			return c, err
		}
		scheme, rest := codeIn(data, `"ref_area_scheme":"`)
		area, rest := codeIn(rest, `"ref_area":"`)
		if period, _ := codeIn(rest, `"time_period":"`); !periods[string(period)] {
			c.add(record.Period(period))
			if len(periods) < mostPeriods {
				periods[string(period)] = true
			}
		}
		if string(scheme) == string(record.SchemeEntity) || areas[[2]string{string(scheme), string(area)}] {
			continue // what is not an entity comes from a list of codes, and so is one of few
		}
		areas[[2]string{string(scheme), string(area)}] = true
		key := record.AreaScheme(scheme).Key(string(area))
		if len(key) == 3 && 'A' <= key[0] && key[0] <= 'Z' {
			countries[key] = true
		}
	}
	c.countries = slices.Sorted(maps.Keys(countries))
	return c, nil
}

// add lets the time reach over a period.
func (c *coverage) add(p record.Period) {
	if !p.Valid() {
		return
	}
	if year := string(p[:4]); c.from == "" || year < c.from {
		c.from = year
	}
	c.to = max(c.to, p.End())
}

// codeIn finds a member of a record whose value is a code, and so has nothing escaped in it, and
// returns what stands after it too. Within a text, the quotation marks of its name would be
// escaped.
func codeIn(data []byte, member string) (value, rest []byte) {
	_, rest, _ = bytes.Cut(data, []byte(member))
	value, rest, _ = bytes.Cut(rest, []byte{'"'})
	return value, rest
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
