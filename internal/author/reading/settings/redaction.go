package settings

import (
	"strconv"
	"strings"

	"stele/record"
)

// Redactions are the contents of redactions.yaml: the content that should never have been
// published, described without repeating it.
type Redactions struct {
	Redactions []Redaction `json:"redactions" doc:"Content that releases omit permanently."`
}

// Redaction removes versions of a record from the history in all later releases.
type Redaction struct {
	ID         record.ID   `json:"id" doc:"The ID of the record."`
	Versions   string      `json:"versions" doc:"The redacted versions, such as 2 or 1-3."`
	Members    []string    `json:"members,omitempty" doc:"JSON Pointers of the removed members."`
	Date       record.Date `json:"date" doc:"The day of the decision."`
	Reason     string      `json:"reason" max:"1000" doc:"The reason, in a sentence that may be public."`
	TakenBack  record.Date `json:"taken_back,omitempty" doc:"The day from which the record may contain the content again. The history stays redacted."`
	Whole      bool        `json:"whole,omitempty" doc:"True if the whole record was removed: its ID cannot be used again."`
	Replaced   []string    `json:"replaced,omitempty" doc:"The members whose text was replaced."`
	Ordinary   []string    `json:"ordinary,omitempty" doc:"Words of the removed content that other texts may contain, such as place names."`
	KeepDigest bool        `json:"keep_digest,omitempty" doc:"No effect: digests of redacted versions are always omitted. Delete this member."`
}

// MostVersions is the maximum number of versions of a redaction.
const MostVersions = 100_000

// Span returns the first and the last version; ok is false if versions is malformed.
func (r *Redaction) Span() (first, last int64, ok bool) {
	from, to, both := strings.Cut(r.Versions, "-")
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	last = first
	if both && err == nil {
		last, err = strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	}
	return first, last, err == nil && 1 <= first && first <= last && last <= MostVersions
}

// Versions formats a range of versions as a redaction does.
func Versions(first, last int64) string {
	if first == last {
		return strconv.FormatInt(first, 10)
	}
	return strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10)
}

// Has reports whether the redaction includes version.
func (r *Redaction) Has(version int64) bool {
	first, last, ok := r.Span()
	return ok && first <= version && version <= last
}

// RedactedText replaces a text that a record must have.
const RedactedText = "[redacted]"
