package outcomes

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"stele/internal/testkit/must"
	"stele/record"
)

// TestOf covers what a table shows of published rows and of rows without printed figures.
func TestOf(t *testing.T) {
	rr := func(measure, value, lower, upper string) *record.EffectSize {
		x := &record.EffectSize{Measure: measure, Value: record.Number(value)}
		x.Lower, x.Upper = record.Number(lower), record.Number(upper)
		return x
	}
	bare := func(assumed string, per int64) record.Risk {
		return record.Risk{Assumed: record.Figure(assumed), Per: per}
	}
	filled := func(assumed string, per int64, corresponding, lower, upper record.Figure) record.Risk {
		a := record.Figure(assumed)
		return record.Risk{Assumed: a, Per: per, Corresponding: corresponding, Lower: lower, Upper: upper}
	}
	printed := filled("15.6", 100, "13.3", "12", "14.6")
	for _, c := range []struct {
		name string
		x    *record.EffectSize
		r    record.Risk
		want Absolute
	}{
		{
			"printed per 100", rr("risk ratio", "0.85", "0.77", "0.93"), printed,
			Absolute{Risk: printed, Difference: "-23", From: "-36", To: "-11", Unit: 1000, Without: 156, With: 133},
		},
		{
			"computed", rr("odds ratio", "1.04", "0.81", "1.34"),
			bare("219", 1000),
			Absolute{filled("219", 1000, "226", "185", "273"), true, "7", "-34", "54", 1000, 219, 226},
		},
		{
			"an assumed risk of 0", rr("risk ratio", "0.11", "0.03", "0.42"),
			filled("0", 1000, "0", "", ""),
			Absolute{Risk: filled("0", 1000, "0", "", ""), Unit: 1000},
		},
		{
			"a rate is not drawn", rr("rate ratio", "1.14", "0.66", "1.97"),
			bare("850", 1000),
			Absolute{filled("850", 1000, "969", "561", "1675"), true, "119", "-289", "825", 1000, 0, 0},
		},
		{
			"less than one person", rr("risk ratio", "0.5", "", ""),
			bare("1.5", 100000),
			Absolute{filled("1.5", 100000, "0.8", "", ""), true, "-0.8", "", "", 100000, 0, 0},
		},
		{
			"no more than all", rr("risk ratio", "3", "1.5", "4"),
			bare("508", 1000),
			Absolute{filled("508", 1000, "1000", "762", "1000"), true, "492", "254", "492", 1000, 508, 1000},
		},
		{
			"unknown measure", rr("attack ratio", "0.5", "", ""),
			filled("66", 1000, "33", "", ""),
			Absolute{Risk: filled("66", 1000, "33", "", ""), Difference: "-33", Unit: 1000, Without: 66, With: 33},
		},
		{"means", rr("mean difference", "-0.5", "", ""), bare("66", 1000), Absolute{Risk: bare("66", 1000), Unit: 1000}},
	} {
		if got := Of(c.x, c.r); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// TestRecomputed: the figures that the design computed for the published rows come out.
func TestRecomputed(t *testing.T) {
	var rows []struct {
		ID, Measure, Assumed string
		Per                  int64
		Effect, Recomputed   []string
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("../../testkit/specimen/certainty.json"))(t), &rows))
	compared := 0
	for _, r := range rows {
		if r.Recomputed == nil || r.Assumed == "0" {
			continue
		}
		x := &record.EffectSize{Measure: r.Measure, Value: record.Number(r.Effect[0])}
		x.Lower, x.Upper = record.Number(r.Effect[1]), record.Number(r.Effect[2])
		a := Of(x, record.Risk{Assumed: record.Figure(r.Assumed), Per: r.Per})
		for i, got := range []record.Figure{a.Corresponding, a.Lower, a.Upper} {
			g, _ := new(big.Rat).SetString(string(got))
			if w, _ := new(big.Rat).SetString(r.Recomputed[i]); g.Cmp(w) != 0 {
				t.Errorf("%s: %s, want %s", r.ID, got, r.Recomputed[i])
			}
			compared++
		}
	}
	if compared != 3*18 {
		t.Errorf("%d figures", compared)
	}
}
