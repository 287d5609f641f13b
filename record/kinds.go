package record

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
)

// Kinds is the table of all kinds of record in their usual order, with their paths. Folders,
// schemas, collections, pages and documentation are derived from it. To add a kind, add a file with
// its Go type and the two methods for JSON, and a row here.
var Kinds = []*Kind{
	{
		Name: KindSignal, One: "signal", Many: "signals", Prefix: "sig-", role: claim, New: func() Record { return new(Signal) },
		Collection: layout.Route{Path: "/api/v1/signals.json", Listing: layout.Both}, Single: layout.Route{Path: "/api/v1/signals/{signal_id}.json", Listing: layout.Both},
		Doc: "Something observed that may matter: a change in an indicator, a report of an event, an early sign.",
	},
	{
		Name: KindEvidence, One: "evidence record", Many: "evidence", Prefix: "evd-", role: claim, New: func() Record { return new(Evidence) },
		Collection: layout.Route{Path: "/api/v1/evidence.json", Listing: layout.Both}, Single: layout.Route{Path: "/api/v1/evidence/{evidence_id}.json", Listing: layout.Both},
		Doc: "A finding of a study, a statistic or a guideline, with its certainty.",
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
		Doc:        "A change to a record between one release and the next.",
	},
	{
		Name: KindEntity, One: "entity", Many: "entities", Prefix: "ent-", role: fact, New: func() Record { return new(Entity) },
		Collection: layout.Route{Path: "/api/v2/entities.json", Listing: layout.Both},
		Doc:        "An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people.",
	},
	{
		Name: KindOpportunity, One: "opportunity", Many: "opportunities", Prefix: "opp-", role: claim, New: func() Record { return new(Opportunity) },
		Collection: layout.Route{Path: "/api/v2/opportunities.json", Listing: layout.Both},
		Doc:        "An unmet need that evidence shows, and that could be acted on.",
	},
	{
		Name: KindRecommendation, One: "recommendation", Many: "recommendations", Prefix: "rec-", role: claim,
		New:        func() Record { return new(Recommendation) },
		Collection: layout.Route{Path: "/api/v2/recommendations.json", Listing: layout.Both},
		Doc:        "Advice on what to do about an opportunity, with the strength of the advice.",
	},
	{
		Name: KindDecisionView, One: "decision view", Many: "decision views", Prefix: "dec-", role: claim, New: func() Record { return new(DecisionView) },
		Collection: layout.Route{Path: "/api/v2/decision-views.json", Listing: layout.Both},
		Doc:        "A question to decide: the options, what is recommended for each, and what was decided.",
	},
}

// role groups kinds that share properties.
type role uint8

const (
	claim     role = iota // makes a statement with limits
	figure                // a claim that is one value of a series, and shown with the others
	fact                  // describes something that claims are about or rest on
	graphPart             // a node or an edge, whose other data is in the records that it refers to
	event                 // describes a change to another record
)

// requiredOfRole lists the required envelope members of each role.
var requiredOfRole = func() [event + 1][]string {
	every := []string{"id", "kind", "version"}
	facts := append(every[:3:3], "title", "summary", "source_links", "verification_date", "source_updates", "corrections", "published_date", "updated_date")
	claims := append(slices.Clip(facts), "claim_boundary")
	return [...][]string{claim: claims, figure: claims, fact: facts, graphPart: every, event: append(every[:3:3], "published_date")}
}()

// Kind is a row of the table.
type Kind struct {
	Name       string // value of the member "kind"
	One, Many  string // names in sentences
	Doc        string // what it is, in a sentence
	Prefix     string // usual prefix of IDs in the sample; not a rule
	Collection layout.Route
	Single     layout.Route // empty if records of the kind have no file each
	New        func() Record

	role  role
	shape func() *schema.Shape // computed on first use; see Shape
}

// HasNode reports whether each record of the kind is a node of the graph.
func (k *Kind) HasNode() bool { return k.role <= fact }

// CanEndEdge reports whether an edge of the graph may begin or end at a record of the kind.
func (k *Kind) CanEndEdge() bool { return k.HasNode() || k.Name == KindGraphNode }

// HasPage reports whether each record of the kind has a page. Statistics are on the pages of their
// indicators; nodes, edges and events are on the pages of their records.
func (k *Kind) HasPage() bool { return k.HasNode() && k.role != figure }

// HasSingle reports whether each record of the kind has its own JSON file.
func (k *Kind) HasSingle() bool { return k.Single.Path != "" }

// SinglePath returns the path of a record's JSON file, or "" if the kind has none.
func (k *Kind) SinglePath(id string) string { return layout.FillSingle(k.Single.Path, id) }

// HistoryPath returns the pattern of the paths of earlier versions, with the name of a member in
// braces, or "" if records of the kind never change. Records with files of their own have one
// history each. Other records may be very numerous and are revised together, so their histories are
// in shared compressed files. Statistics have one such file per indicator.
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

// PackPath returns the path of the file with all histories of the kind, if each record also has its
// own history, otherwise "".
func (k *Kind) PackPath() string {
	if !k.HasSingle() {
		return ""
	}
	return "/" + layout.HistoryFolder + k.Folder() + layout.HistoryPack
}

// JSONPath returns the path where a record is published: its own file, or otherwise its collection.
func (k *Kind) JSONPath(id string) string {
	if k.HasSingle() {
		return k.SinglePath(id)
	}
	return k.Collection.Path
}

// Folder returns the folder for records of this kind, below records/.
func (k *Kind) Folder() string {
	return strings.TrimSuffix(k.Collection.Path[strings.LastIndexByte(k.Collection.Path, '/')+1:], ".json")
}

// IDMember returns the kind's own name for the record ID, such as "signal_id", or "".
func (k *Kind) IDMember() string {
	_, name, _, _ := layout.CutSingle(k.Single.Path)
	return name
}

// Routes returns the kind's paths: of the collection and, if any, of single records.
func (k *Kind) Routes() []layout.Route {
	if k.Single.Path == "" {
		return []layout.Route{k.Collection}
	}
	return []layout.Route{k.Collection, k.Single}
}

// KindNamed returns the kind called name, or nil.
func KindNamed(name string) *Kind { return findKind(func(k *Kind) bool { return k.Name == name }) }

// KindInFolder returns the kind whose records are in the given folder, or nil.
func KindInFolder(folder string) *Kind {
	return findKind(func(k *Kind) bool { return k.Folder() == folder })
}

func findKind(matches func(*Kind) bool) *Kind {
	if i := slices.IndexFunc(Kinds, matches); i >= 0 {
		return Kinds[i]
	}
	return nil
}

// Shape returns the shape of the kind's records.
func (k *Kind) Shape() *schema.Shape { return k.shape() }

func init() {
	for _, k := range Kinds {
		k.shape = sync.OnceValue(func() *schema.Shape { return shapeOfKind(k) })
	}
}

// shapeOfKind derives a kind's shape from its Go type, with the required envelope members of its
// role.
func shapeOfKind(k *Kind) *schema.Shape {
	s := schema.ShapeOfType(reflect.TypeOf(k.New()).Elem())
	for i := range s.Members {
		m := &s.Members[i]
		m.Required = m.Required || slices.Contains(requiredOfRole[k.role], m.Name)
	}
	return s
}
