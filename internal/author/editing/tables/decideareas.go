package tables

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/sheet"
	"stele/record"
)

// decideAreas chooses how a column names areas, and asks about texts that name areas differently or
// name no country.
func (p *proposal) decideAreas() error {
	c := p.area
	if c == nil {
		return nil
	}
	if p.reading = p.ownWay(); p.reading != nil {
		return p.decideOwnAreas(p.reading)
	}
	if p.ownAreas {
		p.noteReading(c.name, areaNames, Phrase{})
		p.askNamesakes()
		p.findUnknownAreas()
		return nil
	}
	also, err := p.compareAreaColumns()
	if err != nil {
		return err
	}
	way := c.area.bestReading()
	why := c.area.example[way].decided()
	way = p.askCodes(c, way, len(also) > 0)
	p.noteReading(c.name, way, why)
	p.askOddAreas(way, also)
	for _, c := range p.areasToo {
		for _, text := range sortedTexts(c.known) {
			if totals.MatchString(text) {
				p.ignoreRows(c, text)
			}
		}
	}
	p.findUnknownAreas()
	return nil
}

// askCodes asks whether codes of two letters or of digits are country codes, unless a second column
// or the heading says so.
func (p *proposal) askCodes(c *column, way string, confirmed bool) string {
	confirmed = confirmed || isoHead.MatchString(c.name) && !c.area.otherCodes
	if e := c.area.example[way]; (way == areaTwo || way == areaDigits) && !confirmed &&
		p.askCountries(e, say("areas codes", c.name, e.Text, e.Line, p.areaName(e.Result))) == "own" {
		for _, text := range sortedTexts(c.known) {
			p.addAreaEntry(text, p.publisherArea(text))
		}
		way = areaNames
	}
	return way
}

// askNamesakes asks about the publisher's own areas that have the name of a country, such as the
// state of Georgia.
func (p *proposal) askNamesakes() {
	e := p.area.area.example[areaNames]
	if e.Text == "" {
		return
	}
	answer := p.askCountries(e, say("areas namesake", p.area.name, e.Text, e.Line, p.areaName(e.Result)))
	for _, text := range sortedTexts(p.area.known) {
		if code, _ := parseArea(text); answer != "countries" && code != "" {
			p.addAreaEntry(text, p.publisherArea(text))
		}
	}
}

func (p *proposal) askCountries(e Example, text Phrase) (answer string) {
	answer, _ = p.ask(Question{
		ID: "areas", Text: text, Choices: []Choice{
			{Value: "countries", Label: say("areas countries"), Examples: []Example{e}},
			{Value: "own", Label: say("areas own"), Examples: []Example{{e.Line, e.Text, "ent-" + slug(e.Text)}}},
		},
	})
	return answer
}

func (p *proposal) areaName(code string) string {
	if place, ok := places.FindCountry(code); ok {
		return place.Name
	}
	return code
}

// askOddAreas asks about texts that name areas in a different way from most of their column, such
// as NA among names. It does not ask if a second column names the area of the row.
func (p *proposal) askOddAreas(way string, also map[string]string) {
	for _, text := range sortedTexts(p.area.known) {
		code, other := parseArea(text)
		if code == "" || other == way && text != "NA" || p.areas[text] != "" {
			continue
		}
		if also[text] == code {
			p.addAreaEntry(text, code+" # according to another column")
			continue
		}
		line := p.area.known[text].line
		answer, _ := p.ask(Question{
			ID:   "area " + text,
			Text: say("area is", text, p.area.name, line, p.areaName(code)),
			Choices: []Choice{
				{Value: code, Label: literal(p.areaName(code)), Examples: []Example{{line, text, code}}},
				{Value: "none", Label: say("area none"), Examples: []Example{{line, text, ""}}},
			},
			Free: say("area other"),
		})
		if answer != "" {
			p.addAreaEntry(text, answer)
		}
	}
}

