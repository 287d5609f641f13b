package settings

import (
	"strconv"
	"strings"

	"stele/record"
)

// Redactions is what redactions.yaml holds: what was published and should never have been. It says
// what sort of thing that was, and never the thing.
type Redactions struct {
	Redactions []Redaction `json:"redactions" doc:"What releases leave out for good."`
}

// Redaction takes versions of a record out of the history of all later releases.
type Redaction struct {
	ID         record.ID   `json:"id" doc:"The ID of the record."`
	Versions   string      `json:"versions" doc:"The versions that are left out: 2, or 1-3."`
	Members    []string    `json:"members,omitempty" doc:"The JSON Pointers to what was taken out of the record."`
	Date       record.Date `json:"date" doc:"The day on which that was decided."`
	Reason     string      `json:"reason" max:"1000" doc:"Why, in a sentence that everybody may read."`
	TakenBack  record.Date `json:"taken_back,omitempty" doc:"The day from which the record may have it again. What the history lost stays out."`
	Whole      bool        `json:"whole,omitempty" doc:"True where the whole record was taken out: its ID must not come back."`
	Replaced   []string    `json:"replaced,omitempty" doc:"Those of the members that have other words now."`
	Ordinary   []string    `json:"ordinary,omitempty" doc:"Words that what was taken out has, and that other texts may have: names of places, say."`
	KeepDigest bool        `json:"keep_digest,omitempty" doc:"Without effect: digests of redacted versions are always withheld. Delete it."`
}

// MostVersions is how many versions a redaction may name.
const MostVersions = 100_000

// Span returns the first and the last of the versions; ok is false where they are of another form.
func (r *Redaction) Span() (first, last int64, ok bool) {
	from, to, both := strings.Cut(r.Versions, "-")
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	last = first
	if both && err == nil {
		last, err = strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	}
	return first, last, err == nil && 1 <= first && first <= last && last <= MostVersions
}

// Versions writes the first and the last of some versions as a redaction names them.
func Versions(first, last int64) string {
	if first == last {
		return strconv.FormatInt(first, 10)
	}
	return strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10)
}

// Has reports whether a version is left out.
func (r *Redaction) Has(version int64) bool {
	first, last, ok := r.Span()
	return ok && first <= version && version <= last
}

// RedactedText stands in the place of a text that a record cannot be without.
const RedactedText = "[redacted]"
