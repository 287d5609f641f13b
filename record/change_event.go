package record

import "slices"

// ChangeEvent says what happened to a record between two releases. Events are derived by comparing
// releases; a publisher may write those of a time before that.
type ChangeEvent struct {
	Envelope
	RecordID      ID            `json:"record_id" ref:"*" doc:"The ID of the record that changed; of a change of licence or notice, the folder of the kind."`
	RecordKind    KindName      `json:"record_kind" doc:"The kind of that record."`
	ChangeType    ChangeType    `json:"change_type" doc:"What happened to it."`
	Before        *RecordDigest `json:"before" nullable:"yes" doc:"The record before the change; null where there was none."`
	After         *RecordDigest `json:"after" nullable:"yes" doc:"The record after the change; null where it was removed."`
	ChangedFields []string      `json:"changed_fields" doc:"The JSON Pointers to what changed, sorted."`
	// what the record said in these versions is not published any more
	RedactedVersions []int64 `json:"redacted_versions,omitempty" doc:"The versions of the record that were taken out of the history with this release; the summary says why."`
	Release          string  `json:"release" doc:"The ID of the release that brought the change."`
}

// MarshalJSON writes the record as it is published.
func (c ChangeEvent) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads the record as Unmarshal does.
func (c *ChangeEvent) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// RecordDigest pins a record's content.
type RecordDigest struct {
	Version int64  `json:"version" min:"1" doc:"The record's version."`
	SHA256  SHA256 `json:"sha256" nullable:"yes" doc:"The SHA-256 of the record's canonical bytes; null where that version was redacted."`
}

// presence is whether an event has a record before it, or after it.
type presence uint8

const (
	no presence = iota
	yes
	maybe
)

func (p presence) allows(there bool) bool { return p == maybe || there == (p == yes) }

// changeRule is what holds for events of a type.
type changeRule struct {
	change        ChangeType
	before, after presence
}

// changeRules are those of all types, the gravest first.
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
}

// Gravity returns the place of a type among all, of which the gravest is the first; -1 for none.
func (t ChangeType) Gravity() int {
	return slices.IndexFunc(changeRules, func(r changeRule) bool { return r.change == t })
}

// OfKind reports whether events of a type are about all records of a kind, and not about one.
func (t ChangeType) OfKind() bool {
	i := t.Gravity()
	return i >= 0 && changeRules[i].before == no && changeRules[i].after == no
}

// Allows reports whether an event of a type can be one with a record before it, or without, and
// whether it can be one with a record after it, or without.
func (t ChangeType) Allows(hasBefore, hasAfter bool) (before, after bool) {
	i := t.Gravity()
	return i >= 0 && changeRules[i].before.allows(hasBefore), i >= 0 && changeRules[i].after.allows(hasAfter)
}

// Differs reports whether a record is another after the event than before it. It is not where only
// earlier versions were redacted, or where the event is about a kind.
func (c *ChangeEvent) Differs() bool {
	if c.Before == nil || c.After == nil {
		return c.Before != c.After
	}
	return *c.Before != *c.After
}
