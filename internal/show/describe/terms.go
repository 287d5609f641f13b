package describe

import (
	"regexp"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
)

// terms are what every description tells its readers: what to preserve, and the publisher's notice.
func (s *service) terms() string {
	return render.PreserveSentence + " " + strings.TrimSpace(s.settings.Notice)
}

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

var language = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// licenseURL is the address of the licence's text, or "" where the licence is no SPDX identifier.
func (s *service) licenseURL() string { return render.LicenseURL(s.settings.License) }

// contactURL is the publisher's contact as an address, or "".
func (s *service) contactURL() string { return render.ContactURL(s.settings.Contact) }

// midnight is a date as a point in time, for the formats that know no dates.
func midnight[T ~string](date T) string { return string(date) + "T00:00:00Z" }
