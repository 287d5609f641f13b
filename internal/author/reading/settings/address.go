package settings

import (
	"fmt"
	"net/url"
	"strings"

	"stele/record"
)

// exampleHost is the host of the address that a new folder begins with. Nobody can publish there.
const exampleHost = "data.example.org"

// needsAddress names what a release leaves out as long as its address is not known.
const needsAddress = "feeds, pictures of shared links, the site map, catalogues (DCAT, schema.org, api-catalog), the calendar for calendar programs, the skill for agents, canonical links, and addresses in citations"

// identities names what a release identifies by its address, and what therefore changes with it.
const identities = "canonical links, IDs of feeds and their entries, IDs in JSON-LD and in schemas, addresses in citations, and UIDs of the calendar"

// LeavesOut says what releases leave out as long as their address is not known; "" if it is known.
func LeavesOut(address record.URL) string {
	if address != "" {
		return ""
	}
	return "stele.yaml has no base_url, so releases leave out " + needsAddress + "."
}

// AddressChange says what changes for others if a release has another address than the one before.
func AddressChange(was, is string) string {
	if was == "" {
		return "IDs in JSON-LD and in schemas become absolute, and it adds " + needsAddress
	}
	return "other " + identities
}

// IsExample reports whether an address is the example that a new folder begins with.
func IsExample(address record.URL) bool {
	u, err := url.Parse(string(address))
	return err == nil && strings.EqualFold(u.Hostname(), exampleHost)
}

// RefuseExample returns an error if a release would be published with the address of the example:
// what readers cite and subscribe to could not be called back.
func RefuseExample(address record.URL) error {
	if !IsExample(address) {
		return nil
	}
	return fmt.Errorf("base_url is still the example %s, and every citation and feed would name it: write the address that readers will use into stele.yaml, or take base_url out as long as it is not known", address)
}
