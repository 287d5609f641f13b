package release

import (
	"encoding/json"
	"iter"

	"stele/internal/base/layout"
)

// Standing is a line of that listing.
type Standing struct {
	ID       string   `json:"id" as:"ID" doc:"The record ID."`
	Kind     string   `json:"kind" as:"KindName" doc:"What kind of record it is."`
	Standing string   `json:"standing" doc:"How it stands: undecided, due, source_changed, support_changed, in_question, weakened, partly_retracted, unsupported or retracted."`
	Since    string   `json:"since" as:"Date" doc:"The day on which what it comes from happened."`
	Cause    string   `json:"cause" doc:"What happened: last verified, source updated, corrected, replaced or retracted."`
	Path     []string `json:"path" as:"ID" doc:"The records that lead from this one to the one at which it happened; empty where that is this one."`
	Noticed  string   `json:"noticed" as:"Date" doc:"The date of the release that first had it so."`
}

// Salt returns the text that the digest of the content, and so the ID, was made with: without it, a
// digest would confirm a guess of what a later release redacts. It is empty if the publisher has no
// secret.
func (r *Release) Salt() (string, error) {
	if r.Manifest.File(layout.StandingPath) == nil {
		return "", nil
	}
	var head struct {
		Salt string `json:"salt"`
	}
	read := func(line []byte) error { return json.Unmarshal([]byte(string(line)+"]}"), &head) }
	for _, err := range r.linesAfter(layout.StandingPath, read) {
		if err != nil {
			return "", err
		}
	}
	return head.Salt, nil
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
