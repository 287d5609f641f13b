package record

import (
	"slices"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// DecisionView is a question, its options, and the decision.
type DecisionView struct {
	Envelope
	Question       string          `json:"question" identity:"corrected" doc:"The question to decide."`
	Options        []Option        `json:"options" items:"1" doc:"The options."`
	DecisionLabel  DecisionLabel   `json:"decision_label" doc:"The decision."`
	ChosenOptionID ID              `json:"chosen_option_id,omitempty" doc:"The ID of the chosen option; omitted while undecided."`
	Considerations *Considerations `json:"considerations,omitempty" doc:"The considerations, as answers to the questions of GRADE."`
}

// MarshalJSON returns the record as it is published.
func (d DecisionView) MarshalJSON() ([]byte, error) { return marshal(&d) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (d *DecisionView) UnmarshalJSON(data []byte) error { return unmarshal(data, d) }

// Option is one answer to the question.
type Option struct {
	OptionID          ID     `json:"option_id" doc:"The identifier of the option within this record."`
	Label             string `json:"label" doc:"The option in a few words."`
	RecommendationIDs []ID   `json:"recommendation_ids" ref:"recommendation" relation:"recommends" doc:"The IDs of the recommendations about the option; may be empty."`
}

// Considerations are GRADE's questions from evidence to decision.
type Considerations struct {
	Priority      string `json:"priority,omitempty" doc:"Is the problem a priority?"`
	Effects       string `json:"effects,omitempty" doc:"What are the benefits and harms?"`
	Resources     string `json:"resources,omitempty" doc:"What does it cost?"`
	Equity        string `json:"equity,omitempty" doc:"What does it do for equity?"`
	Acceptability string `json:"acceptability,omitempty" doc:"Is it acceptable to those concerned?"`
	Feasibility   string `json:"feasibility,omitempty" doc:"Can it be done?"`
}

func (d *DecisionView) check(c *checker) {
	c.checkBoundary(d.ClaimBoundary, d.Question, d.Title, d.Summary)
	ids, seen := make([]string, 0, len(d.Options)), make(map[ID]bool, len(d.Options))
	for i, o := range d.Options {
		if seen[o.OptionID] {
			c.Report(codes.DuplicateID, schema.Pointer("options", i, "option_id"), "duplicate option_id "+schema.Quote(string(o.OptionID)), "give each option its own option_id")
		}
		seen[o.OptionID] = true
		ids = append(ids, string(o.OptionID))
	}
	d.checkDecision(c, ids)
}

func (d *DecisionView) checkDecision(c *checker, ids []string) {
	chosen := string(d.ChosenOptionID)
	switch {
	case d.DecisionLabel == DecisionUndecided && chosen != "":
		c.Report(codes.ChoiceDisagrees, "/chosen_option_id", "undecided, but an option is chosen", "delete chosen_option_id, or set decision_label to the decision")
	case d.DecisionLabel != DecisionUndecided && d.DecisionLabel != "" && chosen == "" && !c.HasProblemAt("/chosen_option_id"):
		c.Report(codes.ChoiceDisagrees, "/decision_label", "decided ("+string(d.DecisionLabel)+"), but no option is chosen", "add chosen_option_id, or set decision_label to undecided")
	}
	if chosen != "" && !slices.Contains(ids, chosen) {
		c.Report(codes.UnknownReference, "/chosen_option_id", "option "+schema.Quote(chosen)+" is not among the options", schema.DidYouMean(suggest.Closest(chosen, ids)))
	}
}
