// Package places finds the code of a country or region by what tables call it, and what people call
// it by its code. Codes are those of ISO 3166-1 and UN M49; names are theirs, those under which
// tables of statistics have them, and those of CLDR in many languages.
package places

import (
	"cmp"
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"stele/internal/base/fold"
	"stele/internal/base/suggest"
	"stele/record"
)

// Place is a country or region.
type Place struct {
	Code string
	Name string // as UN M49 has it
}

//go:embed countries.txt
var countries string

//go:embed regions.txt
var regions string

// called has a line for each country and continent: its code, and its names in many languages, of
// which the first line has the tags. Program tools/names makes it from CLDR; LICENSE-CLDR.txt goes
// with it.
//
//go:embed names.txt
var called string

// continents has a line for each continent: its code, and those of its countries, by CLDR.
//
//go:embed continents.txt
var continents string

// Continent is the code of the continent that a country is in; empty for all else.
func Continent(country string) string {
	for line := range strings.Lines(continents) {
		if code, list, _ := strings.Cut(line, " "); len(country) == 3 && strings.Contains(list, country) {
			return code
		}
	}
	return ""
}

type index struct {
	countries, regions map[string]Place // by code and by folded name
	names              []string
	called             map[string]map[string]string // by language and code
}

var all = sync.OnceValue(func() *index {
	x := &index{map[string]Place{}, map[string]Place{}, nil, map[string]map[string]string{}}
	x.add(x.countries, countries)
	x.add(x.regions, regions)
	x.addCalled()
	return x
})

// addCalled adds the names of CLDR. One that two countries have, or a region too, stands for none.
func (x *index) addCalled() {
	other, twice := map[string]string{}, map[string]bool{}
	for code, languages := range Called() {
		for language, names := range languages {
			if x.called[language] == nil {
				x.called[language] = map[string]string{}
			}
			x.called[language][code] = names[0]
			for _, name := range names {
				folded := plain(name)
				if was := other[folded]; was != "" && was != code {
					twice[folded] = true
				}
				other[folded] = code
			}
		}
	}
	for folded, code := range other {
		to, from := x.countries, x.regions
		if _, isRegion := x.regions[code]; isRegion {
			to, from = from, to
		}
		_, known := to[folded]
		if _, taken := from[folded]; !known && !taken && !twice[folded] && folded != "" {
			to[folded] = to[code]
		}
	}
}

// Called yields the codes of countries and continents with their names in many languages: the usual
// one first, then other forms.
func Called() iter.Seq2[string, map[string][]string] {
	return func(yield func(string, map[string][]string) bool) {
		var tags []string
		for line := range strings.Lines(called) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if tags == nil {
				tags = cells
				continue
			}
			names := map[string][]string{}
			for i, cell := range cells[1:] {
				if cell != "" {
					names[tags[i+1]] = strings.Split(cell, "|")
				}
			}
			if !yield(cells[0], names) {
				return
			}
		}
	}
}

// Name is what a country or region is called in a language, or else in English; empty if it has no
// name here.
func Name(scheme record.AreaScheme, code, language string) string {
	x, code := all(), scheme.Key(code)
	primary, _, _ := strings.Cut(language, "-")
	switch name := cmp.Or(x.called[language][code], x.called[primary][code]); {
	case scheme == record.SchemeISO3166:
		return cmp.Or(name, x.countries[code].Name)
	case scheme == record.SchemeUNM49 && name != "" && primary != "en":
		return name
	case scheme == record.SchemeUNM49:
		return x.regions[code].Name
	}
	return ""
}

func (x *index) add(to map[string]Place, list string) {
	for line := range strings.Lines(list) {
		code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		names := strings.Split(rest, "|")
		p := Place{code, names[0]}
		to[code] = p
		for _, name := range names {
			to[plain(name)] = p
			x.names = append(x.names, name)
		}
	}
}

// plain leaves out of a name what does not tell it from others: case, accents, points, and "the".
func plain(name string) string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	name = strings.NewReplacer("&", " and ", ".", "").Replace(name)
	words := strings.FieldsFunc(fold.Accents(name), between)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "the" })
	for i, w := range words {
		if w == "st" {
			words[i] = "saint"
		}
	}
	return strings.Join(words, " ")
}

// Country is the country that a code or name stands for.
func Country(text string) (Place, bool) { return all().find(all().countries, text) }

// Region is the region of UN M49 that a code or name stands for. Tables mean different areas by
// the same name, so that somebody has to confirm it.
func Region(text string) (Place, bool) { return all().find(all().regions, text) }

func (x *index) find(in map[string]Place, text string) (Place, bool) {
	text = strings.TrimSpace(text)
	if p, found := in[text]; found {
		return p, true
	}
	if p, found := x.countries[record.SchemeISO3166.Key(text)]; found { // its two letters or three digits
		_, known := in[p.Code]
		return p, known
	}
	p, found := in[plain(text)]
	return p, found
}

// Suggest is the name that is nearest to one that is unknown; empty if none is near.
func Suggest(text string) string { return suggest.Closest(text, all().names) }
