package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// routesOfSpec is the table of endpoints in part 4 of the specification: path shape, and where it
// is listed.
const (
	bothListings = "both listings"
	firstOnly    = "first listing only"
	secondOnly   = "second listing only"
)

var routesOfSpec = map[string]string{
	"/api/v1/signals.json":                bothListings,
	"/api/v1/signals/{signal_id}.json":    bothListings,
	"/api/v1/evidence.json":               bothListings,
	"/api/v1/evidence/{evidence_id}.json": bothListings,
	"/api/v1/proof.json":                  bothListings,
	"/api/v1/proof/{claim_id}.json":       bothListings,
	"/api/v1/healthcare-statistics.json":  firstOnly,
	"/api/v1/graph-nodes.json":            bothListings,
	"/api/v1/graph-edges.json":            bothListings,
	"/api/v1/changes.json":                secondOnly,
	"/api/v2/entities.json":               bothListings,
	"/api/v2/opportunities.json":          bothListings,
	"/api/v2/recommendations.json":        bothListings,
	"/api/v2/decision-views.json":         bothListings,
	"/data/v2/source-objects.json":        firstOnly,
	"/data/v2/public-references.json":     firstOnly,
}

func TestRoutesAreThoseOfTheSpecification(t *testing.T) {
	routes := map[string]string{}
	for _, k := range Kinds {
		for _, r := range k.Routes() {
			if _, twice := routes[r.Path]; twice {
				t.Errorf("%s stands twice", r.Path)
			}
			routes[r.Path] = r.Listing.String()
		}
	}
	if diff := cmp.Diff(routesOfSpec, routes); diff != "" {
		t.Errorf("specification (-) and table (+) differ:\n%s", diff)
	}
}

// kindsOfSpec are the kinds in the order in which part 1 of the specification lists them, and what
// the specification calls them; with the folder that the design gives each, and the name that the
// paths give its ID.
var kindsOfSpec = []struct{ many, name, folder, idMember string }{
	{"signals", "signal", "signals", "signal_id"},
	{"evidence", "evidence", "evidence", "evidence_id"},
	{"proof claims", "proof_claim", "proof", "claim_id"},
	{"healthcare statistics", "healthcare_statistic", "healthcare-statistics", ""},
	{"source objects", "source_object", "source-objects", ""},
	{"illustrative public references", "public_reference", "public-references", ""},
	{"graph nodes", "graph_node", "graph-nodes", ""},
	{"graph edges", "graph_edge", "graph-edges", ""},
	{"change events", "change_event", "changes", ""},
	{"entities", "entity", "entities", ""},
	{"opportunities", "opportunity", "opportunities", ""},
	{"recommendations", "recommendation", "recommendations", ""},
	{"decision views", "decision_view", "decision-views", ""},
}

func TestKindsAreThoseOfTheSpecification(t *testing.T) {
	if len(Kinds) != len(kindsOfSpec) {
		t.Fatalf("the table has %d kinds, the specification %d", len(Kinds), len(kindsOfSpec))
	}
	for i, want := range kindsOfSpec {
		k := Kinds[i]
		got := [...]string{k.Many, k.Name, k.Folder(), k.IDMember()}
		if got != [...]string{want.many, want.name, want.folder, want.idMember} {
			t.Errorf("kind %d is %q, not %q", i, got, want)
		}
		if KindNamed(want.name) != k || KindInFolder(want.folder) != k {
			t.Errorf("%s is not found by its name or folder", want.name)
		}
		if k.Doc == "" || k.One == "" || k.Prefix == "" {
			t.Errorf("%s has no description, no name for sentences or no prefix", want.name)
		}
	}
	if KindNamed("signals") != nil || KindInFolder("signal") != nil {
		t.Error("a folder is found as a name, or a name as a folder")
	}
}