// findUnknownAreas finds the texts that name no country: totals, the world, and texts that only a
// person knows.
func (p *proposal) findUnknownAreas() {
	var unknown []string
	var near []Phrase
	for _, text := range sortedTexts(p.area.known) {
		code, way := parseArea(text)
		if p.ownAreas && (way == areaTwo || way == areaDigits) {
			code = ""
		}
		region, isRegion := places.FindRegion(text)
		switch {
		case code != "" || p.areas[text] != "":
		case p.area.isTotal(text):
			p.ignoreRows(p.area, text)
		case isRegion && region.Code == "001":
			p.addAreaEntry(text, `{ref_area_scheme: un_m49, ref_area: "001"}`)

		default:
			unknown = append(unknown, text)
			if similar := places.Suggest(text); similar != "" && similar != text {
				near = append(near, say("perhaps", text, similar))
			}
		}
	}
	if unknown = p.askMarkedAreas(unknown); len(unknown) == 0 {
		return
	}
	answer := p.askUnknown(unknown, near)
	for _, text := range unknown {
		region, isRegion := places.FindRegion(text)
		switch {
		case answer == "none":
			p.addAreaEntry(text, answer)
		case isRegion && answer != "own":
			p.addAreaEntry(text, fmt.Sprintf("{ref_area_scheme: un_m49, ref_area: %q} # %s, if the table means this region", region.Code, region.Name))
		default:
			p.addAreaEntry(text, p.publisherArea(text))
		}
	}
}

// areaMark matches a sign after an area that may refer to a note.
var areaMark = regexp.MustCompile(`^(.*?)[ ,]*([*†‡§#^]+|\d{1,2}\)?|\(\w{1,2}\)|\[[^\]]{1,8}\])$`)

// askMarkedAreas asks whether texts that end in a sign mean the country before it, and returns the
// others.
func (p *proposal) askMarkedAreas(unknown []string) (others []string) {
	var marked []string
	codes := map[string]string{}
	for _, text := range unknown {
		if m := areaMark.FindStringSubmatch(text); m != nil && namesArea(m[1]) {
			codes[text], _ = parseArea(m[1])
			marked = append(marked, text)
		} else {
			others = append(others, text)
		}
	}
	if len(marked) == 0 {
		return others
	}
	first := marked[0]
	if p.askChoice("marked areas", say("marked areas", quoteNames(marked[:min(len(marked), 8)]), p.areaName(codes[first])), "yes", "no") == "no" {
		return unknown
	}
	for _, text := range marked {
		p.addAreaEntry(text, codes[text])
	}
	return others
}

func (p *proposal) askUnknown(unknown []string, near []Phrase) string {
	shown := []Phrase{literal(quoteNames(unknown[:min(len(unknown), 8)]))}
	if len(unknown) > 8 {
		shown = append(shown, say("more", len(unknown)-8))
	}
	q := newQuestion("unknown areas", say("unknown areas", shown, p.area.name), "own", "regions", "none")
	if len(near) > 0 {
		q.Text = say("unknown areas near", shown, p.area.name, near[:min(len(near), 5)])
	}
	answer, _ := p.ask(q)
	return answer
}

// addAreaEntry adds the meaning of an area to the map, or none to ignore its rows.
func (p *proposal) addAreaEntry(text, to string) {
	if to == "none" {
		to = ""
	}
	if p.areas[text] == "" {
		p.areas[text] = " " + to
	}
}

// compareAreaColumns compares the columns that name areas, row by row, and returns the areas by the
// texts in the first column. It asks about the first row in which two columns disagree.
func (p *proposal) compareAreaColumns() (also map[string]string, err error) {
	if len(p.areasToo) == 0 {
		return nil, nil
	}
	var clash, lone Phrase
	var other *column
	also = map[string]string{}
	err = p.eachRow(func(row sheet.Row) bool {
		text := trimSpace(row.At(p.area.at).Text)
		code, way := parseArea(text)
		for _, c := range p.areasToo {
			there := trimSpace(row.At(c.at).Text)
			its, itsWay := parseArea(there)
			switch {
			case code != "" && there == "":
				if lone.isEmpty() {
					lone = say("areas missing", row.Line, p.area.name, strings.Clone(text), c.name)
				}
			case its == "" || code == "" || itsWay == areaTwo && there == "NA" && code != its:
			case code == its && there == text: // it shows nothing about either
			case code == its:
				also[strings.Clone(text)] = code
			case way == areaDigits || itsWay == areaDigits:
				continue
			case clash.isEmpty():
				clash = say("areas differ", row.Line, strings.Clone(text), code, p.area.name, strings.Clone(there), its, c.name)
				other = c
			}
		}
		return clash.isEmpty()
	})
	if !lone.isEmpty() {
		p.askChoice("areas missing", lone, "named")
	}
	if !clash.isEmpty() && p.askChoice("areas differ", clash, "dimension") != "" {
		p.areasToo = slices.DeleteFunc(p.areasToo, func(c *column) bool { return c == other })
		p.takeDimension(other)
		return p.compareAreaColumns()
	}
	return also, err
}

