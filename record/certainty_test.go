package record

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/testkit/must"
)

// publishedRow is a row of certainty.json in specimen: figures of published summary-of-findings
// tables, in the digits of their sources.
type publishedRow struct {
	ID, Outcome, Measure, Assumed, Certainty, Start string

	Effect, Corresponding, Recomputed []string
	Participants, Studies, Per        int64
	Reasons                           []struct {
		Factor CertaintyFactor
		Levels int64
	}
}

func publishedRows(t *testing.T) (rows []publishedRow) {
	if err := json.Unmarshal(must.Get(os.ReadFile("../internal/testkit/specimen/certainty.json"))(t), &rows); err != nil || len(rows) != 23 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows
}

// evidence returns the row as a record.
func (r *publishedRow) evidence() *Evidence {
	e := &Evidence{
		EvidenceType: "systematic_review", Finding: "F", EvidenceLabel: EvidenceLabel(r.Certainty),
		LabelBasis: &LabelBasis{Scheme: "GRADE", AssessedBy: "source", Start: StartLabel(r.Start)},
		Comparison: &Comparison{Outcome: r.Outcome},
	}
	if r.Reasons != nil {
		e.LabelBasis.Factors = []LabelFactor{}
	}
	for _, f := range r.Reasons {
		e.LabelBasis.Factors = append(e.LabelBasis.Factors, LabelFactor{f.Factor, f.Levels, "The source says so."})
	}
	if r.Effect != nil {
		e.Effect = &EffectSize{
			Measure: r.Measure, Value: Number(r.Effect[0]), Lower: Number(r.Effect[1]), Upper: Number(r.Effect[2]),
			Participants: r.Participants, Studies: r.Studies,
		}
	}
	if r.Effect != nil && r.Per > 0 {
		e.Effect.Risks = []Risk{{Assumed: Figure(r.Assumed), Per: r.Per}}
		if c, printed := r.Corresponding, &e.Effect.Risks[0]; c != nil {
			printed.Corresponding, printed.Lower, printed.Upper = Figure(c[0]), Figure(c[1]), Figure(c[2])
		}
	}
	return e
}

// foundIn returns the codes of the problems of e.
func foundIn(t *testing.T, e *Evidence) (found []string) {
	k := KindNamed(KindEvidence)
	text := string(k.AppendJSON(nil, e))
	at := strings.Index(text, `"evidence_type"`)
	_, problems := decode(t, k, `{"id": "evd-1", `+envelope+text[at:])
	for _, p := range problems {
		found = append(found, string(p.Code)+" "+p.Pointer)
	}
	return found
}

// eachAlteration changes each figure of a row by one in its last digit, and calls see.
func (r *publishedRow) eachAlteration(see func(name, value string)) {
	figures := []struct {
		name string
		at   *string
	}{{"assumed assumed", &r.Assumed}}
	for i := range 3 {
		figures = append(figures, struct {
			name string
			at   *string
		}{"effect " + strconv.Itoa(i), &r.Effect[i]})
	}
	for i := range 3 {
		figures = append(figures, struct {
			name string
			at   *string
		}{"corresponding " + strconv.Itoa(i), &r.Corresponding[i]})
	}
	for _, f := range figures {
		was := *f.at
		decimals := decimalsOf(was)
		unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
		for _, step := range []*big.Rat{unit, new(big.Rat).Neg(unit)} {
			n, _ := new(big.Rat).SetString(was)
			if n.Add(n, step); n.Sign() >= 0 {
				*f.at = n.FloatString(decimals)
				see(f.name, *f.at)
			}
		}
		*f.at = was
	}
}

