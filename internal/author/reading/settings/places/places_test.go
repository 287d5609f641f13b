package places_test

import (
	"strings"
	"testing"

	"stele/internal/author/reading/settings/places"
	"stele/record"
)

func TestCountry(t *testing.T) {
	for text, want := range map[string]string{
		"FRA": "FRA", "FR": "FRA", "250": "FRA", "France": "FRA", " france ": "FRA",
		"Côte d'Ivoire": "CIV", "Cote d’Ivoire": "CIV", "Ivory Coast": "CIV",
		"Bolivia (Plurinational State of)": "BOL", "Korea, Rep.": "KOR", "St. Kitts and Nevis": "KNA",
		"Trinidad & Tobago": "TTO", "Gambia, The": "GMB", "Türkiye": "TUR", "Micronesia (country)": "FSM",
		"Frankreich": "FRA", "Österreich": "AUT", "Allemagne": "DEU", "États-Unis": "USA", "España": "ESP", "Países Bajos": "NLD", "مصر": "EGY", "المملكة العربية السعودية": "SAU",
		"Democratic Republic of Congo": "COD", "Congo": "COG", "Guinea": "GIN", "U.S.": "USA",
	} {
		if p, found := places.FindCountry(text); !found || p.Code != want {
			t.Errorf("%q is %q, %v; want %s", text, p.Code, found, want)
		}
	}
	for _, text := range []string{"", "Atlantis", "Korea", "Micronesia", "Africa", "World", "001", "fr", "-", "the"} {
		if p, found := places.FindCountry(text); found {
			t.Errorf("%q is taken for %s", text, p.Name)
		}
	}
	if p, found := places.FindRegion("world"); !found || p.Code != "001" {
		t.Errorf("the world is %q, %v", p.Code, found)
	}
	if got := places.Suggest("Frnace"); got != "France" {
		t.Errorf("Frnace suggests %q", got)
	}
}

// TestName: codes have names in the language that is asked for, or in English.
func TestName(t *testing.T) {
	for _, test := range []struct {
		scheme               record.AreaScheme
		code, language, want string
	}{
		{record.SchemeISO3166, "ABW", "en", "Aruba"},
		{record.SchemeISO3166, "FR", "de-AT", "Frankreich"},
		{record.SchemeISO3166, "EGY", "ar", "مصر"},
		{record.SchemeISO3166, "FRA", "is", "France"},
		{record.SchemeUNM49, "002", "fr", "Afrique"},
		{record.SchemeUNM49, "001", "en", "World"},
		{record.SchemeUNM49, "011", "fr", "Western Africa"},
		{record.SchemeEntity, "FRA", "en", ""},
	} {
		if got := places.Name(test.scheme, test.code, test.language); got != test.want {
			t.Errorf("%s %s is %q in %s, and not %q", test.scheme, test.code, got, test.language, test.want)
		}
	}
}

// TestAllCodes: every country that a record may name has a name here, and each name stands for one.
func TestAllCodes(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.Lines(places.Lists) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name := range strings.SplitSeq(names, "|") {
			folded := places.Fold(name)
			if other, twice := seen[folded]; twice && other != code {
				t.Errorf("%q is %s and %s", name, other, code)
			}
			seen[folded] = code
		}
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			two := string([]rune{a, b})
			three := record.SchemeISO3166.Key(two)
			if three == two {
				continue
			}
			if p, found := places.FindCountry(two); !found || p.Code != three {
				t.Errorf("%s has no name", three)
			}
		}
	}
	if len(seen) < 300 {
		t.Errorf("only %d names", len(seen))
	}
}
