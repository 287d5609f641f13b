package tables

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/record"
)

// The readings of areas: the ways in which a column names its areas.
const (
	areaNames   = "country names"
	areaLetters = "country codes of 3 letters"
	areaTwo     = "country codes of 2 letters"
	areaDigits  = "country codes of 3 digits"
)

var areaReadings = []string{areaLetters, areaNames, areaTwo, areaDigits}

// formerStates maps the codes of former states to their first and last year.
var formerStates = map[string][2]string{
	"SUN": {"1922", "1991"}, "YUG": {"1918", "2003"}, "SCG": {"2003", "2006"}, "CSK": {"1918", "1992"},
	"DDR": {"1949", "1990"}, "ANT": {"1954", "2010"},
}

// parseArea returns the country that text names, and the only reading that accepts the text.
func parseArea(text string) (code, reading string) {
	upper := strings.ToUpper(text) == text
	switch {
	case len(text) <= 3 && isDigits(text):
		p, _ := places.FindCountry(fmt.Sprintf("%03s", text))
		return p.Code, areaDigits
	case len(text) == 3 && upper && formerStates[text][0] != "":
		return text, areaLetters
	}
	p, found := places.FindCountry(text)
	switch {
	case !found:
		return "", ""
	case len(text) == 3 && upper && p.Code == text:
		return p.Code, areaLetters
	case len(text) == 2 && upper:
		return p.Code, areaTwo
	}
	return p.Code, areaNames
}

func namesArea(text string) bool {
	code, _ := parseArea(text)
	return code != ""
}

// checkExisted returns an error if code is the code of a former state that did not exist in period.
func checkExisted(code string, period record.Period) error {
	years, former := formerStates[code]
	if !former || len(period) < 4 {
		return nil
	}
	if from, to := period[:4], period.End(); string(from) > years[1] || string(to) < years[0] {
		return fmt.Errorf("%s is the code of a state that existed from %s to %s, but the period is %s: write the area of the row below areas in the map", code, years[0], years[1], period)
	}
	return nil
}

// regions counts how the areas of a column are written.
type regions struct {
	ways    map[string]int     // number of different texts that each reading accepts
	example map[string]Example // an example for each
	own     []*ownReading
	codes   bool // the heading announces areas or codes, so digits may be codes of a scheme
	// otherCodes reports whether texts of two capital letters, like codes, name no country.
	otherCodes bool
}

// addText counts a text. It reports whether text names a country, a region or a scheme's area.
func (r *regions) addText(text string, line int) bool {
	isOwn := false
	for _, own := range r.own {
		list := own.find(text)
		if len(list) == 0 || isDigits(text) && !r.codes {
			continue
		}
		isOwn = true
		r.count(own.String(), text, list[0].Code, line)
	}
	code, way := parseArea(text)
	if code == "" {
		r.otherCodes = r.otherCodes || len(text) == 2 && strings.ToUpper(text) == text
		_, region := places.FindRegion(text)
		return isOwn || region && !isDigits(text)
	}
	r.count(way, text, code, line)
	return true
}

func (r *regions) count(way, text, code string, line int) {
	if r.ways[way]++; r.example[way].Text == "" {
		r.example[way] = Example{line, strings.Clone(text), code}
	}
}

// ownReading returns the first reading of a scheme that accepts as many texts as the best reading,
// or nil.
func (r *regions) ownReading() *ownReading {
	most := r.ways[r.bestReading()]
	i := slices.IndexFunc(r.own, func(own *ownReading) bool { return most > 0 && r.ways[own.String()] == most })
	if i < 0 {
		return nil
	}
	return r.own[i]
}

// bestReading returns the reading that accepts the most texts.
func (r *regions) bestReading() string {
	if len(r.ways) == 0 {
		return areaNames
	}
	ways := slices.Concat(areaReadings, ownNames(r.own))
	return slices.MaxFunc(ways, func(a, b string) int { return r.ways[a] - r.ways[b] })
}
