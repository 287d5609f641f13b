package explore

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the graph page, which contains an overview and, on demand, an explorer of records.
var (
	graphForm = markup.Parse(`
		{heading}
		<div class="explore"><p><a class="button" href="#graph">{=ExploreRecords}</a></p>{?begin}<ul class="tally">{begin}</ul>{/}</div>
		<div id="graph" data-search="graph.json" hidden></div>
		{overview}{words}`)
	graphMetaForm = markup.Parse(`
		<p class="meta">{records}{=Comma}{relations}{?omitted} · {omitted}{/}{files}</p>`)
	graphBeginForm = markup.Parse(`<li><a href="{address}"{lang}>{title}</a></li>`)
	graphFileForm  = markup.Parse(` · <a href="{address}">{many} (JSON)</a>`)
)

// The limits on the data that the explorer reads. It draws a few hundred nodes at a time.
const (
	mostNodes = 8_000
	mostEdges = 32_000

	mostBegins = 6 // claims that the page names
)

// The layers of the picture. Records rest on records in earlier layers.
const (
	layerSources = iota
	layerEvidence
	layerClaims
	layerAdvice
	layerDecisions
	layerSubjects
)

// layers contains the layer of each kind. Other kinds are subjects.
var layers = map[string]int{
	record.KindSourceObject: layerSources, record.KindPublicReference: layerSources,
	record.KindEvidence: layerEvidence, record.KindHealthcareStatistic: layerEvidence,
	record.KindProofClaim: layerClaims, record.KindSignal: layerClaims,
	record.KindOpportunity: layerAdvice, record.KindRecommendation: layerAdvice,
	record.KindDecisionView: layerDecisions,
}

func layerOf(k *record.Kind) int {
	if layer, ok := layers[k.Name]; ok {
		return layer
	}
	return layerSubjects
}

// drawn is the part of the graph that the explorer reads.
type drawn struct {
	nodes   []drawnNode
	of      map[*record.Kind][]int32 // by index of a record: its node, counted from 1
	edges   [][3]int                 // from, to, relation
	records int                      // number of records that nodes represent
	joins   int                      // number of relations between them
	omitted int                      // number of omitted records
}

// drawnNode is a record, or all statistics of an indicator.
type drawnNode struct {
	id        string
	kind      *record.Kind
	indicator *lookup.Indicator
}

// WriteGraph writes the graph page and the file that the explorer reads.
func (s *Section) WriteGraph() error {
	draw := sync.OnceValues(func() (g *drawn, err error) {
		err = s.With(func(p *page) { g = p.chooseNodes() })
		s.joinNodes(g)
		return g, err
	})
	drawn := func(p *page) *drawn {
		g, err := draw()
		p.Fail(err)
		return g
	}
	return errors.Join(
		s.File(layout.SearchPath("graph"), func(p *page) []byte { return p.encodeGraph(drawn(p)) }),
		s.Put(layout.GraphPage, func(p *page) { p.writeGraphPage(drawn(p)) }))
}

// chooseNodes chooses all records, and one node for the statistics of each indicator. If these are
// too many, it chooses the first records of each kind, so that small kinds are complete.
func (p *page) chooseNodes() *drawn {
	g := &drawn{of: map[*record.Kind][]int32{}}
	var kinds []*record.Kind
	for _, k := range record.Kinds {
		switch {
		case k.Name == record.KindHealthcareStatistic:
			p.of.addIndicatorNodes(g, k)
		case k.Name != record.KindGraphNode && k.CanEndEdge():
			kinds = append(kinds, k)
		}
	}
	bySize := slices.Clone(kinds)
	slices.SortStableFunc(bySize, func(a, b *record.Kind) int {
		return cmp.Compare(p.Records.Len(a), p.Records.Len(b))
	})
	share, left := map[*record.Kind]int{}, max(0, mostNodes-len(g.nodes))
	for i, k := range bySize {
		share[k] = min(p.Records.Len(k), left/(len(bySize)-i))
		left -= share[k]
	}
	bundles := map[string]int32{}
	for n := range g.nodes {
		bundles[g.nodes[n].id] = int32(n + 1)
	}
	for _, k := range kinds {
		g.of[k] = make([]int32, p.Records.Len(k))
		for i := range share[k] {
			id := p.Records.ID(k, i)
			if n := bundles[id]; n > 0 { // it describes an indicator
				g.of[k][i] = n
				continue
			}
			g.nodes = append(g.nodes, drawnNode{id: id, kind: k})
			g.of[k][i] = int32(len(g.nodes))
		}
		g.records += share[k]
		g.omitted += p.Records.Len(k) - share[k]
	}
	p.mergeNodes(g)
	return g
}

