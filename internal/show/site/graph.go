package site

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/show/site/markup"
	"stele/internal/trust/standing"
	"stele/record"
)

// The page of the graph: an overview, and what explores it record by record where somebody asks for
// that.
var (
	graphForm = markup.Parse(`
		{heading}
		<p class="explore"><a class="button" href="#graph">{explore}</a></p>
		<div id="graph" data-search="graph.json" hidden></div>

		{overview}{words}`)
	graphMetaForm = markup.Parse(`
		<p class="meta">{nodes} {records}, {edges} {relations}{omitted}{files}</p>`)
	omittedForm   = markup.Parse(` · {count} {omitted}`)
	graphFileForm = markup.Parse(` · <a href="{address}">{many} (JSON)</a>`)
)

// What the graph page draws at most. A browser moves that smoothly; a reader could not make out
// more.
const (
	mostNodes = 8_000
	mostEdges = 32_000
)

// drawn is the part of the graph that the page draws.
type drawn struct {
	nodes   []drawnNode
	numbers map[string]int // of a node, by its ID
	edges   [][3]int       // from, to, relation
	omitted int            // nodes that are left out
}

type drawnNode struct {
	id     string
	kind   *record.Kind
	number int // among those of its kind
}

// writeGraph makes the page to explore the graph, and the file that it reads.
func (s *site) writeGraph() error {
	draw := sync.OnceValue(func() *drawn {
		g := s.chooseNodes()
		s.joinNodes(g)
		return g
	})
	err := s.out.Make(layout.SearchPath("graph"), func() ([]byte, error) { return s.graphFile(draw()), nil })
	if err != nil {
		return err
	}
	return s.put(layout.GraphPage, func(p *page) error { return p.graphPage(draw()) })
}

// chooseNodes takes all records, if they are not too many; else all but statistics, which are shown
// by indicator; and if these are still too many, the first of each kind, so that small kinds are
// whole.
func (s *site) chooseNodes() *drawn {
	var kinds []*record.Kind
	total := 0
	for _, k := range record.Kinds {
		if k.CanEndEdge() {
			kinds = append(kinds, k)
			total += s.e.Len(k)
		}
	}
	if total > mostNodes {
		kinds = slices.DeleteFunc(kinds, func(k *record.Kind) bool { return k.Name == record.KindHealthcareStatistic })
	}
	bySize := slices.Clone(kinds)
	slices.SortStableFunc(bySize, func(a, b *record.Kind) int { return cmp.Compare(s.e.Len(a), s.e.Len(b)) })
	share, left := map[*record.Kind]int{}, mostNodes
	for i, k := range bySize {
		share[k] = min(s.e.Len(k), left/(len(bySize)-i))
		left -= share[k]
	}
	g := &drawn{numbers: map[string]int{}}
	for _, k := range kinds {
		for i := range share[k] {
			id := s.e.ID(k, i)
			g.numbers[id] = len(g.nodes)
			g.nodes = append(g.nodes, drawnNode{id, k, i})
		}
	}
	g.omitted = total - len(g.nodes)
	return g
}

// joinNodes adds the edges between chosen nodes.
func (s *site) joinNodes(g *drawn) {
	for from, n := range g.nodes {
		for l := range s.e.Edges(n.kind, n.number) {
			to, ok := g.numbers[l.ID]
			relation := slices.IndexFunc(relations, func(v record.Value) bool { return v.Word == string(l.Relation) })
			if !l.Out || !ok || relation < 0 || len(g.edges) == mostEdges {
				continue
			}
			g.edges = append(g.edges, [3]int{from, to, relation})
		}
	}
}

// graphFile is what the page reads: kinds and relations with their words, nodes and edges by
// number.
func (s *site) graphFile(g *drawn) []byte {
	p := s.idle.Get().(*page)
	defer s.idle.Put(p)
	head := struct {
		Kinds     [][4]string `json:"kinds"` // name, words for many, class, words for one
		Relations [][3]string `json:"relations"`
		Standings [][2]string `json:"standings"`
		Lost      int         `json:"lost"` // the first standing of records that were lost
		Columns   struct {
			Nodes []string `json:"nodes"`
			Edges []string `json:"edges"`
		} `json:"columns"`
	}{Standings: standingWords(), Lost: int(standing.Unsupported)}
	head.Columns.Nodes = []string{"id", "kind", "title", "address", "standing"} // the standing only if it is not the best
	head.Columns.Edges = []string{"from", "to", "relation"}
	for _, k := range record.Kinds {
		head.Kinds = append(head.Kinds, [4]string{k.Name, k.Many, s.plans[k].class, k.One})
	}
	for _, v := range relations {
		r := record.Relation(v.Word)
		head.Relations = append(
			head.Relations,
			[3]string{v.Word, s.words.relation(r, true), s.words.relation(r, false)},
		)
	}
	data := encode(head)
	data = append(data[:len(data)-1], ",\n\"nodes\":["...)
	for _, n := range g.nodes {
		address := ""
		if !n.kind.HasPage() {
			address = p.address(n.id)
		}
		row := []any{n.id, slices.Index(record.Kinds, n.kind), p.refer(n.id).title}
		if address != "" {
			row = append(row, address)
		} else {
			row = append(row, "/"+n.kind.Folder()+"/"+n.id+"/")
		}
		if is := p.standingOf(n.id); is != standing.Stands {
			row = append(row, int(is))
		}
		data = append(append(append(data, '\n'), encode(row)...), ',')
	}
	data = append(bytes.TrimSuffix(data, []byte{','}), "\n],\n\"edges\":["...)
	for _, e := range g.edges {
		data = append(data, '[')
		for i, n := range e {
			if i > 0 {
				data = append(data, ',')
			}
			data = strconv.AppendInt(data, int64(n), 10)
		}
		data = append(data, "],"...)
	}
	return append(bytes.TrimSuffix(data, []byte{','}), "]}\n"...)
}

func (p *page) graphPage(g *drawn) error {
	p.begin(head{
		title: p.words.Graph, description: p.words.GraphText, section: layout.Address(layout.GraphPage),
		alternate: "/api/v1/graph-nodes.json", wide: true,
		scripts: []string{"graph.js"},
	})
	p.Fill(graphForm,
		markup.By("heading", func() {
			p.heading(p.words.Graph, p.words.GraphText, func() { p.graphMeta(g) })
		}),
		markup.With("explore", p.words.ExploreRecords),
		markup.By("overview", p.graphOverview),
		markup.By("words", p.scriptWords))
	p.end()
	return nil
}

// graphMeta says how much is drawn, and leads to all of it.
func (p *page) graphMeta(g *drawn) {
	p.Fill(graphMetaForm, markup.Number("nodes", len(g.nodes)), markup.With("records", p.words.RecordsN),
		markup.Number("edges", len(g.edges)), markup.With("relations", p.words.RelationsN),
		markup.By("omitted", func() {
			if g.omitted > 0 {
				p.Fill(omittedForm, markup.Number("count", g.omitted), markup.With("omitted", p.words.Omitted))
			}
		}),
		markup.By("files", func() {
			for _, name := range []string{record.KindGraphNode, record.KindGraphEdge} {
				k := record.KindNamed(name)
				p.Fill(graphFileForm, markup.With("address", k.Collection.Path), markup.With("many", k.Many))
			}
		}))
}
