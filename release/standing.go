package release

import (
	"encoding/json"
	"iter"

	"stele/internal/base/layout"
)

// Standing is a line of the listing of standings.
type Standing struct {
	ID       string   `json:"id" as:"ID" doc:"The record ID."`
	Kind     string   `json:"kind" as:"KindName" doc:"The kind of the record."`
	Standing string   `json:"standing" doc:"The standing: undecided, due, source_changed, support_changed, in_question, weakened, partly_retracted, unsupported or retracted."`
	Since    string   `json:"since" as:"Date" doc:"The day of the cause."`
	Cause    string   `json:"cause" doc:"The cause: last verified, source updated, corrected, replaced or retracted."`
	Path     []string `json:"path" as:"ID" doc:"The records from this one to the one that is the cause; empty if that is this record."`
	Noticed  string   `json:"noticed" as:"Date" doc:"The date of the first release with this standing."`
}

// Salt returns the secret text that was included in the digest of the content and thus in the ID.
// Without it, a digest would confirm guesses about redacted content. It is "" if the publisher has
// no secret.
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

// Standings yields the listing of standings, which is empty in releases without that listing.
func (r *Release) Standings() iter.Seq2[Standing, error] {
	if r.Manifest.File(layout.StandingPath) == nil {
		return noValues[Standing]
	}
	return decodeLines(r, layout.StandingPath, func(line Line) (s Standing, err error) {
		if err = json.Unmarshal(line.Text, &s); err == nil {
			err = checkID(s.ID)
		}
		return s, err
	})
}
