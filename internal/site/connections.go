package site

import (
	"cmp"
	"slices"

	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
)

// perGroup is how many links of a relation a page shows. The graph page has the others.
const perGroup = 12

// group is the links of a record that read alike.
type group struct {
	relation record.Relation
	out      bool
	order    int // by the list of relations; what the record says itself comes first
	ids      []string
	count    int
}

// gather finds the links of record i of a kind, in groups. Of many that read alike, the first are
// kept and the rest is counted.
func (p *page) gather(k *record.Kind, i int) []group {
	list := p.groups[:0]
	for l := range p.e.Edges(k, i) {
		g := groupOf(list, l)
		if g == nil {
			list = slices.Grow(list, 1)[:len(list)+1] // one that a page before had keeps its room for IDs
			g = &list[len(list)-1]
			*g = group{relation: l.Relation, out: l.Out, order: relationOrder(l.Relation, l.Out), ids: g.ids[:0]}
		}
		g.count++
		if len(g.ids) < perGroup {
			g.ids = append(g.ids, l.ID)
		}
	}
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(a.order, b.order) })
	p.groups = list
	return list
}

// groupOf finds the group that a link belongs to, if there is one.
func groupOf(list []group, l render.Edge) *group {
	for i := range list {
		if g := &list[i]; g.relation == l.Relation && g.out == l.Out {
			return g
		}
	}
	return nil
}

func relationOrder(r record.Relation, out bool) int {
	i := slices.IndexFunc(relations, func(v record.Value) bool { return v.Word == string(r) })
	if !out {
		i += len(relations)
	}
	return i
}

var relations = record.ListOf[record.Relation]()

// connections writes what a record refers to and what refers to it: a picture, and the same in
// words.
func (p *page) connections(k *record.Kind, i int, e *record.Envelope) {
	p.HTML(`<section id="connections"><h2>`)
	p.Text(p.words.Connections)
	p.HTML("</h2>")
	list := p.gather(k, i)
	if len(list) == 0 {
		p.HTML(`<p class="quiet">`)
		p.Text(p.words.ConnectionsNone)
		p.HTML("</p></section>\n")
		return
	}
	p.neighbourhood(k, e, list)
	p.HTML(`<div class="groups">`)
	for i := range list {
		g := &list[i]
		p.HTML("<div><h3>")
		p.Text(p.words.relation(g.relation, g.out))
		p.HTML(` <span class="count">`)
		p.Int(int64(g.count))
		p.HTML("</span></h3><ul>")
		for _, id := range g.ids {
			p.HTML("<li>")
			p.link(id)
			p.standingBadge(p.standingOf(id))
			p.HTML("</li>")
		}
		p.HTML("</ul>")
		if more := g.count - len(g.ids); more > 0 {
			p.HTML(`<p class="quiet">`)
			p.Int(int64(more))
			p.HTML(" ")
			p.Text(p.words.AndMore)
			p.HTML("</p>")
		}
		p.HTML("</div>")
	}
	p.HTML("</div><p><a")
	p.Attr("href", "/"+layout.GraphFolder+"#"+string(e.ID))
	p.HTML(">")
	p.Text(p.words.ExploreGraph)
	p.HTML("</a></p></section>\n")
}
