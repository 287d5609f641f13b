// Package places finds the code of a country or region by its name, and its names by the code.
// Codes are ISO 3166-1 and UN M49; names are those of the standards, of common statistical tables,
// and of CLDR in many languages.
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
	Name string // the UN M49 name
}

//go:embed countries.txt
var countries string

//go:embed regions.txt
var regions string

// called has a line for each country and continent: its code, and its names in many languages. The
// first line has the language tags. The program tools/names generates it from CLDR; see
// LICENSE-CLDR.txt.
//
//go:embed names.txt
var called string

// continents has a line for each continent: its code, and the codes of its countries, from CLDR.
//
//go:embed continents.txt
var continents string

// Continent returns the code of the continent of country, or "".
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
	x.addList(x.countries, countries)
	x.addList(x.regions, regions)
	x.addNames()
	return x
})

// addNames adds the names of CLDR, except names of two countries, or of a country and a region.
func (x *index) addNames() {
	other, twice := map[string]string{}, map[string]bool{}
	for code, languages := range Names() {
		for language, names := range languages {
			if x.called[language] == nil {
				x.called[language] = map[string]string{}
			}
			x.called[language][code] = names[0]
			for _, name := range names {
				folded := comparableName(name)
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

// Names yields the codes of countries and continents with their names by language: the usual name
// first, then other forms.
func Names() iter.Seq2[string, map[string][]string] {
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

// Name returns the name of a country or region in language, otherwise in English, otherwise "".
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

func (x *index) addList(to map[string]Place, list string) {
	for line := range strings.Lines(list) {
		code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		names := strings.Split(rest, "|")
		p := Place{code, names[0]}
		to[code] = p
		for _, name := range names {
			to[comparableName(name)] = p
			x.names = append(x.names, name)
		}
	}
}

// comparableName returns a name without case, accents, points and "the", for comparison.
func comparableName(name string) string {
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

// FindCountry returns the country whose code or name is text.
func FindCountry(text string) (Place, bool) { return all().findPlace(all().countries, text) }

// FindRegion returns the UN M49 region with a code or name. Different tables use the same name for
// different regions, so a person must confirm the result.
func FindRegion(text string) (Place, bool) { return all().findPlace(all().regions, text) }

func (x *index) findPlace(in map[string]Place, text string) (Place, bool) {
	text = strings.TrimSpace(text)
	if p, found := in[text]; found {
		return p, true
	}
	if p, found := x.countries[record.SchemeISO3166.Key(text)]; found { // two letters or three digits
		_, known := in[p.Code]
		return p, known
	}
	p, found := in[comparableName(text)]
	return p, found
}

// Suggest returns the known name closest to text, or "" if none is close.
func Suggest(text string) string { return suggest.Closest(text, all().names) }
