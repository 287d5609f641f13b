package check_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// chainOf is a decision on a recommendation on an opportunity on a signal on a statistic on a
// source, each with the members that a case adds.
func chainOf(members map[string]string) []entry {
	merge := func(kind, id, base string) entry {
		e := r(kind, id, base)
		if m := members[id]; m != "" {
			for k, v := range r(kind, id, m).members {
				if strings.Contains(m, `"`+k+`"`) || k == "updated_date" {
					e.members[k] = v
				}
			}
		}
		return e
	}
	return []entry{
		merge("source_object", "src-1", ""),
		merge("healthcare_statistic", "sta-1", `{"source_links":[{"url":"https://example.org/","role":"primary","source_id":"src-1"}]}`),
		merge("signal", "sig-1", `{"evidence_ids":[],"statistic_ids":["sta-1"]}`),
		merge("evidence", "evd-1", ""),
		merge("opportunity", "opp-1", `{"evidence_ids":["evd-1"],"signal_ids":["sig-1"]}`),
		merge("recommendation", "rec-1", `{"opportunity_ids":["opp-1"],"evidence_ids":["evd-base"]}`),
		merge("decision_view", "dec-1", `{"options":[{"option_id":"o","label":"L","recommendation_ids":["rec-1"]},{"option_id":"p","label":"L","recommendation_ids":[]}],"decision_label":"adopt","chosen_option_id":"o"}`),
	}
}

const gone = `"corrections":[{"date":"2026-01-10","type":"retraction","in_version":2,"fields":["summary"],"summary":"S"}]`

func TestRetractionsTravel(t *testing.T) {
	said := func(id, day, verified string) string {
		return fmt.Sprintf(`{"corrections":[{"date":%q,"type":"clarification","in_version":2,"fields":["summary"],"summary":"Holds without %s."}],"verification_date":%q}`, day, id, verified)
	}
	expectRules(t, []rule{
		{"nothing happened", chainOf(nil), nil},
		{"a statistic, under a signal alone", chainOf(map[string]string{"sta-1": "{" + gone + "}"}), []string{"COR04 opp-1 /signal_ids/0", "COR03 sig-1 /statistic_ids/0"}},
		{"through to the decision", chainOf(map[string]string{"sta-1": "{" + gone + "}", "evd-1": "{" + gone + "}"}), []string{
			"COR03 dec-1 /options/0/recommendation_ids/0", "COR03 opp-1 /evidence_ids/0", "COR03 rec-1 /opportunity_ids/0", "COR03 sig-1 /statistic_ids/0",
		}},
		{"the option was not chosen, and verified since", chainOf(map[string]string{"rec-1": "{" + gone + "}", "dec-1": `{"chosen_option_id":"p"}`}), nil},
		{"the option was not chosen", chainOf(map[string]string{"rec-1": "{" + gone + "}", "dec-1": `{"chosen_option_id":"p","verification_date":"2026-01-09"}`}), []string{"DAT04 dec-1 /options/0/recommendation_ids/0"}},
		{"the record says so", chainOf(map[string]string{"sta-1": "{" + gone + "}", "sig-1": said("sta-1", "2026-01-10", "2026-01-10")}), nil},
		{"the record said something before", chainOf(map[string]string{"sta-1": "{" + gone + "}", "sig-1": said("sta-1", "2026-01-09", "2026-01-10")}), []string{"COR04 opp-1 /signal_ids/0", "COR03 sig-1 /statistic_ids/0"}},
		{"the record speaks of another", chainOf(map[string]string{"sta-1": "{" + gone + "}", "sig-1": said("sta-12", "2026-01-10", "2026-01-10")}), []string{"COR04 opp-1 /signal_ids/0", "COR03 sig-1 /statistic_ids/0"}},
		{"the record says so, and was not verified", chainOf(map[string]string{"sta-1": "{" + gone + "}", "sig-1": said("sta-1", "2026-01-10", "2026-01-09")}), []string{"COR04 opp-1 /signal_ids/0", "COR03 sig-1 /statistic_ids/0"}},
		{"a retraction that was taken back", chainOf(map[string]string{"sta-1": `{"version":3,"corrections":[
			{"date":"2026-01-10","type":"retraction","in_version":2,"fields":["summary"],"summary":"S"},
			{"date":"2026-01-20","type":"reinstatement","in_version":3,"fields":["summary"],"summary":"S"}]}`}), nil},
	})
}

