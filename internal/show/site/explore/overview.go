package explore

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the overview of the graph, which needs no scripts. It has a box for each kind, in
// layers, and arrows for the relations. Its size does not depend on the release.
var (
	overviewForm = markup.Parse(`
		<div class="overview">
			<section><h2>{=GraphKinds}</h2><div class="layers" tabindex="0" role="group" aria-label="{=GraphKinds}">{picture}</div></section>
			<section><h2>{=GraphRelations}</h2><ul class="tally">{byRelation}</ul></section>
		</div>`)
	layersForm = markup.Parse(`<svg viewBox="{box}"><defs>{arrows}</defs>{layers}{bonds}{boxes}</svg>`)
	arrowForm  = markup.Parse(`
		<marker id="end-{name}" class="relation-{name}" viewBox="0 0 8 8" refX="8" refY="4" orient="auto" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z"/></marker>`)
	layerNameForm    = markup.Parse(`<text class="layer" x="{x}" y="16">`)
	bondForm         = markup.Parse(`<path class="edge relation-{name}" marker-end="url(#end-{name})"`)
	bondPathForm     = markup.Parse(` stroke-width="{width}" d="M{x} {y}C{a} {b} {c} {d} {to} {at}"/>`)
	boxForm          = markup.Parse(`<a href="{address}" class="node {class}">{box}</a>`)
	boxPlaceForm     = markup.Parse(`<rect x="{x}" y="{y}" width="150" height="46" rx="4"/><rect class="band" x="{x}" y="{y}" width="6" height="46" rx="2"/><text x="{text}" y="{first}">`)
	boxCountForm     = markup.Parse(`</text><text class="quiet" x="{x}" y="{y}">`)
	sampleForm       = markup.Parse(`<svg class="sample" viewBox="0 0 34 10" aria-hidden="true"><path class="edge relation-{name}" d="M0 5H26"/><path class="relation-{name} tip" d="M25 1L34 5L25 9z"/></svg>`)
	overviewBondForm = markup.Parse(`<li>{sample} {relation} <span class="count">{count}</span> <span class="quiet">{between}</span></li>`)
)

// bond contains the number of edges with one relation between two kinds.
type bond struct {
	from, to int // indexes of kinds
	relation int
	count    int
}

