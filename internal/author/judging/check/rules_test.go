package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/specimen"
)

func TestReferencesThatLeadNowhere(t *testing.T) {
	place := r("entity", "ent-place", "")
	expectRules(t, []rule{
		{"to nothing", []entry{r("signal", "sig-a", `{"evidence_ids":["evd-base","evd-x"]}`)}, []string{"REF01 sig-a /evidence_ids/1"}},
		{"inside a list of objects", []entry{r("proof_claim", "clm-a", `{"evidence":[{"evidence_id":"evd-base","stance":"context"},{"evidence_id":"evd-x","stance":"context"}]}`)}, []string{"REF01 clm-a /evidence/1/evidence_id"}},
		{"in a source link", []entry{r("evidence", "evd-a", `{"source_links":[{"url":"https://example.org/","role":"primary","source_id":"src-x"}]}`)}, []string{"REF01 evd-a /source_links/0/source_id"}},
		{"in a list in a list", []entry{r("decision_view", "dec-a", `{"options":[{"option_id":"o","label":"L","recommendation_ids":[]},{"option_id":"p","label":"L","recommendation_ids":["rec-x"]}]}`)}, []string{"REF01 dec-a /options/1/recommendation_ids/0"}},
		{"in see_also", []entry{r("evidence", "evd-a", `{"see_also":["x"]}`)}, []string{"REF01 evd-a /see_also/0"}},
		{"area", []entry{r("healthcare_statistic", "sta-a", `{"ref_area_scheme":"entity","ref_area":"ent-x"}`)}, []string{"REF01 sta-a /ref_area"}},
		{"area that is there", []entry{place, r("healthcare_statistic", "sta-a", `{"ref_area_scheme":"entity","ref_area":"ent-place"}`)}, nil},
		{"to itself", []entry{r("evidence", "evd-a", `{"see_also":["evd-a"]}`)}, nil},
		{"in another case", []entry{r("signal", "sig-a", `{"evidence_ids":["EVD-BASE"]}`)}, []string{"REF01 sig-a /evidence_ids/0"}},
		{"change event of a record that is gone", []entry{r("change_event", "chg-a", `{"record_id":"evd-gone"}`)}, []string{"REF01 chg-a /record_id"}},
		{"change event that removes it", []entry{r("change_event", "chg-a", `{"record_id":"evd-gone","change_type":"removed","before":{"version":2,"sha256":"`+zeros+`"},"after":null}`)}, nil},
		{"earlier event of a record that was removed", []entry{r("change_event", "chg-a", `{"record_id":"evd-gone"}`), r("change_event", "chg-b", `{"record_id":"evd-gone","change_type":"removed","before":{"version":2,"sha256":"`+zeros+`"},"after":null}`)}, nil},
		{"other reference to a record that was removed", []entry{r("signal", "sig-a", `{"evidence_ids":["evd-gone"]}`), r("change_event", "chg-b", `{"record_id":"evd-gone","change_type":"removed","before":{"version":2,"sha256":"`+zeros+`"},"after":null}`)}, []string{"REF01 sig-a /evidence_ids/0"}},
	})
}

func TestIDsUsedTwice(t *testing.T) {
	expectRules(t, []rule{
		{"the same kind", []entry{r("signal", "sig-a", ""), r("signal", "sig-a", "")}, []string{"ID02 sig-a /id"}},
		{"another kind", []entry{r("signal", "a", ""), r("evidence", "a", "")}, []string{"ID02 a /id"}},
		{"another case", []entry{r("signal", "sig-a", ""), r("signal", "SIG-a", "")}, []string{"ID02 SIG-a /id"}},
		{"another case, capitals first", []entry{r("signal", "SIG-a", ""), r("signal", "sig-a", "")}, []string{"ID02 sig-a /id"}},
		{"two that are not in lower case", []entry{r("signal", "SIG-a", ""), r("signal", "sig-A", "")}, []string{"ID02 sig-A /id"}},
		{"three times", []entry{r("signal", "a", ""), r("signal", "a", ""), r("signal", "A", "")}, []string{"ID02 a /id", "ID02 A /id"}},
		{"different", []entry{r("signal", "sig-a", ""), r("signal", "sig-aa", "")}, nil},
	})
	fsys := in(r("signal", "SIG-a", ""), r("signal", "sig-a", ""))
	result, err := specimen.Check(fsys, compiler.Options{})
	if err != nil || len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Message, `the ID "sig-a" differs only in case from "SIG-a" in records/signals/00-SIG-a.json:1`) {
		t.Errorf("%+v, %v", result, err)
	}
}

