package record

import (
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Evidence is what a study, a statistic or a guideline found.
type Evidence struct {
	Envelope
	EvidenceID    ID            `json:"evidence_id" implied:"yes" doc:"The record ID again, under the name that the routes use."`
	EvidenceType  EvidenceType  `json:"evidence_type" doc:"What sort of evidence it is."`
	Finding       string        `json:"finding" doc:"What was found, with figures, in a sentence or two."`
	EvidenceLabel EvidenceLabel `json:"evidence_label" doc:"How certain the finding is."`
	LabelBasis    *LabelBasis   `json:"label_basis,omitempty" doc:"Who rated the certainty, and by which scheme. Needed unless the label is not_rated."`
	Effect        *EffectSize   `json:"effect,omitempty" doc:"The size of the effect that was found."`
	StatisticIDs  []ID          `json:"statistic_ids,omitempty" ref:"healthcare_statistic" relation:"cites" doc:"The IDs of the statistics that the finding is made of."`
	EntityIDs     []ID          `json:"entity_ids,omitempty" ref:"entity" relation:"about" doc:"The IDs of the entities that it is about."`
}

// MarshalJSON writes the record as it is published.
func (e Evidence) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON reads the record as Unmarshal does.
func (e *Evidence) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

// LabelBasis says where an evidence label comes from.
type LabelBasis struct {
	Scheme     string   `json:"scheme" doc:"The scheme by which it was rated, such as GRADE."`
	AssessedBy Assessor `json:"assessed_by" doc:"Who rated it."`
	SourceID   ID       `json:"source_id,omitempty" ref:"source_object" doc:"The ID of the source object that gives the rating."`
	Locator    string   `json:"locator,omitempty" doc:"Where in that source."`
}

// EffectSize is a measured effect with its interval.
type EffectSize struct {
	Measure      string   `json:"measure" doc:"What is measured, such as risk ratio."`
	Value        Number   `json:"value" doc:"The estimate."`
	Lower        Number   `json:"lower,omitempty" doc:"The lower end of the interval."`
	Upper        Number   `json:"upper,omitempty" doc:"The upper end of the interval."`
	Interval     Interval `json:"interval,omitempty" doc:"What sort of interval it is."`
	Level        Number   `json:"level,omitempty" doc:"The interval's level in per cent, such as 95."`
	Participants int64    `json:"participants,omitempty" min:"1" doc:"How many people were studied."`
	Studies      int64    `json:"studies,omitempty" min:"1" doc:"How many studies it rests on."`
}

func (e *Evidence) check(c *checker) {
	c.sameID("evidence_id", e.ID, e.EvidenceID)
	c.boundaryRepeats(e.ClaimBoundary, e.Finding, e.Title, e.Summary)
	if e.EvidenceLabel != "" && e.EvidenceLabel != LabelNotRated && e.LabelBasis == nil {
		c.Report(codes.RatedByNobody, "/evidence_label", "rated "+schema.Quote(string(e.EvidenceLabel))+" without saying by whom", "add label_basis with scheme and assessed_by, or write not_rated")
	}
	if e.Effect != nil {
		c.outside("/effect", e.Effect.Value, e.Effect.Lower, e.Effect.Upper)
	}
}