// countBonds counts the edges between all records, by kinds and relation.
func (p *page) countBonds() (list []bond) {
	counts := map[bond]int{}
	for from, k := range record.Kinds {
		if !inOverview(k) {
			continue
		}
		for i := range p.Records.Len(k) {
			for l := range p.Records.Edges(k, i) {
				if !l.Out {
					continue
				}
				to := slices.Index(record.Kinds, p.Refer(l.ID).Kind)
				b := bond{from: from, to: to, relation: words.RelationOrder(l.Relation, true)}
				if b.to >= 0 && b.relation >= 0 && inOverview(record.Kinds[b.to]) {
					counts[b]++
				}
			}
		}
	}
	for b, count := range counts {
		b.count = count
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b bond) int {
		return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(b.count, a.count),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return list
}

// writeGraphOverview writes the kinds and relations of the graph with their counts.
func (p *page) writeGraphOverview() {
	bonds := p.countBonds()
	p.Fill(overviewForm, markup.By("picture", func() { p.drawLayers(bonds) }),
		markup.By("byRelation", func() { p.writeOverviewRelations(bonds) }))
}

// writeOverviewRelations writes each relation with the kinds that it joins.
func (p *page) writeOverviewRelations(bonds []bond) {
	for len(bonds) > 0 {
		end := slices.IndexFunc(bonds, func(b bond) bool { return b.relation != bonds[0].relation })
		if end < 0 {
			end = len(bonds)
		}
		relation := record.Relation(words.Relations[bonds[0].relation].Word)
		count := 0
		var between []string
		for _, b := range bonds[:end] {
			count += b.count
			between = append(between,
				p.Words.Plural(record.Kinds[b.from])+" "+p.Words.Arrow+" "+p.Words.Plural(record.Kinds[b.to]))
		}
		p.Fill(overviewBondForm, markup.By("sample", func() { p.Fill(sampleForm, markup.With("name", string(relation))) }),
			markup.With("relation", p.Words.Relation(relation, true)),
			markup.Number("count", count), markup.With("between", strings.Join(between, p.Words.Comma)))
		bonds = bonds[end:]
	}
}

// inOverview reports whether k has a box. Graph nodes have no box, because the records that they
// represent have one.
func inOverview(k *record.Kind) bool { return k.CanEndEdge() && k.Name != record.KindGraphNode }

// The measurements of the picture.
const (
	boxWidth, boxHeight = 150, 46
	boxAcross, boxDown  = 190, 96 // from one box to the next
	boxTop              = 92      // of the first box of a layer; arrows that cross layers are above it
)

// place is the position of a kind's box.
type place struct {
	x, y  float64
	layer int
}

// boxPositions returns the box position of each kind with records, the layers in columns, and the
// height of the picture.
func (p *page) boxPositions() (at map[int]place, columns []int, height float64) {
	at = map[int]place{}
	for layer := range p.Words.GraphLayers {
		rows := 0
		for i, k := range record.Kinds {
			if inOverview(k) && p.Records.Len(k) > 0 && layerOf(k) == layer {
				at[i] = place{float64(len(columns) * boxAcross), float64(boxTop + rows*boxDown), len(columns)}
				rows++
			}
		}
		if rows > 0 {
			columns = append(columns, layer)
			height = max(height, float64(boxTop+rows*boxDown))
		}
	}
	if settings.IsRightToLeft(p.Words.Tag) {
		slices.Reverse(columns)
		for i, box := range at {
			box.layer = len(columns) - 1 - box.layer
			at[i] = place{float64(box.layer * boxAcross), box.y, box.layer}
		}
	}
	return at, columns, height
}

// drawLayers draws the boxes of the kinds and an arrow for each of bonds. The thickness of an arrow
// grows by one for each digit of its number of edges.
func (p *page) drawLayers(bonds []bond) {
	at, columns, height := p.boxPositions()
	width := max(1, len(columns))*boxAcross - boxAcross + boxWidth
	p.Fill(layersForm, markup.With("box", "-2 0 "+strconv.Itoa(width+40)+" "+strconv.Itoa(int(height))),
		markup.Each("arrows", words.Relations, func(v schema.Value) { p.Fill(arrowForm, markup.With("name", v.Word)) }),
		markup.By("layers", func() {
			for i, layer := range columns {
				p.Draw(layerNameForm, float64(i*boxAcross))
				p.Text(p.Words.GraphLayers[layer])
				p.HTML("</text>")
			}
		}),
		markup.Each("bonds", bonds, func(b bond) {
			if b.from != b.to {
				p.Fill(bondForm, markup.With("name", words.Relations[b.relation].Word))
				p.drawBondPath(at[b.from], at[b.to], b)
			}
		}),
		markup.By("boxes", func() {
			for i, k := range record.Kinds {
				if box, ok := at[i]; ok {
					p.drawBox(k, box)
				}
			}
		}))
}

func (p *page) drawBox(k *record.Kind, at place) {
	p.Fill(boxForm, markup.With("address", layout.ListAddress(k.Folder(), 0)),
		markup.With("class", p.of.records.Plan(k).Class), markup.By("box", func() {
			p.Draw(boxPlaceForm, at.x, at.y, at.x, at.y, at.x+14, at.y+19)
			p.Text(p.Words.Name(k))
			p.Draw(boxCountForm, at.x+14, at.y+36)
			p.Int(int64(p.Records.Len(k)))
			p.HTML("</text>")
		}))
}

// drawBondPath draws the arrow of b between the boxes from and to: from side to side, above the
// boxes that it crosses, or around the boxes of the same layer. Each relation has its own height.
func (p *page) drawBondPath(from, to place, b bond) {
	shift := float64(b.relation%5-2) * 5
	y, end := from.y+boxHeight/2+shift, to.y+boxHeight/2+shift
	width := 0.6 + 0.6*float64(len(strconv.Itoa(b.count)))
	switch apart := to.layer - from.layer; {
	case apart == 0:
		x := from.x + boxWidth
		p.Draw(bondPathForm, width, x, y, x+28, y, x+28, end, x, end)
	default:
		x, at, out := from.x+boxWidth, to.x, 24.0
		if apart < 0 {
			x, at, out, apart = from.x, to.x+boxWidth, -out, -apart
		}
		above := min(y, end) - float64(apart-1)*24
		p.Draw(bondPathForm, width, x, y, x+out, above, at-out, above, at, end)
	}
}
