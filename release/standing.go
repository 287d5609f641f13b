package release

import (
	"encoding/json"
	"iter"

	"stele/internal/base/layout"
)

// Standing is a line of that listing.
type Standing struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Standing string `json:"standing"`
	Since    string `json:"since"` // when what it comes from happened
	Cause    string `json:"cause"` // what happened
	// the records from this one to the one at which it happened, without this one
	Path    []string `json:"path"`
	Noticed string   `json:"noticed"` // the date of the release that first had it so
}

// Standings reads the listing. A release that was made before there was one has none.
func (r *Release) Standings() iter.Seq2[Standing, error] {
	if r.Manifest.File(layout.StandingPath) == nil {
		return none[Standing]
	}
	return decoded(r, layout.StandingPath, func(line Line) (s Standing, err error) {
		if err = json.Unmarshal(line.Text, &s); err == nil {
			err = checkID(s.ID)
		}
		return s, err
	})
}
