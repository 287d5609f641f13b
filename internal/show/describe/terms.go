package describe

import (
	"regexp"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
)

// terms returns the text in every description: what to preserve, and the publisher's notice.
func (s *service) terms() string {
	return render.PreserveSentence + " " + strings.TrimSpace(s.settings.Notice)
}

// signatureText describes how releases are signed. It returns "" if they are not signed.
func (s *service) signatureText() string {
	if len(s.settings.SigningKeys) == 0 {
		return ""
	}
	return "Releases are signed by " + strings.Join(s.settings.SigningKeys, " and ") + ". The detached signature of this one is " +
		s.urlOf(layout.ProofPath) + " and the log of all releases is at " + s.urlOf(layout.CheckpointPath) +
		" (c2sp.org/tlog-proof, c2sp.org/tlog-tiles). Compare the key with the key that the publisher gives elsewhere."
}

// about returns the publisher's description of the service, or a default.
func (s *service) about() string {
	if d := strings.TrimSpace(s.settings.Description); d != "" {
		return d
	}
	return "Public records of " + s.settings.Publisher + ", as static, read-only files."
}

var language = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// licenseURL returns the URL of the licence's text, or "" if the licence is not an SPDX identifier.
func (s *service) licenseURL() string { return render.LicenseURL(s.settings.License) }

// contactURL returns the publisher's contact as a URL, or "".
func (s *service) contactURL() string { return render.ContactURL(s.settings.Contact) }

// startOfDay returns date as the time at its start in UTC, for formats without dates.
func startOfDay[T ~string](date T) string { return string(date) + "T00:00:00Z" }
