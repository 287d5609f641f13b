package record

import (
	"strings"
	"testing"

	"golang.org/x/text/language"
)

func TestAreaCodes(t *testing.T) {
	const (
		anyCountry = "write the code of a country, such as FRA or FR, or of a part of one, such as US-CA"
		anyM49     = "write three digits, such as 001 for the world"
	)
	for _, c := range []struct {
		scheme    AreaScheme
		code, fix string
	}{
		{"iso3166", "FRA", ""},
		{"iso3166", "FR", ""},
		{"iso3166", "US-CA", ""},
		{"iso3166", "GB-ENG", ""},
		{"iso3166", "FR-75", ""},
		{"iso3166", "SUN", ""},
		{"iso3166", "XKX", ""},
		{"iso3166", "fra", "write FRA"},
		{"iso3166", "Fr", "write FR"},
		{"iso3166", "France", "use the code, not the name: two or three letters, such as FRA for France"},
		{"iso3166", "UK", "write GB: UK is not an ISO 3166 code"},
		{"iso3166", "EL", "write GR: EL is an EU code, not an ISO 3166 code"},
		{"iso3166", "ZZ", anyCountry},
		{"iso3166", "US-", anyCountry},
		{"iso3166", "US-ABCD", anyCountry},
		{"iso3166", "US-ca", anyCountry},
		{"iso3166", "USA-CA", anyCountry},
		{"iso3166", "ZZ-CA", anyCountry},
		{"iso3166", "250", "that is a UN M49 code: set ref_area_scheme to un_m49"},
		{"un_m49", "250", ""},
		{"un_m49", "001", ""},
		{"un_m49", "419", ""},
		{"un_m49", "1", "write 001"},
		{"un_m49", "32", "write 032"},
		{"un_m49", "000", anyM49},
		{"un_m49", "world", anyM49},
		{"un_m49", "", anyM49},
		{"un_m49", "FRA", "that is an ISO 3166 code: set ref_area_scheme to iso3166"},
		{"entity", "anything", ""},
		{"atlantis", "anything", ""}, // that the scheme is unknown is said already
	} {
		if fix := areaProblem(c.scheme, c.code); fix != c.fix {
			t.Errorf("%s %q: told %q, want %q", c.scheme, c.code, fix, c.fix)
		}
	}
}

// TestCountries compares the table with golang.org/x/text, which has it from CLDR.
func TestCountries(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range strings.Fields(countries) {
		if len(c) != 8 || listed[c[3:5]] {
			t.Fatalf("%s has not eight characters, or stands twice", c)
		}
		alpha3, alpha2, m49 := c[:3], c[3:5], c[5:]
		listed[alpha2] = true
		region, err := language.ParseRegion(alpha2)
		if err != nil || !region.IsCountry() {
			t.Errorf("%s is no country: %v", alpha2, err)
			continue
		}
		if region.ISO3() != alpha3 {
			t.Errorf("%s has the three letters %s, not %s", alpha2, region.ISO3(), alpha3)
		}
		if digits, err := language.ParseRegion(m49); err != nil || digits != region {
			t.Errorf("%s is %v, not %s: %v", m49, digits, alpha2, err)
		}
	}
	if len(listed) != 249 {
		t.Errorf("%d countries; ISO 3166-1 has 249", len(listed))
	}
}

func TestAreaKey(t *testing.T) {
	for _, c := range []struct {
		scheme     AreaScheme
		code, want string
	}{
		{"iso3166", "FRA", "FRA"},
		{"iso3166", "FR", "FRA"},
		{"un_m49", "250", "FRA"},
		{"un_m49", "001", "001"},
		{"iso3166", "US-CA", "US-CA"},
		{"iso3166", "SUN", "SUN"},
		{"entity", "FR", "FR"}, // an ID, whatever it looks like
	} {
		if got := c.scheme.Key(c.code); got != c.want {
			t.Errorf("AreaKey(%s, %s) = %s, want %s", c.scheme, c.code, got, c.want)
		}
	}
}

func TestRegions(t *testing.T) {
	for _, code := range strings.Fields(m49Regions) {
		region, err := language.ParseRegion(code)
		if err != nil || !region.IsGroup() {
			t.Errorf("%s is no region of UN M49: %v, %v", code, region, err)
		}
	}
}
