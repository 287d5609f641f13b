package record

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
)

// Kinds is the table: every kind of record, in the order in which they are listed everywhere, with
// its routes. Folders, schemas, collections, pages and documentation follow from it. A new kind is
// a file beside this one with its Go type and the two methods for JSON, and a row here.
var Kinds = []*Kind{
	{
		Name: KindSignal, One: "signal", Many: "signals", Prefix: "sig-", role: claim, New: func() Record { return new(Signal) },
		Collection: layout.Route{Path: "/api/v1/signals.json", Listing: layout.Both}, Single: layout.Route{Path: "/api/v1/signals/{signal_id}.json", Listing: layout.Both},
		Doc: "Something observed that may matter: a change in an indicator, a report of an event, an early sign.",
	},
	{
		Name: KindEvidence, One: "evidence record", Many: "evidence", Prefix: "evd-", role: claim, New: func() Record { return new(Evidence) },
		Collection: layout.Route{Path: "/api/v1/evidence.json", Listing: layout.Both}, Single: layout.Route{Path: "/api/v1/evidence/{evidence_id}.json", Listing: layout.Both},
		Doc: "What a study, a statistic or a guideline found, and how certain that is.",
	},
	{
		Name: KindProofClaim, One: "proof claim", Many: "proof claims", Prefix: "clm-", role: claim, New: func() Record { return new(ProofClaim) },
		Collection: layout.Route{Path: "/api/v1/proof.json", Listing: layout.Both}, Single: layout.Route{Path: "/api/v1/proof/{claim_id}.json", Listing: layout.Both},
		Doc: "A claim, the evidence for and against it, and the limits within which it holds.",
	},
	{
		Name: KindHealthcareStatistic, One: "healthcare statistic", Many: "healthcare statistics", Prefix: "sta-", role: figure,
		New:        func() Record { return new(HealthcareStatistic) },
		Collection: layout.Route{Path: "/api/v1/healthcare-statistics.json", Listing: layout.First},
		Doc:        "One value of one indicator, for one area and one period.",
	},
	{
		Name: KindSourceObject, One: "source object", Many: "source objects", Prefix: "src-", role: fact, New: func() Record { return new(SourceObject) },
		Collection: layout.Route{Path: "/data/v2/source-objects.json", Listing: layout.First},
		Doc:        "A publication or data set that other records rest on.",
	},
	{
		Name: KindPublicReference, One: "public reference", Many: "illustrative public references", Prefix: "ref-", role: fact,
		New:        func() Record { return new(PublicReference) },
		Collection: layout.Route{Path: "/data/v2/public-references.json", Listing: layout.First},
		Doc:        "A public document that illustrates a subject. It is never evidence.",
	},
	{
		Name: KindGraphNode, One: "graph node", Many: "graph nodes", Prefix: "nod-", role: graphPart, New: func() Record { return new(GraphNode) },
		Collection: layout.Route{Path: "/api/v1/graph-nodes.json", Listing: layout.Both},
		Doc:        "A record as a node of the graph.",
	},
	{
		Name: KindGraphEdge, One: "graph edge", Many: "graph edges", Prefix: "edg-", role: graphPart, New: func() Record { return new(GraphEdge) },
		Collection: layout.Route{Path: "/api/v1/graph-edges.json", Listing: layout.Both},
		Doc:        "A relation between two records.",
	},
	{
		Name: KindChangeEvent, One: "change event", Many: "change events", Prefix: "chg-", role: event, New: func() Record { return new(ChangeEvent) },
		Collection: layout.Route{Path: "/api/v1/changes.json", Listing: layout.Second},
		Doc:        "What happened to a record between one release and the next.",
	},
	{
		Name: KindEntity, One: "entity", Many: "entities", Prefix: "ent-", role: fact, New: func() Record { return new(Entity) },
		Collection: layout.Route{Path: "/api/v2/entities.json", Listing: layout.Both},
		Doc:        "An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people.",
	},
	{
		Name: KindOpportunity, One: "opportunity", Many: "opportunities", Prefix: "opp-", role: claim, New: func() Record { return new(Opportunity) },
		Collection: layout.Route{Path: "/api/v2/opportunities.json", Listing: layout.Both},
		Doc:        "An unmet need that evidence points to, and that could be acted on.",
	},
	{
		Name: KindRecommendation, One: "recommendation", Many: "recommendations", Prefix: "rec-", role: claim,
		New:        func() Record { return new(Recommendation) },
		Collection: layout.Route{Path: "/api/v2/recommendations.json", Listing: layout.Both},
		Doc:        "Advice on what to do about an opportunity, and how strongly it is meant.",
	},
	{
		Name: KindDecisionView, One: "decision view", Many: "decision views", Prefix: "dec-", role: claim, New: func() Record { return new(DecisionView) },
		Collection: layout.Route{Path: "/api/v2/decision-views.json", Listing: layout.Both},
		Doc:        "A question to decide: the options, what is recommended for each, and what was decided.",
	},
}

// role is the part that a kind plays. What the kinds of a role have in common follows from it.
type role uint8

