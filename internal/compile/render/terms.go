package render

import (
	"regexp"
	"strings"
	"unicode"

	"stele/record"
	"stele/release"
)

// Texts that pages, descriptions and downloads share.

// NothingPromised is part of every description of the service.
const NothingPromised = "No availability, uptime, schema stability or service level is promised."

// Preserve lists the members that reusers must keep with a record.
var Preserve = []string{
	"the record ID", "the source links", "the version", "the verification date", "the claim boundary",
	"the source updates", "the corrections", "the evidence and decision labels",
}

// Together lists groups of members that are kept together or not at all: a label without its
// reasons, or an effect without its interval, says more than the source.
var Together = []string{
	"evidence_label, label_basis",
	"effect.value, effect.lower, effect.upper, effect.interval, effect.level",
	"effect.risks.corresponding, effect.risks.lower, effect.risks.upper, effect.risks.assumed, effect.risks.per",
}

// PreserveSentence lists the members that reusers must keep, in a sentence.
var PreserveSentence = "If you reuse a record, keep with it: " +
	strings.Join(Preserve[:len(Preserve)-1], ", ") + ", and " + Preserve[len(Preserve)-1] +
	". Keep a label with its reasons, and an effect with its interval and assumed risk."

// Truncate returns text if it has at most limit bytes. Otherwise it returns at most the first limit
// bytes, without a partial character, and an ellipsis.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " […]"
}

// Cite returns a citation of the release, in one line.
func Cite(m *release.Manifest) string { return CitePart(m, "Release "+m.Release+", "+m.Date) }

// CitePart returns a citation of a part or state of the service.
func CitePart(m *release.Manifest, part string) string {
	address := ""
	if m.BaseURL != "" {
		address = strings.TrimSuffix(m.BaseURL, "/") + "/. "
	}
	return strings.TrimSuffix(m.Publisher, ".") + ". " + strings.TrimSuffix(m.Title, ".") + ". " + part + ". " +
		address + "Licence: " + m.License + "."
}

var spdx = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

// LicenseURL returns the URL of a licence's text, or "" if license is not an SPDX identifier.
func LicenseURL(license string) string {
	if !spdx.MatchString(license) {
		return ""
	}
	return "https://spdx.org/licenses/" + license
}

// ContactURL returns the publisher's contact as a URL, with mailto: for an email address, or "" if
// it is neither.
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