// mergeNodes merges the nodes that the publisher wrote with their records.
func (p *page) mergeNodes(g *drawn) {
	k := record.KindNamed(record.KindGraphNode)
	g.of[k] = make([]int32, p.Records.Len(k))
	for i := range g.of[k] {
		node := p.Read(k, i).(*record.GraphNode)
		if of, n, ok := p.Records.Find(string(node.RecordID)); ok && len(g.of[of]) > 0 {
			g.of[k][i] = g.of[of][n]
		}
	}
}

func (s *Section) addIndicatorNodes(g *drawn, k *record.Kind) {
	g.of[k] = make([]int32, s.Records.Len(k))
	for n, x := range s.Indicators {
		if n == mostNodes/2 {
			g.omitted += len(x.Records)
			continue
		}
		g.nodes = append(g.nodes, drawnNode{id: graphID(x), kind: k, indicator: x})
		for _, i := range x.Records {
			g.of[k][i] = int32(len(g.nodes))
		}
		g.records += len(x.Records)
	}
}

// graphID returns the node ID of an indicator's statistics: the ID of the entity that describes the
// indicator, or an ID that no record has.
func graphID(x *lookup.Indicator) string {
	if x.Entity != nil {
		return string(x.Entity.ID)
	}
	return "statistics:" + x.Name
}

// graphNodeOf returns the URL of the graph page at the record with the given ID.
func graphNodeOf(l *lookup.Reader, id record.ID) string {
	name := string(id)
	switch k, i, ok := l.Records.Find(name); {
	case ok && k.Name == record.KindHealthcareStatistic:
		if x := l.IndicatorOf(k, i); x != nil {
			name = graphID(x)
		}
	case ok && k.Name == record.KindGraphNode:
		if node := lookup.Find[*record.GraphNode](l, id); node != nil {
			return graphNodeOf(l, node.RecordID)
		}
	}
	return "/" + layout.GraphFolder + "#" + name
}

// joinNodes adds the edges between chosen nodes, without duplicates.
func (s *Section) joinNodes(g *drawn) {
	seen := map[[3]int]bool{}
	for _, k := range record.Kinds {
		for i, from := range g.of[k] {
			if from == 0 {
				continue
			}
			for l := range s.Records.Edges(k, i) {
				other, n, ok := s.Records.Find(l.ID)
				relation := words.RelationOrder(l.Relation, true)
				if !l.Out || !ok || relation < 0 || len(g.of[other]) == 0 || g.of[other][n] == 0 {
					continue
				}
				g.joins++
				edge := [3]int{int(from) - 1, int(g.of[other][n]) - 1, relation}
				if edge[0] != edge[1] && !seen[edge] && len(g.edges) < mostEdges {
					seen[edge] = true
					g.edges = append(g.edges, edge)
				}
			}
		}
	}
}

// graphHead describes the file for the explorer: kinds, layers and relations with their names.
type graphHead struct {
	Kinds     [][5]string `json:"kinds"` // name, plural, class, singular, index of the layer
	Layers    []string    `json:"layers"`
	Relations [][3]string `json:"relations"`
	Standings [][2]string `json:"standings"`
	Lost      int         `json:"lost"` // index of the first standing of lost records
	Columns   struct {
		Nodes []string `json:"nodes"`
		Edges []string `json:"edges"`
	} `json:"columns"`
}