const (
	claim     role = iota // says something that holds within limits
	figure                // a claim that is one value of a series, and shown with the others of the series
	fact                  // describes something that claims are about or rest on
	graphPart             // a node or an edge, which leaves the rest to the records that it points at
	event                 // tells what happened to another record
)

// required are the envelope members that the kinds of each role have to have.
var required = func() [event + 1][]string {
	every := []string{"id", "kind", "version"}
	facts := append(every[:3:3], "title", "summary", "source_links", "verification_date", "source_updates", "corrections", "published_date", "updated_date")
	claims := append(slices.Clip(facts), "claim_boundary")
	return [...][]string{claim: claims, figure: claims, fact: facts, graphPart: every, event: append(every[:3:3], "published_date")}
}()

// Kind is a row of the table.
type Kind struct {
	Name       string // the value of the member "kind"
	One, Many  string // what sentences call it
	Doc        string // what it is, in a sentence
	Prefix     string // how the IDs of the sample records begin; a habit, not a rule
	Collection layout.Route
	Single     layout.Route // empty where the kind has no file for each record
	New        func() Record

	role  role
	shape func() *schema.Shape // made on first use; see Shape
}

// HasNode reports whether each record of the kind is a node of the graph.
func (k *Kind) HasNode() bool { return k.role <= fact }

// CanEndEdge reports whether an edge of the graph may begin or end at a record of the kind.
func (k *Kind) CanEndEdge() bool { return k.HasNode() || k.Name == KindGraphNode }

// HasPage reports whether each record of the kind has a page. Statistics are shown by indicator;
// nodes, edges and events with the records that they are about.
func (k *Kind) HasPage() bool { return k.HasNode() && k.role != figure }

// HasSingle reports whether each record of the kind has a JSON file of its own.
func (k *Kind) HasSingle() bool { return k.Single.Path != "" }

// SinglePath returns the address of the JSON file of one record, or "" where the kind has none.
func (k *Kind) SinglePath(id string) string { return layout.FillSingle(k.Single.Path, id) }

// HistoryPath returns the form of the address of what records of the kind said before, with a
// member's name in braces; "" where they never change. Where a record has a file of its own, so has
// its history. Of the others there may be very many, which are revised together: their histories
// lie together, compressed, those of statistics by indicator.
func (k *Kind) HistoryPath() string {
	switch {
	case k.role == event:
		return ""
	case k.HasSingle():
		return "/" + layout.HistoryFolder + k.Folder() + "/{" + k.IDMember() + "}" + layout.HistorySingle
	case k.role == figure:
		return "/" + layout.HistoryFolder + k.Folder() + "/{indicator}" + layout.HistoryPack
	}
	return "/" + layout.HistoryFolder + k.Folder() + layout.HistoryPack
}

// PackPath returns the address of the file that has the histories of all records of the kind, where
// HistoryPath gives each record one of its own; else "".
func (k *Kind) PackPath() string {
	if !k.HasSingle() {
		return ""
	}
	return "/" + layout.HistoryFolder + k.Folder() + layout.HistoryPack
}

// JSONPath returns the address where a record is published: its own file, or else its collection.
func (k *Kind) JSONPath(id string) string {
	if k.HasSingle() {
		return k.SinglePath(id)
	}
	return k.Collection.Path
}

// Folder returns where a publisher keeps the records of this kind, below records/.
func (k *Kind) Folder() string {
	return strings.TrimSuffix(k.Collection.Path[strings.LastIndexByte(k.Collection.Path, '/')+1:], ".json")
}

// IDMember returns the kind's own name for the record ID ("signal_id"), or "" where it has none.
func (k *Kind) IDMember() string {
	_, name, _, _ := layout.CutSingle(k.Single.Path)
	return name
}

// Routes returns the kind's addresses: the collection's and, where there is one, the single
// record's.
func (k *Kind) Routes() []layout.Route {
	if k.Single.Path == "" {
		return []layout.Route{k.Collection}
	}
	return []layout.Route{k.Collection, k.Single}
}

// KindNamed returns a kind by its name, or nil.
func KindNamed(name string) *Kind { return kindWith(func(k *Kind) bool { return k.Name == name }) }

// KindInFolder returns the kind whose records are kept in a folder, or nil.
func KindInFolder(folder string) *Kind {
	return kindWith(func(k *Kind) bool { return k.Folder() == folder })
}

func kindWith(is func(*Kind) bool) *Kind {
	if i := slices.IndexFunc(Kinds, is); i >= 0 {
		return Kinds[i]
	}
	return nil
}

// Shape returns what a record of this kind looks like.
func (k *Kind) Shape() *schema.Shape { return k.shape() }

func init() {
	for _, k := range Kinds {
		k.shape = sync.OnceValue(func() *schema.Shape { return shapeOfKind(k) })
	}
}

// shapeOfKind reads a kind's shape off its Go type and makes the envelope members that its row
// names required.
func shapeOfKind(k *Kind) *schema.Shape {
	s := schema.ShapeOfType(reflect.TypeOf(k.New()).Elem())
	for i := range s.Members {
		m := &s.Members[i]
		m.Required = m.Required || slices.Contains(required[k.role], m.Name)
	}
	return s
}