// resting is evidence that rests on src-a, with other members.
func resting(members string) entry {
	return r("evidence", "evd-a", `{"source_links":[{"url":"https://example.org/","role":"primary","source_id":"src-a"}]`+members+`}`)
}

func TestLabelsOfClaims(t *testing.T) {
	basis := `,"label_basis":{"scheme":"GRADE","assessed_by":"service"}`
	low, high := r("evidence", "evd-low", `{"evidence_label":"low"`+basis+`}`), r("evidence", "evd-high", `{"evidence_label":"high"`+basis+`}`)
	claim := func(label string, evidence ...string) entry {
		var list []string
		for _, e := range evidence {
			id, stance, _ := strings.Cut(e, " ")
			list = append(list, fmt.Sprintf(`{"evidence_id":%q,"stance":%q}`, id, stance))
		}
		return r("proof_claim", "clm-a", fmt.Sprintf(`{"evidence_label":%q,"evidence":[%s]}`, label, strings.Join(list, ",")))
	}
	wrong := []string{"LBL02 clm-a /evidence_label"}
	expectRules(t, []rule{
		{"stronger", []entry{low, claim("moderate", "evd-low supports")}, wrong},
		{"as strong", []entry{low, claim("low", "evd-low supports")}, nil},
		{"weaker", []entry{high, claim("very_low", "evd-high supports")}, nil},
		{"as strong as the best", []entry{low, high, claim("high", "evd-low supports", "evd-high supports")}, nil},
		{"strong evidence that does not support", []entry{low, high, claim("high", "evd-low supports", "evd-high disputes")}, wrong},
		{"no supporting evidence", []entry{high, claim("very_low", "evd-high qualifies")}, wrong},
		{"not rated", []entry{low, claim("not_rated", "evd-low disputes")}, nil},
		{"evidence that is not rated", []entry{claim("very_low", "evd-base supports")}, wrong},
		{"evidence that does not exist", []entry{low, claim("high", "evd-low supports", "evd-x supports")}, []string{"REF01 clm-a /evidence/1/evidence_id"}},
	})
}

func TestStatisticsThatStandTwice(t *testing.T) {
	statistic := func(id, members string) entry { return r("healthcare_statistic", id, members) }
	expectRules(t, []rule{
		{"the same", []entry{statistic("sta-a", ""), statistic("sta-b", `{"value":2}`)}, []string{"STA04 sta-b"}},
		{"three times", []entry{statistic("sta-a", ""), statistic("sta-b", ""), statistic("sta-c", "")}, []string{"STA04 sta-b", "STA04 sta-c"}},
		{"another indicator", []entry{statistic("sta-a", ""), statistic("sta-b", `{"indicator":"mcv2"}`)}, nil},
		{"another area", []entry{statistic("sta-a", ""), statistic("sta-b", `{"ref_area":"ITA"}`)}, nil},
		{"two editions", []entry{statistic("sta-a", `{"vintage":"2024"}`), statistic("sta-b", `{"vintage":"2025"}`)}, nil},
		{"one edition in two ways", []entry{statistic("sta-a", `{"vintage":"2024"}`), statistic("sta-b", `{"vintage":"2024-01-01/P1Y"}`)}, []string{"STA04 sta-b"}},
		{"one name in two forms of Unicode", []entry{statistic("sta-a", `{"dimensions":{"area":"C\u00f4te"}}`), statistic("sta-b", `{"dimensions":{"area":"Co\u0302te"}}`)}, []string{"STA04 sta-b"}},
		{"zero and minus zero", []entry{statistic("sta-a", `{"dimensions":{"level":"0"}}`), statistic("sta-b", `{"dimensions":{"level":"-0"}}`)}, []string{"STA04 sta-b"}},
		{"another period", []entry{statistic("sta-a", ""), statistic("sta-b", `{"time_period":"2024"}`)}, nil},
		{"another unit", []entry{statistic("sta-a", ""), statistic("sta-b", `{"unit":"children"}`)}, nil},
		{"another dimension", []entry{statistic("sta-a", `{"dimensions":{"sex":"F"}}`), statistic("sta-b", `{"dimensions":{"sex":"M"}}`)}, nil},
		{"one more dimension", []entry{statistic("sta-a", ""), statistic("sta-b", `{"dimensions":{"sex":"M"}}`)}, nil},
		{"parts that join to the same text", []entry{statistic("sta-a", `{"dimensions":{"a":"b"},"unit":"u"}`), statistic("sta-b", `{"dimensions":{"ab":"x"},"unit":"u"}`)}, nil},
	})
	// The order of the dimensions is not part of what a statistic measures. encoding/json sorts
	// names, so this one is written out.
	fsys := in(statistic("sta-a", `{"dimensions":{"age":"1","sex":"F"}}`))
	other := string(in(statistic("sta-b", `{"dimensions":{"age":"1","sex":"F"}}`))["records/healthcare-statistics/00-sta-b.json"].Data)
	fsys["records/healthcare-statistics/b.json"] = &fstest.MapFile{Data: []byte(strings.Replace(other, `{"age":"1","sex":"F"}`, `{"sex":"F","age":"1"}`, 1))}
	if got := run(t, fsys); !slices.Equal(got, []string{"STA04 sta-b"}) {
		t.Errorf("dimensions in another order: %q", got)
	}
}

