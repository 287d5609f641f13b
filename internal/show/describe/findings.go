package describe

import (
	"cmp"
	"encoding/json"
	"fmt"

	"stele/internal/show/markdown"
	"stele/internal/show/outcomes"
	"stele/record"
)

// findings writes the table of what the evidence of a claim found: a row for each outcome, or for
// each assumed risk of it. Evidence that was retracted or lost its support is not in the table.
func (t *twin) findings() error {
	at, ok := t.plan.numbers["evidence"]
	if !ok || t.plan.kind.Name != record.KindProofClaim || t.nodes[at] == 0 {
		return nil
	}
	begun, rows := false, 0
	for c := range t.tree.Children(t.nodes[at]) {
		id := t.tree.Find(c, "evidence_id")
		if id < 0 {
			continue
		}
		k, i, ok := t.Find(t.tree.Nodes[id].Text)
		if rows++; !ok || t.Standing(k, i).Standing.Lost() || rows > mostLinks {
			continue
		}
		data, err := t.others.Record(k, i)
		if err != nil {
			return err
		}
		var e record.Evidence
		if err := json.Unmarshal(data, &e); err != nil || e.Effect == nil {
			continue // it is of another kind, which is a problem of the claim
		}
		if !begun {
			begun = true
			t.put("\n## Summary of findings\n\nRisks are as the source printed them, unless they are computed. Differences are computed.\n\n" +
				"| outcome | relative effect | risk without | risk with | difference | studied | certainty |\n|---|---|---|---|---|---|---|\n")
		}
		t.finding(&e)
	}
	return nil
}

// finding writes the rows of a piece of evidence.
func (t *twin) finding(e *record.Evidence) {
	x := e.Effect
	risks := x.Risks
	if len(risks) == 0 {
		risks = []record.Risk{{}}
	}
	for _, r := range risks {
		t.put("| ")
		outcome := e.Title
		if e.Comparison != nil {
			outcome = cmp.Or(e.Comparison.Outcome, e.Title)
		}
		t.inline(outcome)
		t.put(" (")
		t.code(string(e.ID))
		t.put(") | ")
		t.inline(x.Measure)
		t.put(" ", string(x.Value), limits(string(x.Lower), string(x.Upper)), " | ")
		a := outcomes.Of(x, r)
		if r.Assumed != "" {
			t.put(string(r.Assumed), " per ", fmt.Sprint(r.Per))
			if r.Label != "" {
				t.put(" (", markdown.Inline(r.Label), ")")
			}
		}
		t.put(" | ")
		if a.Corresponding != "" {
			t.put(string(a.Corresponding), " per ", fmt.Sprint(r.Per), limits(string(a.Lower), string(a.Upper)))
		}
		if a.Computed {
			t.put(", computed")
		}
		t.put(" | ")
		if a.Difference != "" {
			t.put(a.Difference, " per ", fmt.Sprint(a.Unit), limits(a.From, a.To))
		}
		t.put(fmt.Sprintf(" | %d participants, %d studies | ", x.Participants, x.Studies))
		t.b = markdown.AppendWords(t.b, string(e.EvidenceLabel))
		if b := e.LabelBasis; b != nil {
			if reasons := b.Reasons(); reasons != "" {
				t.put(": ")
				t.inline(reasons)
			}
		}
		t.put(" |\n")
	}
}

// limits returns an interval in brackets, with a space before it, or "".
func limits(lower, upper string) string {
	if lower == "" || upper == "" {
		return ""
	}
	return " (" + lower + " to " + upper + ")"
}
