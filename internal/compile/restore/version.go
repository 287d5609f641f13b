package restore

import (
	"bytes"
	"errors"
	"fmt"

	"stele/internal/author/judging/report"
	"stele/release"
)

// ErrRedacted is wrapped by errors about redacted versions.
var ErrRedacted = errors.New("was redacted")

// Version returns the JSON of a record: of the given version, of the release on a day, or, for 0
// and "", of the latest release.
func Version(h *release.RecordHistory, day string, version int64) ([]byte, error) {
	number := len(h.Releases) - 1
	switch {
	case version != 0:
		return readVersion(h, version)
	case day != "":
		var err error
		if number, err = FindRelease(h.Releases, day); err != nil {
			return nil, err
		}
	}
	if version := h.RedactedAt(number); version != 0 {
		return readVersion(h, version)
	}
	if digest := h.At(number); digest != nil {
		return h.Read(*digest)
	}
	then := h.Releases[number]
	for _, m := range h.Changes {
		if m.After == nil && m.Release >= 0 && m.Release <= number {
			return nil, fmt.Errorf("%s was removed in release %s of %s%s: read an earlier version with --version",
				h.ID, h.Releases[m.Release].Release, m.Date, report.InBrackets(m.Summary))
		}
	}
	return nil, fmt.Errorf("%s did not exist yet in release %s of %s", h.ID, then.Release, then.Date)
}

func readVersion(h *release.RecordHistory, version int64) ([]byte, error) {
	if h.Current != nil && h.Current.Version == version {
		return h.Read(h.Current.SHA256)
	}
	for v, err := range h.Earlier() {
		switch {
		case err != nil:
			return nil, err
		case v.Number == version && v.Redacted != "":
			return nil, fmt.Errorf("version %d of %s %w on %s: %s", version, h.ID, ErrRedacted, v.Redacted, v.Reason)
		case v.Number == version:
			return bytes.Clone(v.Record), nil
		}
	}
	return nil, fmt.Errorf("%s: unknown version %d: list the versions with stele show --history", h.ID, version)
}
