package check_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/specimen"
)

// edge is an edge between two records.
func edge(id, from, relation, to string, members ...string) entry {
	return r("graph_edge", id, fmt.Sprintf(`{"source":%q,"relation":%q,"target":%q%s}`, from, relation, to, strings.Join(members, "")))
}

const undirected = `,"directed":false`

func TestEdgesThatStandTwice(t *testing.T) {
	claim := func(stance string) entry {
		return r("proof_claim", "clm-a", fmt.Sprintf(`{"evidence":[{"evidence_id":"evd-base","stance":%q}]}`, stance))
	}
	expectRules(t, []rule{
		{"to itself", []entry{edge("e", "evd-base", "cites", "evd-base")}, []string{"GRA02 e /target"}},
		{"the same", []entry{edge("e", "evd-base", "qualifies", "opp-base"), edge("f", "evd-base", "qualifies", "opp-base")}, []string{"GRA02 f"}},
		{"another relation", []entry{edge("e", "evd-base", "qualifies", "opp-base"), edge("f", "evd-base", "disputes", "opp-base")}, nil},
		{"the other way", []entry{edge("e", "evd-base", "qualifies", "opp-base"), edge("f", "opp-base", "qualifies", "evd-base")}, nil},
		{"the other way, undirected", []entry{edge("e", "evd-base", "qualifies", "opp-base", undirected), edge("f", "opp-base", "qualifies", "evd-base", undirected)}, []string{"GRA02 f"}},
		{"the other way, the first undirected", []entry{edge("e", "opp-base", "qualifies", "evd-base", undirected), edge("f", "evd-base", "qualifies", "opp-base")}, []string{"GRA02 f"}},
		{"the other way, the second undirected", []entry{edge("e", "opp-base", "qualifies", "evd-base"), edge("f", "evd-base", "qualifies", "opp-base", undirected)}, []string{"GRA02 f"}},

		{"follows from a reference", []entry{edge("e", "opp-base", "cites", "evd-base")}, []string{"GRA02 e"}},
		{"follows from a reference, other way", []entry{edge("e", "evd-base", "cites", "opp-base")}, nil},
		{"follows from a reference, other way, undirected", []entry{edge("e", "evd-base", "cites", "opp-base", undirected)}, []string{"GRA02 e"}},
		{"follows from a reference, undirected", []entry{edge("e", "opp-base", "cites", "evd-base", undirected)}, []string{"GRA02 e"}},
		{"evidence supports a claim", []entry{claim("supports"), edge("e", "evd-base", "supports", "clm-a")}, []string{"GRA02 e"}},
		{"a claim does not support evidence", []entry{claim("supports"), edge("e", "clm-a", "supports", "evd-base")}, nil},
		{"evidence disputes a claim", []entry{claim("disputes"), edge("e", "evd-base", "disputes", "clm-a")}, []string{"GRA02 e"}},
		{"evidence qualifies a claim", []entry{claim("qualifies"), edge("e", "evd-base", "qualifies", "clm-a")}, []string{"GRA02 e"}},
		{"evidence of another stance", []entry{claim("context"), edge("e", "evd-base", "supports", "clm-a")}, nil},
		{"derived from a source", []entry{r("source_object", "src-a", ""), resting(""), edge("e", "evd-a", "derived_from", "src-a")}, []string{"GRA02 e"}},
		{"see_also is no relation", []entry{r("evidence", "evd-a", `{"see_also":["opp-base"]}`), edge("e", "evd-a", "cites", "opp-base")}, nil},
	})
}

