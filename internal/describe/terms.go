package describe

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/layout"
	"stele/record"
)

const (
	// preserve is what the specification expects of everybody who reuses records.
	preserve = "Whoever reuses records keeps with each of them: the record ID, the source links, the version, the verification date, the claim boundary, " +
		"the source updates, the corrections, and the evidence and decision labels."
	nothingPromised = "No availability, uptime, schema stability or service level is promised."
)

// terms are what every description tells its readers: what to preserve, and the publisher's notice.
func (s *service) terms() string { return preserve + " " + strings.TrimSpace(s.settings.Notice) }

// signed says how releases are signed, or nothing where no key is named.
func (s *service) signed() string {
	if len(s.settings.SigningKeys) == 0 {
		return ""
	}
	return "Releases are signed by " + strings.Join(s.settings.SigningKeys, " and ") + ". The detached signature of this one is " +
		s.at(layout.ProofPath) + " and the log of all is at " + s.at(layout.CheckpointPath) +
		" (c2sp.org/tlog-proof, c2sp.org/tlog-tiles). Compare the key with the one that the publisher gives elsewhere."
}

// about is what the service is, in the publisher's words or, where there are none, in ours.
func (s *service) about() string {
	if d := strings.TrimSpace(s.settings.Description); d != "" {
		return d
	}
	return "Public records of " + s.settings.Publisher + ", as static, read-only files."
}

var (
	spdx     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)
	language = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)
)

// licenseURL is the address of the licence's text, or "" where the licence is no SPDX identifier.
func (s *service) licenseURL() string {
	if !spdx.MatchString(s.settings.License) {
		return ""
	}
	return "https://spdx.org/licenses/" + s.settings.License
}

// contactURL is the publisher's contact as an address: a mail address gets its scheme.
func (s *service) contactURL() string {
	c := strings.TrimSpace(s.settings.Contact)
	if strings.Contains(c, "@") && !strings.Contains(c, ":") && !strings.ContainsFunc(c, unicode.IsSpace) {
		return "mailto:" + c
	}
	if record.URL(c).Valid() {
		return c
	}
	return ""
}

// capital begins a text with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// midnight is a date as a point in time, for the formats that know no dates.
func midnight[T ~string](date T) string { return string(date) + "T00:00:00Z" }
