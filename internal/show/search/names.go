package search

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// countries has a line for each country and region: its code, and the words of its names in many
// languages. Program tools/names makes it from CLDR; LICENSE-CLDR.txt goes with it.
//
//go:embed names.txt
var countries string

// mostMeant is how many things that a release has a name may stand for. One that more of them have,
// as "republic", says nothing.
const mostMeant = 3

// otherNames are names of countries that CLDR does not have, by their codes.
const otherNames = `
ARE: uae emirates
CIV: ivory coast
COD: drc zaire kinshasa
COG: brazzaville
CPV: verde cabo
CZE: czech czechia
GBR: uk gb britain british england scotland wales grossbritannien bretagne bretana соединенное королевство
IRN: iran persia
KOR: southkorea
LAO: laos
MDA: moldova
MKD: macedonia
MMR: burma
NLD: holland netherlands
PRK: northkorea
RUS: russia
SWZ: swaziland eswatini
SYR: syria
TLS: easttimor timor
TUR: turkey turkiye
TZA: tanzania
USA: us usa america american
VEN: venezuela
VNM: vietnam
`

// names are what words of other languages, and other names of countries, are looked for as: words
// of the index.
var names = sync.OnceValue(func() map[string][]string {
	all := map[string]map[string]bool{}
	add := func(name, target string) {
		for _, w := range Words(name) {
			if all[w] == nil {
				all[w] = map[string]bool{}
			}
			all[w][target] = true
		}
	}
	each := func(lines string, add func(target, names string)) {
		for line := range strings.Lines(lines) {
			if target, names, ok := strings.Cut(line, ": "); ok {
				add(target, names)
			}
		}
	}
	place := func(code, names string) { add(code+" "+names, Whole(code)) }
	each(countries, place)
	each(otherNames, place)
	each(diseases, func(target, names string) {
		for _, w := range Words(target) {
			add(names, w)
		}
	})
	m := map[string][]string{}
	for name, targets := range all {
		m[name] = slices.Sorted(maps.Keys(targets))
	}
	return m
})

// addNames puts the names of what the index has into its files.
func (x *Index) addNames() {
	all := names()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var known []string
		for _, target := range all[name] {
			if x.words[target] != nil && target != name {
				known = append(known, target)
			}
		}
		if slices.ContainsFunc(known, isWord) {
			known = slices.DeleteFunc(known, isWhole) // Africa is the continent, not a country that has it in its name
		}
		if len(known) > 0 && len(known) <= mostMeant {
			b := x.bucket(name)
			x.names[b] = append(x.names[b], [2]string{name, strings.Join(known, " ")})
		}
	}
}

func isWhole(w string) bool { return strings.HasSuffix(w, "=") }
func isWord(w string) bool  { return !isWhole(w) }
