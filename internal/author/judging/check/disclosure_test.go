package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// TestSuppressedFiguresThatFollow: who has the published figures can compute those that are
// suppressed, and the check names them without saying what they are.
func TestSuppressedFiguresThatFollow(t *testing.T) {
	count := func(id, members string) entry {
		e := r("healthcare_statistic", id, `{"unit":"cases","indicator":"cases"}`)
		for name, value := range r("healthcare_statistic", id, members).members {
			if strings.Contains(members, `"`+name+`":`) {
				e.members[name] = value
			}
		}
		if strings.Contains(members, `"Q"`) {
			delete(e.members, "value")
		}
		return e
	}
	sex := func(id, sex, members string) entry {
		return count(id, `{"dimensions":{"sex":"`+sex+`"}`+members+`}`)
	}
	area := func(id, area, members string) entry {
		return count(id, `{"ref_area_scheme":"entity","ref_area":"`+area+`"`+members+`}`)
	}
	place := func(id string) entry { return r("entity", id, "") }
	part := func(id, of string) entry {
		return r("graph_edge", "edg-"+id, `{"source":"`+id+`","target":"`+of+`","relation":"part_of","directed":true,"asserted_by":"`+id+`"}`)
	}
	const q = `,"obs_status":"Q"`
	one := []string{"STA12 sta-f /value"}
	for _, c := range []rule{
		{"nothing suppressed", []entry{count("sta-a", `{"value":20}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", `,"value":3`)}, nil},
		{"total less a part", []entry{count("sta-a", `{"value":20}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", q)}, one},
		{"a bound", []entry{count("sta-a", `{"value":20}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", `,"less_than":5`+q)}, one},
		{"parts that are missing", []entry{count("sta-a", `{"value":40}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", `,"less_than":5`+q)}, nil},
		{"a total by its word", []entry{sex("sta-a", "total", `,"value":20`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", q)}, one},
		{"the total", []entry{count("sta-f", `{"obs_status":"Q"}`), sex("sta-m", "male", `,"value":17`), sex("sta-w", "female", `,"value":3`)}, one},
		{"two suppressed", []entry{count("sta-a", `{"value":20}`), sex("sta-m", "male", q), sex("sta-f", "female", q)}, nil},
		{"two that are nothing", []entry{count("sta-a", `{"value":0}`), sex("sta-m", "male", q), sex("sta-f", "female", q)}, []string{"STA12 sta-m /value", "STA12 sta-f /value"}},
		{"two that are all they can be", []entry{count("sta-a", `{"value":8}`), sex("sta-m", "male", `,"less_than":5`+q), sex("sta-f", "female", `,"less_than":5`+q)}, []string{"STA12 sta-m /value", "STA12 sta-f /value"}},
		{"a part of a whole does not add up", []entry{count("sta-a", `{"unit":"percent","value":20}`), sex("sta-m", "male", `,"unit":"percent","value":17`), sex("sta-f", "female", `,"unit":"percent"`+q)}, nil},
		{"one after the other", []entry{
			count("sta-a", `{"value":20}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", q),
			count("sta-g", `{"dimensions":{"sex":"female","age":"0"},"obs_status":"Q"}`), count("sta-h", `{"dimensions":{"sex":"female","age":"1"},"value":2}`),
		}, []string{"STA12 sta-f /value", "STA12 sta-g /value"}},
		{"areas by their parent", []entry{
			place("ent-a"), place("ent-b"), place("ent-c"), part("ent-b", "ent-a"), part("ent-c", "ent-a"),
			area("sta-a", "ent-a", `,"value":20`), area("sta-b", "ent-b", `,"value":17`), area("sta-f", "ent-c", q),
		}, one},
		{"areas by their codes", []entry{count("sta-a", `{"value":20}`), count("sta-b", `{"ref_area":"FR-IDF","value":17}`), count("sta-f", `{"ref_area":"FR-BRE","obs_status":"Q"}`)}, one},
		{"another edition", []entry{count("sta-a", `{"vintage":"2024","value":3}`), count("sta-f", `{"vintage":"2025","obs_status":"Q"}`)}, one},
		{"its numerator", []entry{count("sta-f", `{"numerator":3,"denominator":100,"obs_status":"Q"}`)}, one},
		{"a rate and its denominator", []entry{count("sta-a", `{"unit":"per_1000","value":30,"denominator":100}`), count("sta-f", `{"obs_status":"Q"}`)}, one},
		{"a rate alone", []entry{count("sta-a", `{"unit":"per_1000","value":30}`), count("sta-f", `{"obs_status":"Q"}`)}, nil},
	} {
		for threshold, code := range map[int]string{0: "STA12", 30: "STA13"} {
			t.Run(fmt.Sprint(c.name, " ", threshold), func(t *testing.T) {
				fsys := in(c.entries...)
				if threshold > 0 {
					fsys["stele.yaml"].Data = fmt.Appendf(nil, "%ssuppression: {threshold: %d}\n", settings, threshold)
				}
				got := slices.DeleteFunc(run(t, fsys), func(s string) bool { return !strings.HasPrefix(s, "STA1") })
				for i := range got {
					got[i] = strings.Replace(got[i], code, "STA12", 1)
				}
				if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		}
	}
	fsys := in(count("sta-a", `{"value":20}`), sex("sta-m", "male", `,"value":17`), sex("sta-f", "female", q))
	for _, p := range must.Get(specimen.Check(fsys, compiler.Options{Date: "2026-02-01"}))(t).Problems {
		if p.Code == "STA12" && (!strings.Contains(p.Message, "sta-a, sta-m") ||
			!strings.Contains(p.Fix, "suppress a second figure, too, such as sta-m") || strings.Contains(p.Message, "3")) {
			t.Errorf("%s; %s", p.Message, p.Fix)
		}
	}
}
