package site

import (
	"cmp"
	"slices"

	"stele/internal/edition"
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

// groups gathers the links of a record. Of many that read alike, the first are kept and the rest is counted.
func groups(e edition.Edition, id string) []group {
	var list []group
	for l := range e.Links(id) {
		i := slices.IndexFunc(list, func(g group) bool { return g.relation == l.Relation && g.out == l.Out })
		if i < 0 {
			i = len(list)
			list = append(list, group{relation: l.Relation, out: l.Out, order: relationOrder(l.Relation, l.Out)})
		}
		list[i].count++
		if len(list[i].ids) < perGroup {
			list[i].ids = append(list[i].ids, l.ID)
		}
	}
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(a.order, b.order) })
	return list
}

func relationOrder(r record.Relation, out bool) int {
	list := relations
	i := slices.IndexFunc(list, func(v record.Value) bool { return v.Word == string(r) })
	if !out {
		i += len(list)
	}
	return i
}

var relations = record.ListOf[record.Relation]()

// connections writes what a record refers to and what refers to it: a picture, and the same in words.
func (p *page) connections(k *record.Kind, e *record.Envelope) {
	p.HTML(`<section id="connections"><h2>`)
	p.Text(p.words.Connections)
	p.HTML("</h2>")
	list := groups(p.e, string(e.ID))
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
	p.Attr("href", "/graph/#"+string(e.ID))
	p.HTML(">")
	p.Text(p.words.ExploreGraph)
	p.HTML("</a></p></section>\n")
}
