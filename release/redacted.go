package release

import (
	"bytes"
	"encoding/json"
	"slices"
)

// RedactedSince returns the versions that were redacted after the release id, or all redacted
// versions if that release is unknown. Each version's Release is the release that redacted it.
func (r *Release) RedactedSince(id string) (list []Version, err error) {
	for line, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(line, []byte(`"redacted_versions":[`)) {
			continue
		}
		var e struct {
			eventDigests
			Date   string `json:"published_date"`
			Reason string `json:"summary"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		for _, n := range e.Redacted {
			list = append(list, Version{
				ID: e.RecordID, Number: n, Release: e.Release, Redacted: e.Date, Reason: e.Reason,
			})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	until, found := map[string]bool{}, false // releases up to that one
	for p, err := range r.Releases() {
		if err != nil {
			return nil, err
		}
		until[p.Release] = !found
		found = found || p.Release == id
	}
	return slices.DeleteFunc(list, func(v Version) bool { return found && until[v.Release] }), nil
}
