package compiler

import (
	"encoding/json"
	"slices"

	"stele/internal/base/layout"
	"stele/release"
)

// Lost is what a release leaves out that takes the place of another and was not built on it.
type Lost struct {
	Releases []string // IDs, the oldest first
	Events   int      // that they brought
	Versions int      // of records that they superseded
}

// GiveUp finds out what is lost if a release that is built on another takes the place of one that
// is there. The other may be nil.
func GiveUp(there, previous *release.Release) (lost Lost, err error) {
	kept := map[string]bool{}
	if previous != nil {
		for past, err := range previous.Releases() {
			if err != nil {
				return lost, err
			}
			kept[past.Release] = true
		}
	}
	for past, err := range there.Releases() {
		if err != nil {
			return lost, err
		}
		if !kept[past.Release] {
			lost.Releases = append(lost.Releases, past.Release)
		}
	}
	for line, err := range there.Events() {
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
