package compiler_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
)

func TestMain(m *testing.M) {
	checks := "50" // instead of 100, because each makes several releases
	if race.Enabled {
		checks = "15"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// sampleDate lies after every date in the sample.
const sampleDate = record.Date("2026-11-15")

// routes are the sixteen routes of the specification; {} stands for an ID.
var routes = map[string]string{
	"api/v1/signals.json": "signal", "api/v1/signals/{}.json": "signal",
	"api/v1/evidence.json": "evidence", "api/v1/evidence/{}.json": "evidence",
	"api/v1/proof.json": "proof_claim", "api/v1/proof/{}.json": "proof_claim",
	"api/v1/healthcare-statistics.json": "healthcare_statistic",
	"api/v1/graph-nodes.json":           "graph_node",
	"api/v1/graph-edges.json":           "graph_edge",
	"api/v1/changes.json":               "change_event",
	"api/v2/entities.json":              "entity",
	"api/v2/opportunities.json":         "opportunity",
	"api/v2/recommendations.json":       "recommendation",
	"api/v2/decision-views.json":        "decision_view",
	"data/v2/source-objects.json":       "source_object",
	"data/v2/public-references.json":    "public_reference",
}

func TestSampleHasAllRoutes(t *testing.T) {
	r := wholeSample()
	verify(t, r.Release)
	if len(routes) != 16 {
		t.Fatalf("%d routes", len(routes))
	}
	expected := map[string]bool{}
	newest := "" // in all records that have nodes
	for route, kind := range routes {
		if !strings.Contains(route, "{}") && kind != "graph_node" && kind != "graph_edge" && kind != "change_event" {
			newest = max(newest, read(t, r, route).AsOf)
		}
	}
	for route, kind := range routes {
		if strings.Contains(route, "{}") {
			continue
		}
		c := read(t, r, route)
		if c.Kind != kind || c.Count != len(c.Records) || c.Count == 0 {
			t.Errorf("%s holds %d of %s and says %d", route, len(c.Records), c.Kind, c.Count)
		}
		if c.License != "CC-BY-4.0" || !strings.Contains(c.Notice, "No availability, uptime, schema stability") {
			t.Errorf("%s has licence %q and notice %q", route, c.License, c.Notice)
		}
		if want := newestIn(t, c); c.AsOf != want && kind != "graph_node" || kind == "graph_node" && c.AsOf != newest {
			t.Errorf("%s has as_of %q, and the newest in it is %q", route, c.AsOf, want)
		}
		expected[route] = true
		if single := strings.TrimSuffix(route, ".json") + "/{}.json"; routes[single] != "" {
			for _, line := range c.Records {
				at := strings.Replace(single, "{}", idOf(t, line), 1)
				if !bytes.Equal(r.files[at], line) {
					t.Errorf("%s is not what the collection has", at)
				}
				expected[at] = true
			}
		}
	}
	for at := range r.files {
		if strings.HasPrefix(at, "api/") || strings.HasPrefix(at, "data/") {
			plain := at
			for _, e := range compress.Encodings {
				plain = strings.TrimSuffix(plain, e.Suffix)
			}
			if !expected[plain] {
				t.Errorf("%s is at none of the sixteen routes", at)
			}
		}
	}
}

// newestIn is the newest date in a collection.
func newestIn(t *testing.T, c collection) string {
	t.Helper()
	newest := ""
	for _, line := range c.Records {
		var e record.Envelope
		must.Do(t, json.Unmarshal(line, &e))
		newest = max(newest, string(e.UpdatedDate), string(e.PublishedDate))
	}
	return newest
}

func idOf(t tb, line []byte) string {
	t.Helper()
	var e struct{ ID string }
	if err := json.Unmarshal(line, &e); err != nil || e.ID == "" {
		t.Fatalf("%s: %v", line, err)
	}
	return e.ID
}

func TestEverythingPublishedIsValid(t *testing.T) {
	race.LeaveOut(t, "schemas are compared by one goroutine")
	before := makeRelease(t, starterFolder(t), compiler.Options{NoVariants: true})
	changed := revise(t, starterFolder(t), "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	for _, r := range []made{
		plainSample(),
		makeRelease(t, changed, compiler.Options{Previous: before.Release, NoVariants: true}),
	} {
		for _, k := range record.Kinds {
			schema := compile(t, k.Schema(schema.Published))
			for _, line := range read(t, r, k.Collection.Path[1:]).Records {
				v := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(line)))(t)
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("schema.json", doc))
	compiled := must.Get(c.Compile("schema.json"))(t)
	return compiled
}

// TestGraph compares the derived graph with one that is made from the published records, as a
// consumer would make it.
func TestGraph(t *testing.T) {
	race.LeaveOut(t, "the graph is made again by one goroutine")
	checkGraph(t, plainSample(), false)
	t.Run("every statistic", func(t *testing.T) {
		checkGraph(t, makeRelease(t, everyNode(t), compiler.Options{Date: sampleDate}), true)
	})
}

// namedIn are the words of all edges that are not those of statistics: what they lead to is in the
// graph.
func namedIn(t *testing.T, r made) map[string]bool {
	t.Helper()
	named := map[string]bool{}
	for _, k := range record.Kinds {
		if k.Name == "healthcare_statistic" || k.Name == "change_event" || k.Name == "graph_node" || k.Name == "graph_edge" {
			continue
		}
		for _, line := range read(t, r, k.Collection.Path[1:]).Records {
			for _, e := range edgesOf(k.Name, decoded(t, line)) {
				for _, word := range strings.Fields(e) {
					named[word] = true
				}
			}
		}
	}
	for _, kind := range []string{"graph-nodes", "graph-edges"} {
		wrote := len(read(t, r, "index/"+kind+".json").Records)
		for _, line := range read(t, r, "api/v1/"+kind+".json").Records[:wrote] {
			doc := decoded(t, line)
			for _, member := range []string{"record_id", "source", "target"} {
				named[fmt.Sprint(doc[member])] = true
			}
		}
	}
	return named
}

func decoded(t *testing.T, line []byte) (doc map[string]any) {
	t.Helper()
	must.Do(t, json.Unmarshal(line, &doc))
	return doc
}

func checkGraph(t *testing.T, r made, every bool) {
	t.Helper()
	verify(t, r.Release)
	wantNodes, wantEdges := map[string]string{}, map[string]string{}
	named, left := namedIn(t, r), 0
	for _, k := range record.Kinds {
		if k.Name == "graph_node" || k.Name == "graph_edge" || k.Name == "change_event" {
			continue
		}
		for _, line := range read(t, r, k.Collection.Path[1:]).Records {
			doc := decoded(t, line)
			id := doc["id"].(string)
			if k.Name == "healthcare_statistic" && !every && !named[id] {
				left++
				continue
			}
			wantNodes[id] = fmt.Sprint(doc["version"], id, k.Name, doc["title"])
			for _, e := range edgesOf(k.Name, doc) {
				wantEdges[e] = id
			}
		}
	}
	if statistics := len(read(t, r, "api/v1/healthcare-statistics.json").Records); (left == 0) != every || left == statistics {
		t.Fatalf("%d of %d statistics are not in the graph", left, statistics)
	}
	nodes := map[string]bool{}
	for i, line := range read(t, r, "api/v1/graph-nodes.json").Records {
		var n record.GraphNode
		must.Do(t, json.Unmarshal(line, &n))
		if nodes[string(n.ID)] {
			t.Errorf("node %s stands twice", n.ID)
		}
		nodes[string(n.ID)] = true
		if i < len(read(t, r, "index/graph-nodes.json").Records) {
			continue // the publisher wrote it
		}
		if got := fmt.Sprint(n.Version, n.RecordID, n.RecordKind, n.Label); got != wantNodes[string(n.ID)] {
			t.Errorf("node %s is %s, want %s", n.ID, got, wantNodes[string(n.ID)])
		}
		delete(wantNodes, string(n.ID))
	}
	if len(wantNodes) > 0 {
		t.Errorf("no nodes for %v", slices.Sorted(maps.Keys(wantNodes)))
	}
	checkEdges(t, r, nodes, wantEdges)
}

func checkEdges(t *testing.T, r made, nodes map[string]bool, want map[string]string) {
	t.Helper()
	ids := map[record.ID]bool{}
	authored := len(read(t, r, "index/graph-edges.json").Records)
	for i, line := range read(t, r, "api/v1/graph-edges.json").Records {
		var e record.GraphEdge
		must.Do(t, json.Unmarshal(line, &e))
		if ids[e.ID] {
			t.Errorf("edge %s stands twice", e.ID)
		}
		ids[e.ID] = true
		if !nodes[string(e.Source)] || !nodes[string(e.Target)] {
			t.Errorf("edge %s does not end at nodes", e.ID)
		}
		if i < authored {
			continue
		}
		key := fmt.Sprintf("%s %s %s", e.Source, e.Relation, e.Target)
		if by, ok := want[key]; !ok || by != string(e.AssertedBy) || !e.Directed || e.Version != 1 {
			t.Errorf("edge %s (asserted by %s) follows from nothing", key, e.AssertedBy)
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("no edges for %v", slices.Sorted(maps.Keys(want)))
	}
}

// edgesOf are the edges that a record's references stand for.
func edgesOf(kind string, doc map[string]any) []string {
	id := doc["id"].(string)
	var list []string
	to := func(relation string, targets ...any) {
		for _, target := range targets {
			if target != nil {
				list = append(list, fmt.Sprintf("%s %s %v", id, relation, target))
			}
		}
	}
	each := func(name string) []any {
		values, _ := doc[name].([]any)
		return values
	}
	for _, l := range each("source_links") {
		l := l.(map[string]any)
		relation := map[any]string{
			"primary": "derived_from", "secondary": "cites", "background": "cites", "superseded": "cites", "disputed": "disputes",
		}[l["role"]]
		if relation != "" {
			to(relation, l["source_id"])
		}
	}
	to("about", each("entity_ids")...)
	to("claimed_by", doc["claimant_id"])
	to("about", doc["indicator_id"])
	to("about", each("illustrates")...)
	if doc["ref_area_scheme"] == "entity" {
		to("about", doc["ref_area"])
	}
	to("cites", each("evidence_ids")...)
	to("cites", each("statistic_ids")...)
	to("cites", each("signal_ids")...)
	to("responds_to", each("opportunity_ids")...)
	if kind == "proof_claim" {
		for _, e := range each("evidence") {
			if e := e.(map[string]any); e["stance"] != "context" {
				list = append(list, fmt.Sprintf("%v %v %s", e["evidence_id"], e["stance"], id))
			}
		}
	}
	for _, o := range each("options") {
		to("recommends", o.(map[string]any)["recommendation_ids"].([]any)...)
	}
	return slices.DeleteFunc(
		list,
		func(e string) bool { return strings.HasPrefix(e, id+" ") && strings.HasSuffix(e, " "+id) },
	)
}

func TestEmptyKinds(t *testing.T) {
	folder := fstest.MapFS{"stele.yaml": starterFolder(t)["stele.yaml"]}
	r := makeRelease(t, folder, compiler.Options{})
	for route, kind := range routes {
		if strings.Contains(route, "{}") {
			continue
		}
		want := fmt.Sprintf("{\"kind\":%q,\"count\":0,\"license\":\"CC-BY-4.0\",\"notice\":\"These records are examples. No availability, uptime, schema stability or service level is promised.\",\"records\":[\n]}\n", kind)
		if got := string(r.files[route]); got != want {
			t.Errorf("%s is %q", route, got)
		}
	}
	if report, err := r.Release.Verify(t.Context(), nil); err != nil || len(report.Faults) > 0 {
		t.Errorf("verifying finds %v, %v", report.Faults, err)
	}
}

// TestVariants: where a variant is, it saves a packet and is its original, compressed; where none
// is, it would not.
func TestVariants(t *testing.T) {
	noise := make([]byte, 1485) // base64 of which does not fit into fewer packets than it takes
	rand.NewChaCha8([32]byte{}).Read(noise)
	text := "version: 1\nx_noise: " + base64.StdEncoding.EncodeToString(noise)
	noisy := edit(t, starterFolder(t), poster, "version: 1", text)                      // a collection
	noisy = edit(t, noisy, "records/signals/sig-example-rise.yaml", "version: 1", text) // a single record
	found, spared := 0, 0
	for _, r := range []made{
		wholeSample(),
		makeRelease(t, noisy, compiler.Options{}),
	} {
		verify(t, r.Release)
		for at, data := range r.files {
			if ext := path.Ext(at); ext != ".json" && ext != ".html" || at == layout.ManifestPath {
				continue
			}
			for _, e := range compress.Encodings {
				variant, ok := r.files[at+e.Suffix]
				var best bytes.Buffer
				must.Do(t, e.Encode(&best, bytes.NewReader(data), int64(len(data))))
				switch saves := compress.Saves(int64(len(data)), int64(best.Len())); {
				case ok != saves || ok && !bytes.Equal(variant, best.Bytes()):
					t.Errorf("%s%s is there: %v, with %d of %d bytes", at, e.Suffix, ok, best.Len(), len(data))
				case ok:
					found++
				case compress.Saves(int64(len(data)), 1):
					spared++
				}
			}
		}
	}
	if found == 0 || spared == 0 {
		t.Errorf("%d variants were found and %d would have saved nothing", found, spared)
	}
	without := plainSample()
	for at := range without.files {
		if isVariant(at) {
			t.Errorf("%s is there without variants", at)
		}
	}
	verify(t, without.Release)
}