func (s *Section) graphHead() graphHead {
	head := graphHead{Layers: s.Words.GraphLayers, Standings: s.Words.StandingWords(), Lost: int(standing.Unsupported)}
	// the standing is omitted if it is the best
	head.Columns.Nodes = []string{"id", "kind", "title", "address", "standing"}
	head.Columns.Edges = []string{"from", "to", "relation"}
	for _, k := range record.Kinds {
		row := [5]string{
			k.Name, s.Words.Name(k), s.records.Plan(k).Class, s.Words.Singular(k), strconv.Itoa(layerOf(k)),
		}
		head.Kinds = append(head.Kinds, row)
	}
	for _, v := range words.Relations {
		r := record.Relation(v.Word)
		row := [3]string{v.Word, s.Words.Relation(r, true), s.Words.Relation(r, false)}
		head.Relations = append(head.Relations, row)
	}
	return head
}

// encodeGraph returns the file of the explorer: nodes, and edges by node index.
func (p *page) encodeGraph(g *drawn) []byte {
	data := markup.Encode(p.of.graphHead())
	data = append(data[:len(data)-1], ",\n\"nodes\":["...)
	for _, n := range g.nodes {
		data = append(append(append(data, '\n'), markup.Encode(p.graphRow(n))...), ',')
	}
	data = append(bytes.TrimSuffix(data, []byte{','}), "\n],\n\"edges\":["...)
	for _, e := range g.edges {
		data = append(append(data, markup.Encode(e)...), ',')
	}
	return append(bytes.TrimSuffix(data, []byte{','}), "]}\n"...)
}

// graphRow returns the cells of n in the order of the columns.
func (p *page) graphRow(n drawnNode) []any {
	kind := slices.Index(record.Kinds, n.kind)
	if x := n.indicator; x != nil {
		return []any{n.id, kind, x.Title + " (" + p.Words.Int(int64(len(x.Records))) + ")", x.Address()}
	}
	row := []any{n.id, kind, p.Refer(n.id).Title, p.Address(n.id)}
	if is := p.StandingOf(n.id); is != standing.Stands {
		row = append(row, int(is))
	}
	return row
}

func (p *page) writeGraphPage(g *drawn) {
	p.Open(frame.Head{
		Title: p.Words.Graph, Description: p.Words.GraphText, Section: layout.Address(layout.GraphPage),
		Alternate: "/api/v1/graph-nodes.json", Wide: true, Scripts: []string{"graph.js"},
	})
	claims := record.KindNamed(record.KindProofClaim)
	begins := min(p.Records.Len(claims), mostBegins)
	p.Fill(graphForm,
		markup.By("heading", func() {
			p.WriteHeading(p.Words.Graph, p.Words.GraphText, func() { p.writeGraphMeta(g) })
		}),
		markup.When(begins > 0, "begin", func() {
			for i := range begins {
				id := p.Records.ID(claims, i)
				p.Fill(graphBeginForm, markup.With("address", "#"+id), markup.With("title", p.Refer(id).Title))
			}
		}), markup.By("overview", p.writeGraphOverview), markup.By("words", p.WriteScriptWords))
	p.Close()
}

// writeGraphMeta writes the numbers of records and relations drawn, with links to all data.
func (p *page) writeGraphMeta(g *drawn) {
	omitted := ""
	if g.omitted > 0 {
		omitted = p.Words.Counted(p.Words.Omitted, g.omitted)
	}
	p.Fill(graphMetaForm, markup.With("records", p.Words.Counted(p.Words.CountedRecords, g.records)),
		markup.With("relations", p.Words.Counted(p.Words.CountedRelations, g.joins)),
		markup.With("omitted", omitted),
		markup.Each("files", []string{record.KindGraphNode, record.KindGraphEdge}, func(name string) {
			k := record.KindNamed(name)
			p.Fill(graphFileForm, markup.With("address", k.Collection.Path), markup.With("many", p.Words.Plural(k)))
		}))
}
