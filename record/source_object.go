package record

// SourceObject is a publication or data set that other records rest on.
type SourceObject struct {
	Envelope
	SourceType      SourceType     `json:"source_type" doc:"The type of the source."`
	Producer        string         `json:"producer" doc:"The producer of the source."`
	CitationFull    string         `json:"citation_full" doc:"The full citation, as in a bibliography."`
	URLMain         URL            `json:"url_main" doc:"The URL of the source."`
	DatePublished   Date           `json:"date_published,omitempty" doc:"The day on which the source was published."`
	DateAccessed    Date           `json:"date_accessed,omitempty" doc:"The day on which the source was read or retrieved."`
	URLDownload     URL            `json:"url_download,omitempty" doc:"The URL for downloading the data of the source."`
	VersionProducer string         `json:"version_producer,omitempty" doc:"The producer's name for this version."`
	SourceLicense   *SourceLicense `json:"source_license,omitempty" doc:"The licence of the source."`
	Identifiers     Terms          `json:"identifiers,omitempty" identity:"corrected" otherwise:"title" doc:"The identifiers by scheme, such as doi and pmid."`
	SHA256          SHA256         `json:"sha256,omitempty" doc:"The SHA-256 of the file that was read, as 64 lower-case hexadecimal digits."`
	TextSHA256      SHA256         `json:"text_sha256,omitempty" doc:"The SHA-256 of the source's plain text in the publisher's folder, with which quotes are compared. The text itself is not published."`
}

// MarshalJSON returns the record as it is published.
func (s SourceObject) MarshalJSON() ([]byte, error) { return marshal(&s) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (s *SourceObject) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

// SourceLicense is the licence of a source.
type SourceLicense struct {
	Name string `json:"name" doc:"The name of the licence."`
	URL  URL    `json:"url,omitempty" doc:"The URL of the licence's text."`
}

// Notices returns the latest updates that still count against the source: a retraction, a partial
// retraction, and a concern, each unless a later update reverses it. A missing one is nil.
func (s *SourceObject) Notices() (withdrawn, partial, concern *SourceUpdate) {
	var reinstated, corrected Date
	newest := func(is **SourceUpdate, u *SourceUpdate) {
		if *is == nil || u.Date >= (*is).Date {
			*is = u
		}
	}
	for i := range s.SourceUpdates {
		switch u := &s.SourceUpdates[i]; {
		case u.Withdrawn():
			newest(&withdrawn, u)
		case u.Type == UpdatePartialRetraction:
			newest(&partial, u)
		case u.Type == UpdateExpressionOfConcern:
			newest(&concern, u)
		case u.Type == UpdateCorrection:
			corrected = max(corrected, u.Date)
		case u.Type == UpdateReinstatement:
			reinstated = max(reinstated, u.Date)
		}
	}
	if concern != nil && (corrected > concern.Date || withdrawn != nil && withdrawn.Date >= concern.Date) {
		concern = nil
	}
	for _, u := range []**SourceUpdate{&withdrawn, &partial, &concern} {
		if *u != nil && (*u).Date <= reinstated {
			*u = nil
		}
	}
	return withdrawn, partial, concern
}
