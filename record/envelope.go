package record

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// Envelope contains the members that every kind has. Members that consumers should preserve come
// first.
type Envelope struct {
	ID                      ID             `json:"id" doc:"The record ID. It is never reused and never renamed."`
	Kind                    KindName       `json:"kind" implied:"yes" doc:"The kind of the record."`
	Version                 int64          `json:"version" min:"1" doc:"The version of this record: 1 at first, and one more after each change of its content."`
	Title                   string         `json:"title,omitempty" max:"160" doc:"A title in plain text, at most 160 characters."`
	Summary                 string         `json:"summary,omitempty" doc:"What the record says, in a sentence or two of plain text."`
	ClaimBoundary           *ClaimBoundary `json:"claim_boundary,omitempty" missing:"BND01" doc:"The limits of the claim: what it does not cover."`
	SourceLinks             []SourceLink   `json:"source_links,omitempty" items:"1" missing:"SRC01" doc:"Links to the sources of the record, at least one."`
	VerificationDate        Date           `json:"verification_date,omitempty" doc:"The day on which someone last checked the record against its sources."`
	VerifiedBy              string         `json:"verified_by,omitempty" doc:"Who checked it on that day, if the publisher names them."`
	SourceUpdates           []SourceUpdate `json:"source_updates,omitempty" doc:"Changes to the sources; empty if there were none."`
	Corrections             []Correction   `json:"corrections,omitempty" doc:"Errors in this record that were corrected; empty if there were none."`
	PublishedDate           Date           `json:"published_date,omitempty" doc:"The day on which the record was first published."`
	UpdatedDate             Date           `json:"updated_date,omitempty" doc:"The day on which its content last changed."`
	FirstPublishedElsewhere string         `json:"first_published_elsewhere,omitempty" doc:"Where the record was first published, if that was before this service published it."`
	License                 string         `json:"license,omitempty" doc:"The SPDX identifier of the record's licence, if it differs from the publisher's."`
	Aliases                 []string       `json:"aliases,omitempty" doc:"Other names of the record elsewhere."`
	ReplacedBy              ID             `json:"replaced_by,omitempty" ref:"*" relation:"replaces" doc:"The ID of the record of the same kind that replaces it."`
	SeeAlso                 []ID           `json:"see_also,omitempty" ref:"*" doc:"The IDs of other records that may interest the reader."`
	Subjects                []Subject      `json:"subjects,omitempty" doc:"The subjects of the record, as codes of published schemes."`
	Illustrative            bool           `json:"illustrative,omitempty" doc:"True if the record is an example, not a finding of the publisher."`

	// Extra are custom members, whose names begin with x_, as they were written.
	Extra []Extra `json:"-" others:"x_"`
}

// Common returns the envelope, so that every type that embeds Envelope is a Record.
func (e *Envelope) Common() *Envelope { return e }

// ClaimBoundary says what a claim does not cover.
type ClaimBoundary struct {
	Statement  string   `json:"statement" missing:"BND01" doc:"The limits of the claim in words."`
	Population string   `json:"population,omitempty" doc:"The people that the claim is about."`
	Place      string   `json:"place,omitempty" doc:"The places of the claim."`
	Period     string   `json:"period,omitempty" doc:"The period of the claim."`
	Excludes   []string `json:"excludes,omitempty" doc:"Cases that the claim does not cover."`
}

// SourceLink refers to a source of the record.
type SourceLink struct {
	URL      URL        `json:"url" doc:"The URL of the source: an absolute http or https URL."`
	SourceID ID         `json:"source_id,omitempty" ref:"source_object" doc:"The ID of the source object that describes the source."`
	Role     SourceRole `json:"role" doc:"The role of the source."`
	Locator  string     `json:"locator,omitempty" doc:"The place in the source: a page, a table, a section."`
	Quote    *Quote     `json:"quote,omitempty" doc:"The source's exact words."`
}

// Quote is a verbatim passage of a source.
type Quote struct {
	Text    string `json:"text" max:"2000" doc:"The source's exact words, at most 2000 characters. Use [...] for omitted words."`
	Locator string `json:"locator,omitempty" doc:"Where the words are in the source, if the link's own locator does not give it."`
}

// SourceUpdate is a change to a source.
type SourceUpdate struct {
	Date      Date       `json:"date" doc:"The day on which the source changed."`
	Type      UpdateType `json:"type" doc:"How it changed."`
	SourceID  ID         `json:"source_id,omitempty" ref:"source_object" doc:"The ID of the source object that changed."`
	NoticeURL URL        `json:"notice_url,omitempty" doc:"The URL of the announcement."`
	Summary   string     `json:"summary" doc:"What changed, in a sentence."`
	Effect    Effect     `json:"effect" doc:"The impact on this record."`
	InVersion int64      `json:"in_version,omitempty" min:"1" doc:"The version of this record that took the change into account."`
}

