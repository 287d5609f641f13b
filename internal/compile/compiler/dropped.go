package compiler

import (
	"encoding/json"
	"slices"

	"stele/internal/base/layout"
	"stele/release"
)

// Dropped counts the data that is lost when a release is replaced by one that does not follow it.
type Dropped struct {
	Releases []string // IDs, the oldest first
	Events   int      // number of their events
	Versions int      // number of superseded versions of records
}

// FindDropped returns the data that is lost if the release current is replaced by a release that
// follows previous, which may be nil.
func FindDropped(current, previous *release.Release) (lost Dropped, err error) {
	kept := map[string]bool{}
	if previous != nil {
		for past, err := range previous.Releases() {
			if err != nil {
				return lost, err
			}
			kept[past.Release] = true
		}
	}
	for past, err := range current.Releases() {
		if err != nil {
			return lost, err
		}
		if !kept[past.Release] {
			lost.Releases = append(lost.Releases, past.Release)
		}
	}
	for line, err := range current.Events() {
		var e struct {
			Release string          `json:"release"`
			Before  json.RawMessage `json:"before"`
		}
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			return lost, err
		}
		if slices.Contains(lost.Releases, e.Release) {
			lost.Events++
			if e.Before != nil {
				lost.Versions++
			}
		}
	}
	lost.Releases = lost.Releases[max(0, len(lost.Releases)-layout.MaxGivenUp):]
	return lost, nil
}
