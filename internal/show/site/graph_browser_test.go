package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/schema"
	"stele/record"
)

// drawn counts what the picture of the graph has.
func drawn(what string) string {
	return `document.querySelectorAll("#graph .stage .` + what + `").length`
}

// box is the box of a record in the picture, by its title.
func box(title string) string {
	return `//*[local-name()="g" and *[local-name()="title" and .="` + title + `"]]`
}

// TestGraph: a record is searched for, its neighbours are added by a click on it in the picture,
// kinds and relations are filtered, and the address names the record.
func TestGraph(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/graph/#clm-one-dose-protects")
	b.ready("#graph")
	before := eval[int](b, drawn("node"))
	if before < 3 || before > 30 {
		t.Fatalf("around the claim %d records are drawn", before)
	}
	// A click on a neighbour chooses it; another click adds its neighbours.
	b.click(box("One dose of MMR vaccine and measles"))
	b.wait(`location.hash === "#evd-mmr-one-dose"`)
	if got := eval[string](b, `[...document.querySelectorAll(".detail h2, .detail h2 + p")].map((e) => e.textContent).join(", ")`); got != "One dose of MMR vaccine and measles, evidence record" {
		t.Errorf("chosen is %q", got)
	}
	b.click(`.expand`)
	b.wait(drawn("node") + fmt.Sprintf(` > %d`, before))

	b.enter(`#graph input[type=search]`, "samoa coverage")
	b.wait(`document.querySelectorAll(".hits li").length > 0`)
	b.click(`.hits button`)
	b.wait(`document.querySelector(".detail h2").textContent.includes("Samoa")`)

	b.click(`//div[@class="tools"]/button[.="All records"]`)
	b.wait(drawn("node") + ` > 100`)
	whole, edges := eval[int](b, drawn("node")), eval[int](b, drawn("edge"))
	b.click(`#graph input[value=entity]`)
	b.wait(drawn("node") + fmt.Sprintf(` < %d`, whole-20))
	b.click(`#graph input[value=derived_from]`)
	b.wait(drawn("edge") + fmt.Sprintf(` < %d`, edges-20))

	b.click(`//div[@class="tools"]/a[.="Overview"]`)
	b.wait(`document.getElementById("graph").hidden && !document.querySelector(".overview").hidden`)
}

// TestGraphLayers: sources stand left of evidence, evidence left of claims, and the statistics
// of an indicator are one box. What supports a claim looks different from what disputes it, and
// says so.
func TestGraphLayers(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/graph/#clm-mmr-and-autism")
	b.ready("#graph")
	at := func(title string) float64 {
		return eval[float64](b, `Number([...document.querySelectorAll(".stage .node")].find((g) => g.querySelector("title").textContent === "`+title+`").querySelector("rect").getAttribute("x"))`)
	}
	source, evidence, claim := at("Vaccines for measles, mumps, rubella, and varicella in children"), at("MMR vaccine and autism in cohort studies"), at("MMR vaccine and autism are not linked")
	if source >= evidence || evidence >= claim {
		t.Errorf("the source is at %v, the evidence at %v, the claim at %v", source, evidence, claim)
	}
	said := eval[[]string](b, `[...document.querySelectorAll(".stage .said")].map((e) => e.textContent)`)
	if !slices.Contains(said, "supports") || !slices.Contains(said, "disputes") {
		t.Errorf("the lines say %q", said)
	}
	const looks = `((c) => { const s = getComputedStyle(document.querySelector(".stage .edge.relation-" + c)); return s.stroke + " " + s.strokeDasharray; })`
	if supports, disputes := eval[string](b, looks+`("supports")`), eval[string](b, looks+`("disputes")`); supports == disputes {
		t.Errorf("what supports and what disputes are both %s", supports)
	}
	b.visit("/graph/#ent-ind-mcv1")
	b.ready("#graph")
	if got := eval[string](b, `document.querySelector(".detail h2").textContent`); !strings.HasPrefix(got, "Coverage with a first dose of measles vaccine (") {
		t.Errorf("the statistics of an indicator are %q", got)
	}
}

// TestLargeGraph: of 5,000 records and 20,000 relations a few hundred are drawn, with the one that
// is chosen, and what is next to it.
func TestLargeGraph(t *testing.T) {
	files := copyOf(t)
	files["search/graph.json"] = largeGraph(5_000, 20_000)
	b := open(t, serveFiles(t, filesOf(files)))
	b.visit("/graph/#graph")
	b.ready("#graph")
	if got := eval[int](b, drawn("chosen")); got != 1 || eval[int](b, drawn("node")) > 200 {
		t.Errorf("at first %d records are chosen, of %d", got, eval[int](b, drawn("node")))
	}
	b.click(`//button[.="All records"]`)
	if got := eval[int](b, drawn("node")); got != 300 {
		t.Errorf("%d records are drawn", got)
	}
	eval[bool](b, `(location.hash = "#n-4321", true)`)
	b.wait(`document.querySelector(".detail h2")?.textContent === "Record number 4321"`)
	b.click(`//button[.="Show only this and what is connected"]`)
	b.wait(drawn("node") + ` < 100 && ` + drawn("chosen") + ` === 1`)
	b.click(`//button[.="All records"]`)
	b.wait(drawn("node") + ` === 300 && ` + drawn("chosen") + ` === 1`)
}

// largeGraph is what the graph page reads, made up.
func largeGraph(nodes, edges int) []byte {
	var kinds, relations, list, joined []string
	for _, k := range record.Kinds {
		kinds = append(kinds, fmt.Sprintf(`[%q,%q,%q,%q,"%d"]`, k.Name, k.Many, "kind-"+k.Name, k.One, len(kinds)%6))
	}
	for _, v := range schema.ListOf[record.Relation]() {
		relations = append(relations, fmt.Sprintf("[%q,%q,%q]", v.Word, v.Word, v.Word))
	}
	for i := range nodes {
		list = append(list, fmt.Sprintf(`["n-%[1]d",%[2]d,"Record number %[1]d","/signals/n-%[1]d/"]`, i, i%6))
	}
	for i := range edges {
		joined = append(joined, fmt.Sprintf("[%d,%d,%d]", i%nodes, (i*i*7+i/nodes*31+1)%nodes, i%len(relations)))
	}
	return fmt.Appendf(
		nil,
		`{"columns":{"nodes":["id","kind","title","address","standing"],"edges":["from","to","relation"]},"layers":["a","b","c","d","e","f"],"standings":[],"lost":9,"kinds":[%s],"relations":[%s],"nodes":[%s],"edges":[%s]}`,
		strings.Join(kinds, ","),
		strings.Join(relations, ","),
		strings.Join(list, ","),
		strings.Join(joined, ","),
	)
}