func TestCircles(t *testing.T) {
	nodes := []entry{r("entity", "a", ""), r("entity", "b", ""), r("entity", "c", "")}
	with := func(edges ...entry) []entry { return append(nodes[:3:3], edges...) }
	rests := func(id, on string) entry {
		return r("source_object", id, fmt.Sprintf(`{"source_links":[{"url":"https://example.org/","role":"primary","source_id":%q}]}`, on))
	}
	expectRules(t, []rule{
		{"of two", with(edge("e", "a", "part_of", "b"), edge("f", "b", "part_of", "a")), []string{"GRA03 e"}},
		{"of three", with(edge("e", "a", "replaces", "b"), edge("f", "b", "replaces", "c"), edge("g", "c", "replaces", "a")), []string{"GRA03 e"}},
		{"chain", with(edge("e", "a", "part_of", "b"), edge("f", "b", "part_of", "c")), nil},
		{"two ways to one place", with(edge("e", "a", "part_of", "b"), edge("f", "b", "part_of", "c"), edge("g", "a", "part_of", "c")), nil},
		{"of different relations", with(edge("e", "a", "part_of", "b"), edge("f", "b", "replaces", "a")), nil},
		{"of a relation that may", with(edge("e", "a", "cites", "b"), edge("f", "b", "cites", "a")), nil},
		{
			"two circles",
			with(
				edge("e", "a", "part_of", "b"),
				edge("f", "b", "part_of", "a"),
				edge("g", "a", "replaces", "c"),
				edge("h", "c", "replaces", "a"),
			),
			[]string{"GRA03 e", "GRA03 g"},
		},
		{
			"sources that rest on one another",
			[]entry{rests("src-a", "src-b"), rests("src-b", "src-a")},
			[]string{"GRA03 src-a"},
		},
		{"sources in a chain", []entry{rests("src-a", "src-b"), r("source_object", "src-b", "")}, nil},
		{"a source that names itself", []entry{rests("src-a", "src-a")}, nil},
	})
	result, err := specimen.Check(in(with(edge("e", "a", "part_of", "b"), edge("f", "b", "part_of", "a"))...), compiler.Options{})
	if err != nil || len(result.Problems) != 1 || result.Problems[0].Message != "part_of forms a circle: a → b → a" {
		t.Errorf("%+v, %v", result, err)
	}
}

// chain is a folder of n entities, each a part of the next.
func chain(n int, closed bool) fstest.MapFS {
	var entities, edges strings.Builder
	entities.WriteString("id\n")
	edges.WriteString("id,source,target\n")
	for i := range n {
		fmt.Fprintf(&entities, "ent-%d\n", i)
		if i+1 < n {
			fmt.Fprintf(&edges, "edg-%d,ent-%d,ent-%d\n", i, i, i+1)
		}
	}
	if closed {
		fmt.Fprintf(&edges, "edg-last,ent-%d,ent-0\n", n-1)
	}
	return fstest.MapFS{
		"stele.yaml": {Data: []byte(settings)},
		"records/entities/_defaults.yaml": {Data: []byte("version: 1\ntitle: T\nsummary: S\nsource_links: [{url: https://example.org/, role: primary}]\nverification_date: 2026-01-01\n" +
			"source_updates: []\ncorrections: []\npublished_date: 2026-01-01\nupdated_date: 2026-01-01\nentity_type: place\nname: N\n")},
		"records/entities/a.csv":             {Data: []byte(entities.String())},
		"records/graph-edges/_defaults.yaml": {Data: []byte("version: 1\nrelation: part_of\ndirected: true\nasserted_by: ent-0\n")},
		"records/graph-edges/a.csv":          {Data: []byte(edges.String())},
	}
}

func TestLongChain(t *testing.T) {
	long, n := 100_001, 20_000
	if testing.Short() {
		long, n = 10_001, 2_000
	}
	if got := run(t, chain(long, false)); len(got) > 0 {
		t.Errorf("%d problems, such as %s", len(got), got[0])
	}
	result, err := specimen.Check(chain(n, true), compiler.Options{Date: "2026-02-01"})
	if err != nil || len(result.Problems) != 1 || result.Problems[0].Code != "GRA03" ||
		len(result.Problems[0].Message) > 200 ||
		result.Records != 2*n {
		t.Errorf("%d problems, %v", len(result.Problems), err)
	}
}
