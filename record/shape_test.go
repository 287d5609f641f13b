package record

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/schema"
)

const (
	factMembers  = "id kind version title summary source_links verification_date source_updates corrections published_date updated_date "
	claimMembers = factMembers + "claim_boundary "
)

// requiredMembers are the members that the design demands of each kind.
var requiredMembers = map[string]string{
	"signal":               claimMembers + "signal_id signal_type observation detected_date",
	"evidence":             claimMembers + "evidence_id evidence_type finding evidence_label",
	"proof_claim":          claimMembers + "claim_id claim evidence",
	"healthcare_statistic": claimMembers + "indicator ref_area_scheme ref_area time_period unit unit_label obs_status",
	"source_object":        factMembers + "source_type producer citation_full url_main",
	"public_reference":     factMembers + "reference_note",
	"graph_node":           "id kind version record_id record_kind label",
	"graph_edge":           "id kind version source target relation directed asserted_by",
	"change_event":         "id kind version published_date record_id record_kind change_type before after changed_fields release",
	"entity":               factMembers + "entity_type name",
	"opportunity":          claimMembers + "need evidence_ids",
	"recommendation":       claimMembers + "action direction strength opportunity_ids evidence_ids",
	"decision_view":        claimMembers + "question options decision_label",
}

func TestRequiredMembers(t *testing.T) {
	for _, k := range Kinds {
		var required []string
		for _, m := range k.Shape().Members {
			if m.Required {
				required = append(required, m.Name)
			}
		}
		want := strings.Fields(requiredMembers[k.Name])
		slices.Sort(want)
		slices.Sort(required)
		if diff := cmp.Diff(want, required); diff != "" {
			t.Errorf("%s: design (-) and shape (+) differ:\n%s", k.Name, diff)
		}
	}
}

// eachMember visits the members of a shape at any depth.
func eachMember(s *schema.Shape, path string, visit func(path string, m *schema.Member)) {
	for s.Type == schema.Array {
		s = s.Elem
	}
	for i := range s.Members {
		m := &s.Members[i]
		visit(path+"/"+m.Name, m)
		eachMember(m.Shape, path+"/"+m.Name, visit)
	}
}
