package record

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