func TestCorrectionsGoOneStep(t *testing.T) {
	const corrected = `{"corrections":[{"date":"2026-01-20","type":"correction","in_version":2,"fields":["summary"],"summary":"S"}]}`
	expectRules(t, []rule{
		{"a statistic", chainOf(map[string]string{"sta-1": corrected}), []string{"DAT04 sig-1 /statistic_ids/0"}},
		{"an opportunity", chainOf(map[string]string{"opp-1": corrected}), []string{"DAT04 rec-1 /opportunity_ids/0"}},
		{"verified since", chainOf(map[string]string{"sta-1": corrected, "sig-1": `{"verification_date":"2026-01-20"}`}), nil},
		{"replaced", append(chainOf(nil), r("healthcare_statistic", "sta-2", `{"time_period":"2024","published_date":"2026-01-15","updated_date":"2026-01-15"}`), edge("e", "sta-2", "replaces", "sta-1")), []string{"DAT04 sig-1 /statistic_ids/0"}},
		{"derived from a statistic, by an edge", append(chainOf(map[string]string{"evd-1": corrected}), edge("e", "sta-1", "derived_from", "evd-1")), []string{"DAT04 sta-1", "DAT04 opp-1 /evidence_ids/0"}},
	})
}

func TestRolesOfSources(t *testing.T) {
	with := func(role string) []entry {
		return []entry{
			r("source_object", "src-a", `{"source_updates":[{"date":"2026-01-15","type":"retraction","summary":"S","effect":"none"}],"verification_date":"2026-01-31"}`),
			r("evidence", "evd-a", fmt.Sprintf(`{"source_links":[{"url":"https://example.org/","role":%q,"source_id":"src-a"},{"url":"https://example.org/b","role":"archive"}]}`, role)),
		}
	}
	expectRules(t, []rule{
		{"primary", with("primary"), []string{"COR03 evd-a /source_links/0/source_id"}},
		{"secondary", with("secondary"), []string{"DAT04 evd-a /source_links/0/source_id"}},
		{"background", with("background"), nil},
		{"disputed", with("disputed"), nil},
		{"superseded", with("superseded"), nil},
	})
	one := with("primary")
	one[1].members["source_links"] = []any{
		map[string]any{"url": "https://example.org/", "role": "primary", "source_id": "src-a"},
		map[string]any{"url": "https://example.org/b", "role": "primary"},
	}
	expectRules(t, []rule{{"one of two primary sources", one, []string{"COR04 evd-a /source_links/0/source_id"}}})
}

// TestWhy: a finding names the path, what happened and when.
func TestWhy(t *testing.T) {
	result, err := specimen.Check(in(chainOf(map[string]string{"sta-1": "{" + gone + "}"})...), compiler.Options{Date: "2026-02-01"})
	if err != nil || len(result.Problems) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	if want := "opp-1 → sig-1 → sta-1: retracted 2026-01-10"; !strings.Contains(result.Problems[0].Message, want) {
		t.Errorf("%s does not say %s", result.Problems[0].Message, want)
	}
}

func TestReviewAfter(t *testing.T) {
	fsys := in(r("signal", "sig-a", ""), r("signal", "sig-b", `{"verification_date":"2026-01-11"}`))
	fsys["stele.yaml"] = &fstest.MapFile{Data: []byte(settings + "review_after:\n  signal: 3 weeks\n")}
	for date, want := range map[record.Date]string{"2026-01-30": "[]", "2026-01-31": "[REV01 sig-a]", "2026-02-01": "[REV01 sig-a REV01 sig-b]"} {
		result := must.Get(specimen.Check(fsys, compiler.Options{Date: date}))(t)
		var got []string
		for _, p := range result.Problems {
			got = append(got, string(p.Code)+" "+p.Record)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("on %s: %v, want %s", date, got, want)
		}
	}
}
