package record

import (
	"strings"
	"unicode"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Evidence is a finding of a study, a statistic or a guideline.
type Evidence struct {
	Envelope
	EvidenceID    ID            `json:"evidence_id" implied:"yes" doc:"The record ID, under the name used in paths."`
	EvidenceType  EvidenceType  `json:"evidence_type" doc:"The type of the evidence."`
	Finding       string        `json:"finding" doc:"What was found, with figures, in a sentence or two."`
	EvidenceLabel EvidenceLabel `json:"evidence_label" doc:"The certainty of the finding."`
	LabelBasis    *LabelBasis   `json:"label_basis,omitempty" doc:"Who rated the certainty, and by which scheme. Required unless the label is not_rated."`
	Comparison    *Comparison   `json:"comparison,omitempty" doc:"The question that the finding answers: who, what, against what, and which outcome."`
	Effect        *EffectSize   `json:"effect,omitempty" doc:"The size of the effect that was found."`
	StatisticIDs  []ID          `json:"statistic_ids,omitempty" ref:"healthcare_statistic" relation:"cites" doc:"The IDs of the statistics that the finding consists of."`
	EntityIDs     []ID          `json:"entity_ids,omitempty" ref:"entity" relation:"about" doc:"The IDs of the entities that the finding is about."`
}

// MarshalJSON returns the record as it is published.
func (e Evidence) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (e *Evidence) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

// LabelBasis says who gave an evidence label.
type LabelBasis struct {
	Scheme     string   `json:"scheme" doc:"The rating scheme, such as GRADE."`
	AssessedBy Assessor `json:"assessed_by" doc:"Who rated it."`
	SourceID   ID       `json:"source_id,omitempty" ref:"source_object" doc:"The ID of the source object that gives the rating."`
	Locator    string   `json:"locator,omitempty" doc:"The place in that source."`
	// Start and Factors explain the label: Start, less the levels of the factors that lower it,
	// plus those of the factors that raise it. An empty list means that nothing changed the start.
	Start   StartLabel    `json:"start,omitempty" doc:"The certainty before any factor is applied: in GRADE, high for randomized trials and low for observational studies."`
	Factors []LabelFactor `json:"factors,omitempty" doc:"The reasons that lower or raise the certainty. An empty list says that there are none."`
}

// LabelFactor is one reason for an evidence label.
type LabelFactor struct {
	Factor CertaintyFactor `json:"factor" doc:"What lowers or raises the certainty."`
	Levels int64           `json:"levels" min:"0" doc:"The number of levels: 1 or 2, or 0 if the factor was considered but changed nothing."`
	Why    string          `json:"why" doc:"The reason, in a sentence."`
}

// Comparison is the question that evidence answers.
type Comparison struct {
	Population   string `json:"population,omitempty" doc:"Who was studied."`
	Intervention string `json:"intervention,omitempty" doc:"What was done or given."`
	Comparator   string `json:"comparator,omitempty" doc:"What it was compared with."`
	Outcome      string `json:"outcome,omitempty" doc:"What was counted or measured."`
	Time         string `json:"time,omitempty" doc:"When it was counted or measured."`
}

// EffectSize is a measured effect with its interval.
type EffectSize struct {
	Measure      string      `json:"measure" doc:"What is measured, such as risk ratio."`
	MeasureCode  MeasureCode `json:"measure_code,omitempty" doc:"The code of the measure. Without it, known spellings of measure are recognized."`
	Value        Number      `json:"value" doc:"The estimate."`
	Lower        Number      `json:"lower,omitempty" doc:"The lower end of the interval."`
	Upper        Number      `json:"upper,omitempty" doc:"The upper end of the interval."`
	Interval     Interval    `json:"interval,omitempty" doc:"The type of the interval."`
	Level        Number      `json:"level,omitempty" doc:"The interval's level in per cent, such as 95."`
	Participants int64       `json:"participants,omitempty" min:"1" doc:"The number of people studied."`
	Studies      int64       `json:"studies,omitempty" min:"1" doc:"The number of studies."`
	Size         Magnitude   `json:"size,omitempty" doc:"How large the effect is, as a person judged it against a threshold. It is never computed."`
	Risks        []Risk      `json:"risks,omitempty" doc:"The absolute effect, as the source printed it, for each assumed risk."`
}

// Risk is an absolute effect: how many have the outcome with the intervention, if an assumed number
// have it without. The figures are texts, so that every digit of the source remains.
type Risk struct {
	Assumed       Figure `json:"assumed" doc:"How many have the outcome without the intervention."`
	Per           int64  `json:"per" min:"1" doc:"Of how many: people, or person-years for a rate; such as 1000."`
	Corresponding Figure `json:"corresponding,omitempty" doc:"How many have the outcome with the intervention. Without it, pages compute it."`
	Lower         Figure `json:"lower,omitempty" doc:"The lower end of its interval."`
	Upper         Figure `json:"upper,omitempty" doc:"The upper end of its interval."`
	Label         string `json:"label,omitempty" doc:"The name of the group with this risk, such as low risk."`
	SourceID      ID     `json:"source_id,omitempty" ref:"source_object" doc:"The ID of the source object that gives the assumed risk, if it is another."`
}

// Code returns the measure's code, derived from its words if there is none, or "".
func (x *EffectSize) Code() MeasureCode {
	if x.MeasureCode != "" {
		return x.MeasureCode
	}
	words := strings.FieldsFunc(strings.ToLower(x.Measure), func(r rune) bool { return !unicode.IsLetter(r) })
	code := measureSpellings[strings.Join(words, " ")]
	if last := len(words) - 1; code == "" && last > 0 && len(words[last]) <= 3 { // risk ratio (RR)
		code = measureSpellings[strings.Join(words[:last], " ")]
	}
	return code
}

// measureSpellings are the codes of measures by their words: letters in lower case, separated by
// single spaces.
var measureSpellings = map[string]MeasureCode{
	"risk ratio": MeasureRR, "relative risk": MeasureRR, "rr": MeasureRR,
	"odds ratio": MeasureOR, "or": MeasureOR,
	"hazard ratio": MeasureHR, "hr": MeasureHR,
	"rate ratio": MeasureRateRatio, "incidence rate ratio": MeasureRateRatio, "irr": MeasureRateRatio,
	"risk difference": MeasureRD, "absolute risk difference": MeasureRD, "rd": MeasureRD,
	"mean difference": MeasureMD, "md": MeasureMD,
	"standardized mean difference": MeasureSMD, "standardised mean difference": MeasureSMD, "smd": MeasureSMD,
}

func (e *Evidence) check(c *checker) {
	c.checkSameID("evidence_id", e.ID, e.EvidenceID)
	c.checkBoundary(e.ClaimBoundary, e.Finding, e.Title, e.Summary)
	if e.EvidenceLabel != "" && e.EvidenceLabel != LabelNotRated && e.LabelBasis == nil {
		c.Report(codes.RatedByNobody, "/evidence_label", "rated "+schema.Quote(string(e.EvidenceLabel))+" without saying by whom", "add label_basis with scheme and assessed_by, or set evidence_label to not_rated")
	}
	if e.Effect != nil {
		c.checkInside("/effect", e.Effect.Value, e.Effect.Lower, e.Effect.Upper)
		e.Effect.checkRisks(c)
	}
	e.checkCertainty(c)
}