// TestPublishedRows: nothing is reported of published rows, and a figure that is altered by one in
// its last digit is reported unless rounding explains it. A second program computes the same.
func TestPublishedRows(t *testing.T) {
	var got strings.Builder
	counts := map[string]int{}
	for _, r := range publishedRows(t) {
		if found := foundIn(t, r.evidence()); found != nil {
			t.Errorf("%s: %s", r.ID, found)
		}
		if r.Effect == nil || r.Corresponding == nil {
			continue
		}
		measure := r.evidence().Effect.Code()
		assumed, _ := new(big.Rat).SetString(r.Assumed)
		for i, name := range []string{"corresponding", "lower", "upper"} {
			effect, _ := new(big.Rat).SetString(r.Effect[i])
			fmt.Fprintln(&got, r.ID, name, correspondingRisk(measure, assumed, effect, r.Per).FloatString(9))
		}
		r.eachAlteration(func(name, value string) {
			verdict := "hidden"
			for _, found := range foundIn(t, r.evidence()) {
				if strings.HasPrefix(found, string(codes.EffectNotReached)) {
					verdict = "found"
				}
			}
			fmt.Fprintln(&got, r.ID, name, value, verdict)
			counts[strings.Fields(name)[0]+" "+verdict]++
		})
	}
	t.Log("\n" + got.String())
	want := map[string]int{
		"assumed found": 10, "assumed hidden": 28, "effect found": 35, "effect hidden": 85,
		"corresponding found": 39, "corresponding hidden": 75,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("alterations in docs/certainty.md (-) and here (+):\n%s", diff)
	}
	table := string(must.Get(os.ReadFile("../docs/certainty.md"))(t))
	for _, name := range []string{"assumed", "effect", "corresponding"} {
		if row := fmt.Sprintf("| %d | %d |\n", counts[name+" found"], counts[name+" hidden"]); !strings.Contains(table, row) {
			t.Errorf("docs/certainty.md lacks the row of %s: %s", name, row)
		}
	}
	out, err := exec.Command("python3", "testdata/certainty.py", "../internal/testkit/specimen/certainty.json").Output()
	if err != nil {
		t.Skipf("tool not here: python3: %v", err)
	}
	if diff := cmp.Diff(string(out), got.String()); diff != "" {
		t.Errorf("the second program (-) and this one (+) differ:\n%s", diff)
	}
}

// TestLabelsAddUp tries every start with every pair of factors, and every label with each.
func TestLabelsAddUp(t *testing.T) {
	ranks := map[string]int{"very_low": 1, "low": 2, "moderate": 3, "high": 4}
	reported := map[bool]int{}
	for _, start := range schema.ListOf[StartLabel]() {
		for _, down := range schema.ListOf[CertaintyFactor]()[:5] {
			for lowered := range int64(3) {
				for raised := range int64(3) {
					sum := max(1, min(4, ranks[start.Word]-int(lowered)+int(raised)))
					for label, rank := range ranks {
						e := (&publishedRow{Certainty: label, Start: start.Word}).evidence()
						e.LabelBasis.Factors = []LabelFactor{
							{CertaintyFactor(down.Word), lowered, "The source says so."},
							{"large_effect", raised, "The source says so."},
						}
						found := foundIn(t, e)
						if reported[found != nil]++; (found == nil) != (rank == sum) {
							t.Errorf("%s − %d + %d = %s: %v", start.Word, lowered, raised, label, found)
						}
					}
				}
			}
		}
	}
	if reported[true] == 0 || reported[false] == 0 {
		t.Errorf("reported: %v", reported)
	}
}

