package record

import "stele/internal/base/schema/codes"

// Signal is an observation that may matter.
type Signal struct {
	Envelope
	SignalID     ID         `json:"signal_id" implied:"yes" doc:"The record ID, under the name used in paths."`
	SignalType   SignalType `json:"signal_type" doc:"The type of the signal."`
	Observation  string     `json:"observation" doc:"What was observed, with figures, in a sentence or two."`
	DetectedDate Date       `json:"detected_date" doc:"The day of the observation."`
	EvidenceIDs  []ID       `json:"evidence_ids,omitempty" ref:"evidence" relation:"cites" doc:"The IDs of the evidence for the observation. A signal has these, statistic_ids, or both."`
	StatisticIDs []ID       `json:"statistic_ids,omitempty" ref:"healthcare_statistic" relation:"cites" doc:"The IDs of the statistics that show the observation."`
	EntityIDs    []ID       `json:"entity_ids,omitempty" ref:"entity" relation:"about" doc:"The IDs of the entities that the signal is about."`
}

// MarshalJSON returns the record as it is published.
func (s Signal) MarshalJSON() ([]byte, error) { return marshal(&s) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (s *Signal) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

func (s *Signal) check(c *checker) {
	c.checkSameID("signal_id", s.ID, s.SignalID)
	c.checkBoundary(s.ClaimBoundary, s.Observation, s.Title, s.Summary)
	if len(s.EvidenceIDs) == 0 && len(s.StatisticIDs) == 0 {
		c.Report(codes.WrongValue, "", "a signal needs evidence_ids or statistic_ids", "name at least one record that shows what was observed")
	}
}

func (*Signal) schemaRules() map[string]any {
	return map[string]any{"anyOf": []any{atLeastOne("evidence_ids"), atLeastOne("statistic_ids")}}
}
