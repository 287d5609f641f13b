package record

import "slices"

// ChangeEvent describes a change to a record between two releases. Events are derived by comparing
// releases; publishers may write events of earlier times.
type ChangeEvent struct {
	Envelope
	RecordID      ID            `json:"record_id" ref:"*" doc:"The ID of the record that changed; for a change of licence or notice, the folder of the kind; for areas_changed, areas. and the name of the scheme."`
	RecordKind    KindName      `json:"record_kind" doc:"The kind of that record."`
	ChangeType    ChangeType    `json:"change_type" doc:"What happened to the record."`
	Before        *RecordDigest `json:"before" nullable:"yes" doc:"The record before the change; null if it did not exist."`
	After         *RecordDigest `json:"after" nullable:"yes" doc:"The record after the change; null if it was removed."`
	ChangedFields []string      `json:"changed_fields" doc:"JSON Pointers to the changed members, sorted."`
	// the content of these versions is no longer published
	RedactedVersions []int64 `json:"redacted_versions,omitempty" doc:"The versions of the record that this release redacted; the summary gives the reason."`
	Release          string  `json:"release" doc:"The ID of the release with the change."`
}

// MarshalJSON returns the record as it is published.
func (c ChangeEvent) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (c *ChangeEvent) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// RecordDigest identifies the content of a record.
type RecordDigest struct {
	Version int64  `json:"version" min:"1" doc:"The record's version."`
	SHA256  SHA256 `json:"sha256" nullable:"yes" doc:"The SHA-256 of the record's canonical bytes; null if that version was redacted."`
}

// presence says whether an event has a record before or after the change.
type presence uint8

const (
	no presence = iota
	yes
	maybe
)

func (p presence) allows(there bool) bool { return p == maybe || there == (p == yes) }

// changeRule says which records an event of a type has.
type changeRule struct {
	change        ChangeType
	before, after presence
}

// changeRules lists all types, the most serious first.
var changeRules = []changeRule{
	{ChangeRedacted, maybe, maybe},
	{ChangeRetracted, yes, yes},
	{ChangeRemoved, yes, no},
	{ChangeRestored, maybe, yes},
	{ChangeCorrected, yes, yes},
	{ChangeSourceUpdated, yes, yes},
	{ChangeRelicensed, no, no},
	{ChangeUpdated, yes, yes},
	{ChangeCreated, no, yes},
	{ChangeReverified, yes, yes},
	{ChangeAreas, no, no},
}

// Gravity returns the rank of t: 0 for the most serious type, and -1 for an unknown one.
func (t ChangeType) Gravity() int {
	return slices.IndexFunc(changeRules, func(r changeRule) bool { return r.change == t })
}

// OfKind reports whether events of type t concern all records of a kind or a scheme of areas,
// instead of a single record.
func (t ChangeType) OfKind() bool {
	i := t.Gravity()
	return i >= 0 && changeRules[i].before == no && changeRules[i].after == no
}

// Allows reports whether events of type t may have a record before the change, given hasBefore, and
// a record after it, given hasAfter.
func (t ChangeType) Allows(hasBefore, hasAfter bool) (before, after bool) {
	i := t.Gravity()
	return i >= 0 && changeRules[i].before.allows(hasBefore), i >= 0 && changeRules[i].after.allows(hasAfter)
}

// Differs reports whether the record differs before and after the event. It does not if the event
// only redacted earlier versions, or concerns a kind.
func (c *ChangeEvent) Differs() bool {
	if c.Before == nil || c.After == nil {
		return c.Before != c.After
	}
	return *c.Before != *c.After
}
