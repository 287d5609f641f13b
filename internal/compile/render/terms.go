package render

import (
	"regexp"
	"strings"
	"unicode"

	"stele/record"
	"stele/release"
)

// What pages, descriptions and downloads all tell their readers, in the same words.

// NothingPromised stands wherever the service is described.
const NothingPromised = "No availability, uptime, schema stability or service level is promised."

// Preserve is what stays with a record, whoever reuses it.
var Preserve = []string{
	"the record ID", "the source links", "the version", "the verification date", "the claim boundary",
	"the source updates", "the corrections", "the evidence and decision labels",
}

// PreserveSentence says so in a sentence.
var PreserveSentence = "If you reuse a record, keep with it: " +
	strings.Join(Preserve[:len(Preserve)-1], ", ") + ", and " + Preserve[len(Preserve)-1] + "."

// Bounded is a text of at most so many bytes, which ends between letters.
func Bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " […]"
}

// Cite names a release as a source, in a line of text.
func Cite(m *release.Manifest) string { return CitePart(m, "Release "+m.Release+", "+m.Date) }

// CitePart names a part of the service, or a state of it.
func CitePart(m *release.Manifest, part string) string {
	address := ""
	if m.BaseURL != "" {
		address = strings.TrimSuffix(m.BaseURL, "/") + "/. "
	}
	return strings.TrimSuffix(m.Publisher, ".") + ". " + strings.TrimSuffix(m.Title, ".") + ". " + part + ". " +
		address + "Licence: " + m.License + "."
}

var spdx = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

// LicenseURL returns the address of a licence's text, or "" where the licence is no SPDX
// identifier.
func LicenseURL(license string) string {
	if !spdx.MatchString(license) {
		return ""
	}
	return "https://spdx.org/licenses/" + license
}

// ContactURL returns a publisher's contact as an address, or "" where it is none: a mail address
// gets its scheme.
func ContactURL(contact string) string {
	c := strings.TrimSpace(contact)
	if strings.Contains(c, "@") && !strings.Contains(c, ":") && !strings.ContainsFunc(c, unicode.IsSpace) {
		return "mailto:" + c
	}
	if record.URL(c).Valid() {
		return c
	}
	return ""
}
