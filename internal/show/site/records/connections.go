package records

import (
	"cmp"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the links from and to a record.
var (
	connectionsForm = markup.Parse(`
		<section id="connections" class="trace"><details><summary><h2>{=Connections} <span class="count">{count}</span></h2></summary>
			{picture}
			<div class="groups">{groups}</div>
			<p><a href="{graph}">{=ExploreGraph}</a></p>
		</details></section>`)
	linkGroupForm = markup.Parse(`
		<div><h3>{name} <span class="count">{count}</span></h3><ul>{links}</ul>{more}</div>`)
)

// perGroup is the maximum number of links of a group on a page. The graph page shows the others.
const perGroup = 12

// group contains the links of a record with the same relation and direction.
type group struct {
	relation record.Relation
	out      bool
	order    int // in the list of relations; relations that the record itself states come first
	ids      []string
	count    int
}

// gather returns the links of record i of k in groups. Each group contains its first links, and
// counts all of them.
func (p *page) gather(k *record.Kind, i int) []group {
	list := p.groups[:0]
	for l := range p.Records.Edges(k, i) {
		g := groupOf(list, l)
		if g == nil {
			list = slices.Grow(list, 1)[:len(list)+1] // reuses the IDs of a group of an earlier page
			g = &list[len(list)-1]
			*g = group{relation: l.Relation, out: l.Out, order: words.RelationOrder(l.Relation, l.Out), ids: g.ids[:0]}
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

// writeStandingLink writes a link to a record, and its standing if it is not valid as it is.
func (p *page) writeStandingLink(id string) {
	p.WriteLink(id)
	p.WriteStandingBadge(p.StandingOf(id))
}

// groupOf returns the group in list that l belongs to, or nil.
func groupOf(list []group, l standing.Neighbor) *group {
	for i := range list {
		if g := &list[i]; g.relation == l.Relation && g.out == l.Out {
			return g
		}
	}
	return nil
}

// writeConnections writes the links from and to a record as a picture and as lists.
func (p *page) writeConnections(k *record.Kind, i int, e *record.Envelope) {
	list := p.gather(k, i)
	if k.Name == record.KindEntity { // the records about it are listed above
		list = slices.DeleteFunc(list, func(g group) bool {
			return !g.out && (g.relation == record.RelationAbout || g.relation == record.RelationClaimedBy)
		})
	}
	if len(list) == 0 {
		return
	}
	count := 0
	for i := range list {
		count += list[i].count
	}
	p.Fill(connectionsForm, markup.Number("count", count),
		markup.When(k.Name != record.KindEntity, "picture", func() { p.drawNeighbourhood(k, e, list) }),
		markup.Each("groups", list, func(g group) {
			p.writeLinkGroup(p.Words.Relation(g.relation, g.out), g.count, g.ids, p.writeStandingLink)
		}),
		markup.With("graph", "/"+layout.GraphFolder+"#"+string(e.ID)))
}

// writeLinkGroup writes links to ids under the heading name. count is the number of all links.
func (p *page) writeLinkGroup(name string, count int, ids []string, link func(id string)) {
	p.Fill(linkGroupForm, markup.With("name", name), markup.Number("count", count),
		markup.Each("links", ids, func(id string) { p.WriteItem(func() { link(id) }) }),
		markup.By("more", func() { p.WriteAndMore(count - len(ids)) }))
}