// TestHeldToTheMeasure: statistics are what their indicator's entity allows.
func TestHeldToTheMeasure(t *testing.T) {
	indicator := func(measure string) entry {
		return r("entity", "ent-i", `{"entity_type":"indicator","measure":`+measure+`}`)
	}
	quantity := indicator(`{"code":"mcv1","unit":"percent","min":0,"max":100,"dimensions":[{"name":"sex","codes":{"f":"Females","m":"Males"}},{"name":"place"}]}`)
	coded := indicator(`{"code":"mcv1","codes":{"60":"Yes, by law","61":"No"}}`)
	of := func(more string) entry {
		e := r("healthcare_statistic", "sta-a", `{"indicator":"mcv1","unit":"percent","indicator_id":"ent-i",`+more+`}`)
		if strings.Contains(more, "_than") || strings.Contains(more, "code") {
			delete(e.members, "value")
		}
		return e
	}
	expectRules(t, []rule{
		{"as it says", []entry{quantity, of(`"value":100.0,"dimensions":{"sex":"f","place":"anything"}`)}, nil},
		{"another indicator", []entry{quantity, of(`"indicator":"mcv2"`)}, []string{"STA10 sta-a /indicator"}},
		{"another unit", []entry{quantity, of(`"unit":"children"`)}, []string{"STA10 sta-a /unit"}},
		{"too small", []entry{quantity, of(`"value":-0.1,"unit_label":"change"`)}, []string{"STA10 sta-a /value"}},
		{"too great, which is a warning too", []entry{quantity, of(`"value":120`)}, []string{"STA08 sta-a /value", "STA10 sta-a /value"}},
		{"too great", []entry{quantity, of(`"value":100.1,"unit_label":"change"`)}, []string{"STA10 sta-a /value"}},
		{"less than the least", []entry{quantity, of(`"less_than":0`)}, []string{"STA10 sta-a /less_than"}},
		{"less than anything above the least", []entry{quantity, of(`"less_than":5`)}, nil},
		{"more than the greatest", []entry{quantity, of(`"greater_than":100`)}, []string{"STA10 sta-a /greater_than"}},
		{"a dimension that is not there", []entry{quantity, of(`"dimensions":{"seks":"f"}`)}, []string{"STA10 sta-a /dimensions/seks"}},
		{"a code that the dimension has not", []entry{quantity, of(`"dimensions":{"sex":"x"}`)}, []string{"STA10 sta-a /dimensions/sex"}},
		{"a code where there are none", []entry{quantity, of(`"code":"60"`)}, []string{"STA10 sta-a /code"}},
		{"a code", []entry{coded, of(`"code":"60"`)}, nil},
		{"a code that is not listed", []entry{coded, of(`"code":"62"`)}, []string{"STA10 sta-a /code"}},
		{"a value where there are codes", []entry{coded, of(`"value":60`)}, []string{"STA10 sta-a /value"}},
		{"a code of an entity without measure", []entry{r("entity", "ent-i", `{"entity_type":"indicator"}`), of(`"code":"60"`)}, []string{"STA10 sta-a /code"}},
		{"drafts are held to drafts", []entry{r("entity", "ent-i", `{"draft":true,"version":1,"entity_type":"indicator","measure":{"code":"mcv2"}}`), of(`"draft":true,"version":1`)}, []string{"REF05 evd-base /see_also/0", "STA10 sta-a /indicator"}},
	})
}

