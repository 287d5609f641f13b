package record

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/schema"
)

// listsOfDesign are the closed lists as the design gives them, by the members that draw on each.
var listsOfDesign = map[string]string{
	"evidence_label":      "high moderate low very_low not_rated",
	"decision_label":      "adopt adopt_with_conditions more_research do_not_adopt undecided",
	"direction":           "for against either",
	"strength":            "strong conditional",
	"source_links/role":   "primary secondary background disputed superseded archive",
	"source_updates/type": "new_version new_edition data_revision addendum clarification correction expression_of_concern partial_retraction retraction withdrawal removal reinstatement moved",
	"effect":              "none already_reflected record_changed",
	"corrections/type":    "correction clarification expression_of_concern partial_retraction retraction reinstatement",
	"change_type":         "created updated reverified source_updated corrected retracted removed redacted restored relicensed areas_changed",
	"relation":            "supports disputes qualifies cites derived_from about claimed_by part_of replaces responds_to recommends",
	"stance":              "supports disputes qualifies context",
	"signal_type":         "indicator_change event_report weak_signal trend wild_card",
	"entity_type":         "organization place population condition intervention outcome indicator",
	"evidence_type":       "systematic_review randomized_trial observational_study modelled_estimate surveillance_report official_statistic guideline qualitative_study",
	"source_type":         "dataset article review guideline report web_page legislation",
	"obs_status":          "A B D E F G H I J K L M N O P Q S U V W",
	"ref_area_scheme":     "iso3166 un_m49 entity",
	"assessed_by":         "source service",
	"kind":                "signal evidence proof_claim healthcare_statistic source_object public_reference graph_node graph_edge change_event entity opportunity recommendation decision_view",
	"record_kind":         "signal evidence proof_claim healthcare_statistic source_object public_reference graph_node graph_edge change_event entity opportunity recommendation decision_view",
	"interval":            "confidence credible prediction uncertainty range",
	"aggregation":         "sum mean weighted_mean none",
	"measure_code":        "rr or hr rate_ratio rd md smd",
	"size":                "large moderate small trivial",
	"start":               "high moderate low very_low",
	"factor":              "risk_of_bias inconsistency indirectness imprecision publication_bias large_effect dose_response opposing_confounding",
}

func TestClosedLists(t *testing.T) {
	used := map[string]bool{}
	for _, k := range Kinds {
		eachMember(k.Shape(), "", func(path string, m *schema.Member) {
			if m.Shape.List == nil {
				return
			}
			name := strings.TrimPrefix(path, "/")
			if _, ok := listsOfDesign[name]; !ok {
				name = m.Name
			}
			used[name] = true
			if diff := cmp.Diff(strings.Fields(listsOfDesign[name]), m.Shape.Words()); diff != "" {
				t.Errorf("%s%s: design (-) and list (+) differ:\n%s", k.Name, path, diff)
			}
		})
	}
	for name := range listsOfDesign {
		if !used[name] {
			t.Errorf("no member draws on the list %s", name)
		}
	}
}

func TestListValuesAreDescribed(t *testing.T) {
	if len(lists) == 0 {
		t.Fatal("no lists")
	}
	for typ, values := range lists {
		if typ.Kind() != reflect.String {
			t.Errorf("%v is no type of text", typ)
		}
		seen := map[string]bool{}
		for _, v := range values {
			if v.Doc == "" || seen[v.Word] {
				t.Errorf("%v: %q stands twice or is not described", typ, v.Word)
			}
			seen[v.Word] = true
		}
	}
}