// Correction is a correction of the record.
type Correction struct {
	Date       Date           `json:"date" doc:"The day on which the record was corrected."`
	Type       CorrectionType `json:"type" doc:"The severity of the correction."`
	InVersion  int64          `json:"in_version" min:"1" doc:"The version of this record with the correction."`
	Fields     []string       `json:"fields" doc:"The members that were corrected, such as claim or source_links."`
	Summary    string         `json:"summary" doc:"What was wrong, and what the record says now."`
	ReportedBy string         `json:"reported_by,omitempty" doc:"Who reported the error."`
	BecauseOf  []ID           `json:"because_of,omitempty" ref:"*" doc:"The IDs of lost or changed records that the correction takes into account."`
}

// Subject is a code of a published scheme, such as MeSH or ICD-11.
type Subject struct {
	Scheme string `json:"scheme" doc:"The scheme's name, such as MeSH or ICD-11."`
	Code   string `json:"code" doc:"The code within the scheme."`
}

// Extra is a custom member.
type Extra struct {
	Name string
	JSON string // its value in compact JSON, with the author's digits
}

// Retracted reports whether the record is retracted and no later correction reverses that.
func (e *Envelope) Retracted() bool {
	_, retracted := e.RetractedOn()
	return retracted
}

// RetractedOn returns the day on which the record was retracted, if it is.
func (e *Envelope) RetractedOn() (day Date, retracted bool) {
	last := int64(-1)
	for _, c := range e.InForce() {
		if c.Type == CorrectionRetraction && c.InVersion > last {
			last, day = c.InVersion, c.Date
		}
	}
	return day, last >= 0
}

// InForce returns the corrections that still count against the record: retractions and partial
// retractions that no later version reversed, and unresolved concerns. A concern is resolved by a
// reinstatement, by a retraction, and by corrections of all the members that it names.
func (e *Envelope) InForce() (list []*Correction) {
	if len(e.Corrections) == 0 {
		return nil
	}
	reinstated, retracted := int64(-1), int64(-1)
	corrected := map[string]int64{} // the version in which each member was last corrected
	for i := range e.Corrections {
		switch c := &e.Corrections[i]; c.Type {
		case CorrectionReinstatement:
			reinstated = max(reinstated, c.InVersion)
		case CorrectionRetraction:
			retracted = max(retracted, c.InVersion)
		case CorrectionCorrection, CorrectionClarification, CorrectionPartialRetraction:
			for _, f := range c.Fields {
				corrected[schema.TopMember(f)] = max(corrected[schema.TopMember(f)], c.InVersion)
			}
		}
	}
	for i := range e.Corrections {
		c := &e.Corrections[i]
		remains := func(field string) bool { return corrected[schema.TopMember(field)] <= c.InVersion }
		switch {
		case c.InVersion <= reinstated:
		case c.Type == CorrectionRetraction, c.Type == CorrectionPartialRetraction,
			c.Type == CorrectionExpressionOfConcern && retracted <= c.InVersion &&
				(len(c.Fields) == 0 || slices.ContainsFunc(c.Fields, remains)):
			list = append(list, c)
		}
	}
	return list
}

// Withdrawn reports whether the source was retracted, withdrawn or removed.
func (u *SourceUpdate) Withdrawn() bool {
	return u.Type == UpdateRetraction || u.Type == UpdateWithdrawal || u.Type == UpdateRemoval
}

// check applies the rules about the envelope.
func (e *Envelope) check(c *checker) {
	e.checkDates(c)
	e.checkSourceLinks(c)
	e.checkSourceUpdates(c)
	first := int64(math.MaxInt64) // the first version with a correction that can be reversed
	for _, x := range e.Corrections {
		switch x.Type {
		case CorrectionRetraction, CorrectionPartialRetraction, CorrectionExpressionOfConcern:
			first = min(first, x.InVersion)
		}
	}
	for i, x := range e.Corrections {
		e.checkInVersion(c, "corrections", i, x.InVersion)
		e.checkFields(c, i, x.Fields)
		if x.Type == CorrectionReinstatement && x.InVersion <= first {
			c.Report(codes.NothingToReinstate, schema.Pointer("corrections", i, "type"), "a reinstatement reverses a retraction or a concern, but the record has none before version "+itoa(x.InVersion), "set type to the right type, such as correction; or restore the retraction")
		}
	}
}