// TestWhatExamplesLeaveOut: cases of rules across records that no example of stele explain has.
func TestWhatExamplesLeaveOut(t *testing.T) {
	updated := func(date string) entry {
		return r("source_object", "src-a", `{"source_updates":[{"date":"`+date+`","type":"data_revision","summary":"S","effect":"none"}],"verification_date":"2026-01-31"}`)
	}
	expectRules(t, []rule{
		{"an end of an edge is a node", []entry{r("graph_node", "nod-a", ""), edge("e", "nod-a", "qualifies", "opp-base")}, nil},
		{"an end of an edge is an edge", []entry{edge("e", "evd-base", "qualifies", "opp-base"), edge("f", "e", "qualifies", "opp-base")}, []string{"GRA01 f /source"}},
		{"a name that is kept for derived edges", []entry{edge("a--about--b", "evd-base", "qualifies", "opp-base")}, []string{"ID01 a--about--b /id"}},
		{"an edge that nobody asserts", []entry{edge("e", "opp-base", "qualifies", "evd-base", `,"asserted_by":"x"`)}, []string{"REF01 e /asserted_by"}},
		{"evidence as a source", []entry{r("evidence", "evd-a", `{"source_links":[{"url":"https://example.org/","role":"primary","source_id":"evd-base"}]}`)}, []string{"REF02 evd-a /source_links/0/source_id"}},
		{"evidence as an area", []entry{r("healthcare_statistic", "sta-a", `{"ref_area_scheme":"entity","ref_area":"evd-base"}`)}, []string{"REF02 sta-a /ref_area"}},
		{"anything in see_also", []entry{r("signal", "sig-a", `{"see_also":["opp-base"]}`)}, nil},
		{"a node that says another kind", []entry{r("graph_node", "nod-a", `{"record_kind":"signal"}`)}, []string{"REF02 nod-a /record_id"}},
		{"an event that says another kind", []entry{r("change_event", "chg-a", `{"record_kind":"opportunity"}`)}, []string{"REF02 chg-a /record_id"}},
		{"an event of a removed record of any kind", []entry{r("change_event", "chg-a", `{"record_id":"x","record_kind":"opportunity","change_type":"removed","before":{"version":2,"sha256":"`+zeros+`"},"after":null}`)}, nil},
		{"a source that changed on the day of the verification", []entry{updated("2026-01-10"), resting("")}, nil},
		{"a source that changed after it", []entry{updated("2026-01-11"), resting("")}, []string{"DAT04 evd-a /source_links/0/source_id"}},
		{"which the record says itself", []entry{updated("2026-01-11"), resting(`,"source_updates":[{"date":"2026-01-11","type":"data_revision","source_id":"src-a","summary":"S","effect":"none"}]`)}, []string{"DAT04 evd-a /verification_date"}},
		{"and that nothing rests on", []entry{updated("2026-01-11"), r("evidence", "evd-a", `{"see_also":["src-a"]}`)}, nil},
	})
	for name, c := range map[string]rule{
		"used by itself":    {"", []entry{r("source_object", "src-a", `{"see_also":["src-a"]}`)}, []string{"REF04 src-a /id"}},
		"used by one other": {"", []entry{r("source_object", "src-a", `{"see_also":["ent-a"]}`), r("entity", "ent-a", `{"source_links":[{"url":"https://example.org/","role":"primary","source_id":"src-a"}]}`)}, nil},
		"used by a node":    {"", []entry{r("entity", "ent-a", ""), r("graph_node", "nod-a", `{"record_id":"ent-a","record_kind":"entity"}`)}, nil},
		"need not be used":  {"", []entry{r("evidence", "evd-a", "")}, nil},
	} {
		if got := run(t, alone(c.entries...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
