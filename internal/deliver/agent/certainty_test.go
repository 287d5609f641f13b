package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/agent"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// TestOutcomes: agents get the figures of 23 rows of published tables, and what belongs together
// beside the label.
func TestOutcomes(t *testing.T) {
	rows, folder, err := specimen.Outcomes()
	must.Do(t, err)
	dir := filepath.Join(t.TempDir(), "release")
	must.Get(specimen.BuildTo(dir, folder, compiler.Options{Date: "2026-11-15", NoVariants: true}))(t)
	c := must.Get(client.Open(t.Context(), dir, client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	for _, r := range rows {
		_, body := ask(t, front.URL, "record", `{"id":"`+r.ID+`"}`, nil)
		var answer struct {
			Result struct{ Content []struct{ Text string } }
		}
		must.Do(t, json.Unmarshal([]byte(body), &answer))
		_, text, _ := strings.Cut(answer.Result.Content[0].Text, "```json\n")
		text, _, _ = strings.Cut(text, "\n```")
		var e record.Evidence
		must.Do(t, json.Unmarshal([]byte(text), &e))
		if string(e.LabelBasis.Start) != r.Start || string(e.EvidenceLabel) != r.Label {
			t.Errorf("%s: %s from %s", r.ID, e.EvidenceLabel, e.LabelBasis.Start)
		}
		if r.Corresponding == "" {
			continue
		}
		risk := record.Risk{Assumed: record.Figure(r.Assumed), Corresponding: record.Figure(r.Corresponding)}
		risk.Lower, risk.Upper = record.Figure(r.RLower), record.Figure(r.RUpper)
		risk.Per = e.Effect.Risks[0].Per
		if e.Effect.Risks[0] != risk || fmt.Sprint(risk.Per) != r.Per || string(e.Effect.Value) != r.Value {
			t.Errorf("%s: %+v", r.ID, e.Effect)
		}
	}
	if _, body := ask(t, front.URL, "record", `{"id":"evd-row-mmr-rubella"}`, nil); !strings.Contains(body, "certainty from low:") {
		t.Errorf("the reasons are not in the text: %.500s", body)
	}
}
