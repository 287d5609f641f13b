package settings

import (
	"fmt"
	"net/url"
	"strings"

	"stele/record"
)

// exampleHost is the host of the address in a new folder. It cannot be published.
const exampleHost = "data.example.org"

// needsAddress lists the parts that a release omits if base_url is missing.
const needsAddress = "feeds, pictures of shared links, the site map, catalogues (DCAT, schema.org, api-catalog), the calendar for calendar programs, the skill for agents, canonical links, and addresses in citations"

// identities lists the identifiers in a release that contain base_url and change with it.
const identities = "canonical links, IDs of feeds and their entries, IDs in JSON-LD and in schemas, addresses in citations, and UIDs of the calendar"

// OmittedParts returns a sentence about the parts that releases omit because base_url is missing,
// or "".
func OmittedParts(address record.URL) string {
	if address != "" {
		return ""
	}
	return "base_url is missing in stele.yaml, so releases omit " + needsAddress + "."
}

// AddressChange returns the consequences of a changed base_url.
func AddressChange(was, is string) string {
	if was == "" {
		return "IDs in JSON-LD and in schemas become absolute, and it adds " + needsAddress
	}
	return "other " + identities
}

// IsExample reports whether address is the example in a new folder.
func IsExample(address record.URL) bool {
	u, err := url.Parse(string(address))
	return err == nil && strings.EqualFold(u.Hostname(), exampleHost)
}

// RefuseExample returns an error if address is the example, because citations and subscriptions
// with it could not be undone.
func RefuseExample(address record.URL) error {
	if !IsExample(address) {
		return nil
	}
	return fmt.Errorf("base_url is still the example %s, which every citation and feed would contain: set base_url in stele.yaml to the address for readers, or remove it until you know the address", address)
}