// publisherArea returns one of the publisher's own areas, as a map writes it. Areas whose names
// have no ASCII letters are numbered.
func (p *proposal) publisherArea(text string) string {
	name := cmp.Or(slug(text), fmt.Sprintf("area-%d", len(p.areas)+1))
	return fmt.Sprintf("{ref_area_scheme: entity, ref_area: ent-%s} # write an entity record, or replace this with a code", name)
}

// checkOneNaming returns an error if a column seems to name areas in two ways: codes of two letters
// or of digits next to names or subdivisions are not country codes, and NA may mean no value.
func (c *converter) checkOneNaming(areas *column) {
	reading := c.Readings[c.names[c.area]]
	ways, parts := map[string]int{}, false
	for _, a := range c.Areas {
		parts = parts || strings.Contains(a.Code, "-") && a.Scheme == "iso3166"
	}
	for text := range areas.known {
		_, way := parseArea(text)
		ways[way]++
	}
	delete(ways, "")
	other := c.Columns["x_area_name"]
	alone := other == "" || other == c.names[c.area] // no other column names the areas
	for _, text := range sortedTexts(areas.known) {
		code, way := parseArea(text)
		others := ways[areaNames] + ways[areaLetters]
		switch other := way == areaTwo && (parts || others > 0 && ways[areaTwo] <= others); {
		case code == "":
		case reading != "" && way != reading, reading == "" && (other || text == "NA" && alone),
			way == areaDigits && reading == "" && len(ways) > 1:
			c.addFault(sheet.Row{Line: areas.known[text].line}, c.names[c.area], fmt.Errorf(
				"%q would mean %s, but other areas in the column are written differently: add its meaning to areas in the map, such as {%s: %s}, or an empty meaning to ignore its rows", text, code, quoteText(text), code))
		}
	}
}

// setArea fills in the scheme and code of an area.
func (c *converter) setArea(members map[string]string, text string) error {
	c.unplaced = ""
	if a, known := c.Areas[text]; known {
		members["ref_area_scheme"], members["ref_area"] = a.Scheme, a.Code
		return nil
	}
	if c.own != nil {
		if len(c.own.find(text)) == 0 {
			return c.own.unknown(text)
		}
		members["ref_area_scheme"], c.unplaced = c.own.scheme.Name, text
		return nil
	}
	if formerStates[text] != [2]string{} {
		members["ref_area_scheme"], members["ref_area"] = string(record.SchemeISO3166), text
		return nil
	}
	p, found := places.FindCountry(text)
	if code, way := parseArea(text); way == areaDigits && c.readings[c.areaColumn()] == areaDigits {
		p.Code, found = code, code != ""
	}
	if !found {
		if r, isRegion := places.FindRegion(text); isRegion {
			return say("fault region", text, r.Code)
		} else if near := places.Suggest(text); near != "" {
			return say("fault country near", text, near)
		}
		return say("fault country", text)
	}
	if reading := c.readings[c.areaColumn()]; reading != "" {
		if code, way := parseArea(text); way != reading {
			return say("fault area", text, code, reading)
		}
	}
	members["ref_area_scheme"], members["ref_area"] = string(record.SchemeISO3166), p.Code
	return nil
}

// checkSameCountry returns an error if name and area, from two columns, name different countries.
func (c *converter) checkSameCountry(name, area string) error {
	a, known1 := places.FindCountry(name)
	b, known2 := places.FindCountry(area)
	if _, way := parseArea(name); area == "NA" && way != areaNames {
		return fmt.Errorf("%q may mean Namibia or no value, and %q does not show which: add its meaning to areas in the map", area, name)
	}
	if _, stated := c.Areas[area]; known1 && known2 && !stated && a.Code != b.Code {
		return say("fault areas differ", name, a.Code, area, c.names[c.area], b.Code)
	}
	return nil
}