// TestCertaintyRules has the cases that the examples of stele explain leave out.
func TestCertaintyRules(t *testing.T) {
	row := publishedRows(t)[0]
	for _, c := range []struct {
		name   string
		change func(*Evidence)
		want   string
	}{
		{"another scheme adds up otherwise", func(e *Evidence) {
			e.LabelBasis = &LabelBasis{Scheme: "GRADE-CERQual", AssessedBy: "source", Start: "high", Factors: []LabelFactor{}}
		}, ""},
		{"no factors, no sum", func(e *Evidence) { e.LabelBasis.Start = "very_low" }, ""},
		{"no start", func(e *Evidence) { e.LabelBasis.Start, e.LabelBasis.Factors = "", []LabelFactor{} }, "LBL05 /label_basis"},
		{"a factor twice", func(e *Evidence) {
			f := LabelFactor{"imprecision", 0, "Many children were studied."}
			e.LabelBasis.Factors = []LabelFactor{f, f}
		}, "LBL05 /label_basis/factors/1/factor"},
		{"three levels", func(e *Evidence) {
			e.LabelBasis.Factors = []LabelFactor{{"imprecision", 3, "Few children were studied."}}
		}, "LBL05 /label_basis/factors/0/levels"},
		{"a p-value as a reason", func(e *Evidence) {
			e.LabelBasis.Start, e.LabelBasis.Factors = "moderate", []LabelFactor{{"imprecision", 0, "p < 0.05"}}
		}, "LBL06 /label_basis/factors/0/why"},
		{"a Chinese reason", func(e *Evidence) {
			e.LabelBasis.Start, e.LabelBasis.Factors = "moderate", []LabelFactor{{"imprecision", 0, "样本量足够大"}}
		}, ""},
		{"statistical significance", func(e *Evidence) { e.LabelBasis.Scheme = "Statistical significance" }, "LBL07 /label_basis/scheme"},
		{"size with a label", func(e *Evidence) { e.Effect.Size = "large" }, ""},
		{"code of another measure", func(e *Evidence) { e.Effect.MeasureCode = MeasureOR }, "EFF01 /effect/measure_code"},
		{"unknown measure", func(e *Evidence) { e.Effect.Measure, e.Effect.Risks[0].Corresponding = "attack ratio", "9" }, ""},
		{"a risk above all", func(e *Evidence) { e.Effect.Risks[0].Per = 50 }, "EFF01 /effect/risks/0/assumed"},
		{"a rate above all", func(e *Evidence) { e.Effect.Measure, e.Effect.Risks[0].Per = "rate ratio", 50 }, ""},
		{"no more than all", func(e *Evidence) {
			e.Effect.Value, e.Effect.Lower, e.Effect.Upper = "20", "5", "30"
			e.Effect.Risks[0].Corresponding, e.Effect.Risks[0].Lower, e.Effect.Risks[0].Upper = "1000", "330", "1000"
		}, ""},
		{"limits exchanged", func(e *Evidence) { e.Effect.Risks[0].Lower, e.Effect.Risks[0].Upper = "9", "1" }, "EFF02 /effect/risks/0/lower"},
	} {
		e := row.evidence()
		c.change(e)
		if got := strings.Join(foundIn(t, e), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMeasureCodes: a measure is recognized in the spellings of the published tables and others.
func TestMeasureCodes(t *testing.T) {
	for spelled, want := range map[string]MeasureCode{
		"Risk ratio": MeasureRR, "relative risk (RR)": MeasureRR, "OR": MeasureOR, "Hazard Ratio": MeasureHR,
		"rate ratio": MeasureRateRatio, "Incidence rate ratio (IRR)": MeasureRateRatio, "MD": MeasureMD,
		"standardised mean difference": MeasureSMD, "risk difference": MeasureRD, "coverage": "", "": "",
	} {
		if got := (&EffectSize{Measure: spelled}).Code(); got != want {
			t.Errorf("%q is %q, want %q", spelled, got, want)
		}
	}
}

// TestRecordsOfBefore: the figures of an absolute effect are encoded digit by digit, and a record
// without the new members has none of them.
func TestRecordsOfBefore(t *testing.T) {
	k := KindNamed(KindEvidence)
	old := `"evidence_type":"systematic_review","finding":"F","evidence_label":"low","label_basis":{"scheme":"GRADE","assessed_by":"source"},"effect":{"measure":"risk ratio","value":0.050}`
	rec, problems := decode(t, k, `{"id": "evd-1", `+envelope+old+`}`)
	if got := string(k.AppendJSON(nil, rec)); len(problems) > 0 || !strings.Contains(got, old) {
		t.Errorf("%s\n%s", lines(problems), got)
	}
}
