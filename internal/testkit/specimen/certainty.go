package specimen

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing/fstest"

	"stele/record"
)

// certainty are rows of published summary-of-findings tables, in the digits of their sources.
//
//go:embed certainty.json
var certainty []byte

// OutcomeRow is a row of a published summary-of-findings table, as a table of outcomes has it.
type OutcomeRow struct {
	ID, Outcome, Measure, Label, Start, Value, Lower, Upper            string
	Participants, Studies, Assumed, Per, Corresponding, RLower, RUpper string
}

// publishedRow is a row of certainty.json.
type publishedRow struct {
	ID, Outcome, Population, Intervention, Comparison, Measure, Certainty, Start, Assumed string

	Effect, Corresponding      []string
	Participants, Studies, Per int64
	Reasons                    []struct {
		Factor record.CertaintyFactor
		Levels int64
	}
}

// Outcomes returns the rows, and a folder with a piece of evidence for each.
func Outcomes() (rows []OutcomeRow, folder fstest.MapFS, err error) {
	var published []publishedRow
	if err := json.Unmarshal(certainty, &published); err != nil {
		return nil, nil, err
	}
	if folder, err = Sample(); err != nil {
		return nil, nil, err
	}
	var lines strings.Builder
	for _, p := range published {
		row := OutcomeRow{ID: "evd-row-" + p.ID, Outcome: p.Outcome, Label: p.Certainty, Start: p.Start}
		r := map[string]any{
			"id": row.ID, "version": 1, "title": p.Outcome, "summary": "A row of a table.", "evidence_type": "systematic_review",
			"finding": "See effect.", "evidence_label": p.Certainty, "label_basis": p.basis(), "illustrative": true,
			"comparison": map[string]any{
				"population": p.Population, "intervention": p.Intervention, "comparator": p.Comparison, "outcome": p.Outcome,
			},
			"claim_boundary":    map[string]any{"statement": "One row."},
			"source_links":      []any{map[string]any{"url": "https://example.org/table", "role": "primary"}},
			"verification_date": "2026-11-01", "source_updates": []any{}, "corrections": []any{},
			"published_date": "2026-01-10", "updated_date": "2026-11-01",
		}
		if p.Effect != nil {
			r["effect"] = p.effect(&row)
		}
		rows = append(rows, row)
		line, err := json.Marshal(r)
		if err != nil {
			return nil, nil, err
		}
		lines.Write(append(line, '\n'))
	}
	folder["records/evidence/rows.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	return rows, folder, nil
}

// basis returns the member label_basis.
func (p *publishedRow) basis() map[string]any {
	basis := map[string]any{"scheme": "GRADE", "assessed_by": "source", "start": p.Start}
	if p.Reasons == nil {
		return basis
	}
	factors := []any{}
	for _, f := range p.Reasons {
		factors = append(factors, map[string]any{"factor": f.Factor, "levels": f.Levels, "why": "The source says so."})
	}
	basis["factors"] = factors
	return basis
}

// effect returns the member effect, and fills in the figures of row.
func (p *publishedRow) effect(row *OutcomeRow) map[string]any {
	row.Measure, row.Value, row.Lower, row.Upper = p.Measure, p.Effect[0], p.Effect[1], p.Effect[2]
	row.Participants, row.Studies = fmt.Sprint(p.Participants), fmt.Sprint(p.Studies)
	effect := map[string]any{
		"measure": p.Measure, "value": json.Number(row.Value), "lower": json.Number(row.Lower),
		"upper": json.Number(row.Upper), "participants": p.Participants, "studies": p.Studies,
	}
	if p.Per == 0 {
		return effect
	}
	row.Assumed, row.Per = p.Assumed, fmt.Sprint(p.Per)
	risk := map[string]any{"assumed": p.Assumed, "per": p.Per}
	if c := p.Corresponding; c != nil {
		row.Corresponding, row.RLower, row.RUpper = c[0], c[1], c[2]
		risk["corresponding"], risk["lower"], risk["upper"] = c[0], c[1], c[2]
	}
	effect["risks"] = []any{risk}
	return effect
}
