// Package places finds the code of a country or region by what tables call it. Names and codes are
// those of ISO 3166-1 and UN M49, with the other names under which tables of statistics have them.
package places

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"stele/internal/base/suggest"
	"stele/record"
)

// Place is a country or region.
type Place struct {
	Scheme record.AreaScheme
	Code   string
	Name   string // as UN M49 has it
}

//go:embed countries.txt
var countries string

//go:embed regions.txt
var regions string

type index struct {
	countries, regions map[string]Place // by code and by folded name
	names              []string
}

var all = sync.OnceValue(func() *index {
	x := &index{map[string]Place{}, map[string]Place{}, nil}
	x.add(x.countries, countries, record.SchemeISO3166)
	x.add(x.regions, regions, record.SchemeUNM49)
	return x
})

func (x *index) add(to map[string]Place, list string, scheme record.AreaScheme) {
	for line := range strings.Lines(list) {
		code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		names := strings.Split(rest, "|")
		p := Place{scheme, code, names[0]}
		to[code] = p
		for _, name := range names {
			to[fold(name)] = p
			x.names = append(x.names, name)
		}
	}
}

// fold leaves out of a name what does not tell it from others: case, accents, points, and "the".
func fold(name string) string {
	var words []string
	word := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) }
	name = strings.ReplaceAll(strings.ReplaceAll(name, "&", " and "), ".", "")
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFD.String(name)), word) {
		w = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, w)
		switch w {
		case "the":
			continue
		case "st":
			w = "saint"
		}
		words = append(words, w)
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
	if p, found := x.byCode(text); found {
		_, known := in[p.Code]
		return p, known
	}
	p, found := in[fold(text)]
	return p, found
}

// byCode knows the two letters and the three digits of a country too.
func (x *index) byCode(text string) (Place, bool) {
	p, found := x.countries[record.SchemeISO3166.Key(text)]
	return p, found
}

// Suggest is the name that is nearest to one that is unknown; empty if none is near.
func Suggest(text string) string { return suggest.To(text, all().names) }
