package record

import (
	"strings"
	"sync"

	"stele/internal/suggest"
)

// Kinds is the table: every kind of record, in the order in which they are listed everywhere, with
// its routes. Folders, schemas, collections, pages and documentation follow from it. A new kind is
// a file beside this one with its Go type, and a row here.
var Kinds = []*Kind{
	{
		Name: "signal", One: "signal", Many: "signals", Prefix: "sig-", Envelope: forClaims, New: func() Record { return new(Signal) },
		Collection: Route{"/api/v1/signals.json", Both}, Single: Route{"/api/v1/signals/{signal_id}.json", Both},
		Doc: "Something observed that may matter: a change in an indicator, a report of an event, an early sign.",
	},
	{
		Name: "evidence", One: "evidence record", Many: "evidence", Prefix: "evd-", Envelope: forClaims, New: func() Record { return new(Evidence) },
		Collection: Route{"/api/v1/evidence.json", Both}, Single: Route{"/api/v1/evidence/{evidence_id}.json", Both},
		Doc: "What a study, a statistic or a guideline found, and how certain that is.",
	},
	{
		Name: "proof_claim", One: "proof claim", Many: "proof claims", Prefix: "clm-", Envelope: forClaims, New: func() Record { return new(ProofClaim) },
		Collection: Route{"/api/v1/proof.json", Both}, Single: Route{"/api/v1/proof/{claim_id}.json", Both},
		Doc: "A claim, the evidence for and against it, and the limits within which it holds.",
	},
	{
		Name: "healthcare_statistic", One: "healthcare statistic", Many: "healthcare statistics", Prefix: "sta-", Envelope: forClaims, New: func() Record { return new(HealthcareStatistic) },
		Collection: Route{"/api/v1/healthcare-statistics.json", First},
		Doc:        "One value of one indicator, for one area and one period.",
	},
	{
		Name: "source_object", One: "source object", Many: "source objects", Prefix: "src-", Envelope: forFacts, New: func() Record { return new(SourceObject) },
		Collection: Route{"/data/v2/source-objects.json", First},
		Doc:        "A publication or data set that other records rest on.",
	},
	{
		Name: "public_reference", One: "public reference", Many: "illustrative public references", Prefix: "ref-", Envelope: forFacts, New: func() Record { return new(PublicReference) },
		Collection: Route{"/data/v2/public-references.json", First},
		Doc:        "A public document that illustrates a subject. It is never evidence.",
	},
	{
		Name: "graph_node", One: "graph node", Many: "graph nodes", Prefix: "nod-", Envelope: forPointers, New: func() Record { return new(GraphNode) },
		Collection: Route{"/api/v1/graph-nodes.json", Both},
		Doc:        "A record as a point of the graph.",
	},
	{
		Name: "graph_edge", One: "graph edge", Many: "graph edges", Prefix: "edg-", Envelope: forPointers, New: func() Record { return new(GraphEdge) },
		Collection: Route{"/api/v1/graph-edges.json", Both},
		Doc:        "A relation between two records.",
	},
	{
		Name: "change_event", One: "change event", Many: "change events", Prefix: "chg-", Envelope: forEvents, New: func() Record { return new(ChangeEvent) },
		Collection: Route{"/api/v1/changes.json", Second},
		Doc:        "What happened to a record between one release and the next.",
	},
	{
		Name: "entity", One: "entity", Many: "entities", Prefix: "ent-", Envelope: forFacts, New: func() Record { return new(Entity) },
		Collection: Route{"/api/v2/entities.json", Both},
		Doc:        "An organization, place, population, condition, intervention, outcome or indicator that records are about. Never a person.",
	},
	{
		Name: "opportunity", One: "opportunity", Many: "opportunities", Prefix: "opp-", Envelope: forClaims, New: func() Record { return new(Opportunity) },
		Collection: Route{"/api/v2/opportunities.json", Both},
		Doc:        "A need that evidence shows and that something could be done about.",
	},
	{
		Name: "recommendation", One: "recommendation", Many: "recommendations", Prefix: "rec-", Envelope: forClaims, New: func() Record { return new(Recommendation) },
		Collection: Route{"/api/v2/recommendations.json", Both},
		Doc:        "What to do about an opportunity, in which direction and how strongly.",
	},
	{
		Name: "decision_view", One: "decision view", Many: "decision views", Prefix: "dec-", Envelope: forClaims, New: func() Record { return new(DecisionView) },
		Collection: Route{"/api/v2/decision-views.json", Both},
		Doc:        "A question, the options with what is recommended for each, and what was decided.",
	},
}

// The envelope members that a kind requires. The three kinds that point at other records leave the
// rest to the records that they point at.
var (
	forPointers = []string{"id", "kind", "version"}
	forEvents   = append(forPointers[:3:3], "published_date")
	forFacts    = append(forPointers[:3:3], "title", "summary", "source_links", "verification_date", "source_updates", "corrections", "published_date", "updated_date")
	forClaims   = append(forFacts[:len(forFacts):len(forFacts)], "claim_boundary")
)

// Kind is a row of the table.
type Kind struct {
	Name       string   // the value of the member "kind"
	One, Many  string   // what sentences call it
	Doc        string   // what it is, in a sentence
	Prefix     string   // how the IDs of the sample records begin; a habit, not a rule
	Envelope   []string // the envelope members that it requires
	Collection Route
	Single     Route // empty where the kind has no file for each record
	New        func() Record

	shape func() *Shape // made on first use; see Shape
}

// Route is an address of the specification.
type Route struct {
	Path    string // with the record's ID in braces, if it has one
	Listing Listing
}

// Listing says in which of the two published route listings a route stands.
type Listing uint8

const (
	First Listing = 1 << iota
	Second
	Both = First | Second
)

func (l Listing) String() string {
	return [...]string{"no listing", "first listing only", "second listing only", "both listings"}[l&Both]
}

// Folder is where a publisher keeps the records of this kind, below records/.
func (k *Kind) Folder() string {
	return strings.TrimSuffix(k.Collection.Path[strings.LastIndexByte(k.Collection.Path, '/')+1:], ".json")
}

// IDMember is the kind's own name for the record ID ("signal_id"), or "" where it has none.
func (k *Kind) IDMember() string {
	_, after, _ := strings.Cut(k.Single.Path, "{")
	name, _, _ := strings.Cut(after, "}")
	return name
}

// Routes are the kind's addresses: the collection's and, where there is one, the single record's.
func (k *Kind) Routes() []Route {
	if k.Single.Path == "" {
		return []Route{k.Collection}
	}
	return []Route{k.Collection, k.Single}
}

// KindNamed finds a kind by its name, or nil.
func KindNamed(name string) *Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// KindInFolder finds the kind whose records are kept in a folder, or nil.
func KindInFolder(folder string) *Kind {
	for _, k := range Kinds {
		if k.Folder() == folder {
			return k
		}
	}
	return nil
}

// Shape is what a record of this kind looks like.
func (k *Kind) Shape() *Shape { return k.shape() }

func init() {
	for _, k := range Kinds {
		k.shape = sync.OnceValue(func() *Shape { return shapeOfKind(k) })
	}
}

// FindKind finds the kind that a word stands for: its name, its folder, or what sentences call it.
// Where there is none, near is the name of the kind that was probably meant, or "".
func FindKind(word string) (k *Kind, near string) {
	flat := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == ' ' {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	var names []string
	for _, k := range Kinds {
		for _, name := range []string{k.Name, k.Folder(), k.One, k.Many} {
			if flat(name) == flat(word) {
				return k, ""
			}
		}
		names = append(names, k.Name)
	}
	return nil, suggest.To(word, names)
}