// checkDates compares the dates of the record with one another.
func (e *Envelope) checkDates(c *checker) {
	early := func(name string, d Date) {
		if d != "" && d < earliestRecord {
			c.Report(codes.ImpossibleDate, "/"+name, name+" is "+string(d)+", which is before records were published on the web", "write the correct day")
		}
	}
	early("verification_date", e.VerificationDate)
	early("updated_date", e.UpdatedDate)
	if e.FirstPublishedElsewhere == "" {
		early("published_date", e.PublishedDate)
	}
	if e.PublishedDate != "" && e.UpdatedDate != "" && e.PublishedDate > e.UpdatedDate {
		c.Report(codes.PublishedAfterUpdate, "/published_date", "published on "+string(e.PublishedDate)+", after it was updated on "+string(e.UpdatedDate), "updated_date must be published_date or a later day")
	}
	if e.Version > 1 && string(e.VerificationDate) > c.Latest.Date { // a first version may have been verified unchanged
		c.Latest = schema.LatestDate{Date: string(e.VerificationDate), Member: "verification_date"}
	}
	if e.UpdatedDate != "" && c.Latest.Date > string(e.UpdatedDate) {
		told := c.Latest.Date
		c.Report(codes.UpdatedTooEarly, "/updated_date", "updated on "+string(e.UpdatedDate)+", but "+c.Latest.Member+" has "+told, "write "+told+", or the later day on which the record changed")
	}
	for i, x := range e.Corrections {
		if x.Date != "" && x.Date < e.PublishedDate {
			c.Report(codes.CorrectedTooEarly, schema.Pointer("corrections", i, "date"), "corrected on "+string(x.Date)+", before it was published on "+string(e.PublishedDate), "find out which of the two is wrong: published_date is the day of the first publication")
		}
	}
}

func (e *Envelope) checkSourceLinks(c *checker) {
	const smallList = 8 // linear search is faster than a map for short lists
	var seen map[URL]bool
	if len(e.SourceLinks) > smallList {
		seen = make(map[URL]bool, len(e.SourceLinks))
	}
	for i, link := range e.SourceLinks {
		if strings.HasPrefix(string(link.URL), "http://") {
			c.Report(codes.DoubtfulURL, schema.Pointer("source_links", i, "url"), "plain http", "write https:// if the source answers there")
		}
		again := seen[link.URL] ||
			seen == nil && slices.ContainsFunc(e.SourceLinks[:i], func(l SourceLink) bool { return l.URL == link.URL })
		if again && link.URL != "" {
			c.Report(codes.DoubtfulURL, schema.Pointer("source_links", i, "url"), "an earlier source link has the same URL", "delete one of the two, or point each at its own part with a #fragment")
		}
		if seen != nil {
			seen[link.URL] = true
		}
	}
}

func (e *Envelope) checkSourceUpdates(c *checker) {
	newest := -1
	for i, u := range e.SourceUpdates {
		if u.InVersion != 0 {
			e.checkInVersion(c, "source_updates", i, u.InVersion)
		}
		if newest < 0 || u.Date > e.SourceUpdates[newest].Date {
			newest = i
		}
	}
	if newest >= 0 && e.VerificationDate != "" && e.VerificationDate < e.SourceUpdates[newest].Date {
		c.Report(codes.VerifiedBeforeUpdate, "/verification_date", "verified on "+string(e.VerificationDate)+", but a source changed on "+string(e.SourceUpdates[newest].Date), "compare the record with the source again, and set verification_date to that day")
	}
}

// checkFields checks that a correction names members of the kind.
func (e *Envelope) checkFields(c *checker, i int, fields []string) {
	k := KindNamed(string(e.Kind))
	if k == nil {
		return
	}
	for j, field := range fields {
		name := schema.TopMember(field)
		if k.Shape().Member(name) == nil && !strings.HasPrefix(name, "x_") {
			c.Report(codes.FieldNotCorrected, schema.Pointer("corrections", i, "fields", j), schema.Quote(name)+" is not a member of this kind",
				cmp.Or(schema.DidYouMean(suggest.Closest(name, k.Shape().MemberNames())), "name the corrected members, such as claim or source_links"))
		}
	}
}

func (e *Envelope) checkInVersion(c *checker, list string, i int, in int64) {
	if e.Version < 1 || in < 1 { // reported already
		return
	}
	if in < 2 || in > e.Version {
		c.Report(codes.WrongInVersion, schema.Pointer(list, i, "in_version"), "in_version is "+itoa(in)+", but the record's version is "+itoa(e.Version), inVersionFix(e.Version))
	}
}

func inVersionFix(version int64) string {
	if version == 1 {
		return "a corrected record must have version 2 or higher: raise version"
	}
	return "write a number from 2 to " + itoa(version) + ": the version with the change"
}
