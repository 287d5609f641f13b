package explore

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The graph in one look, for those who run no scripts too: kinds one below the other, and an arc
// between any two whose records are joined. It is small whatever the size of the release.
var (
	overviewForm = markup.Parse(`
		<div class="columns2 overview">
			<section><h2>{kinds}</h2><div class="arcs"><ul class="tally">{byKind}</ul>{picture}</div></section>
			<section><h2>{relations}</h2><ul class="tally">{byRelation}</ul></section>
		</div>

		`)
	overviewKindForm = markup.Parse(`<li><a href="{address}">{kind}</a> <span class="count">{count}</span><i class="{class}"></i></li>`)
	loopForm         = markup.Parse(` stroke-width="{width}" d="M0 {y}a7 4 0 1 1 14 0a7 4 0 1 1 -14 0"/>`)
	arcDownForm      = markup.Parse(` stroke-width="{width}" d="M0 {y}A{rx} {ry} 0 0 1 0 {to}"/>`)
	arcUpForm        = markup.Parse(` stroke-width="{width}" d="M0 {y}A{rx} {ry} 0 0 0 0 {to}"/>`)
	overviewBondForm = markup.Parse(`<li>{relation} <span class="count">{count}</span> <span class="quiet">{between}</span></li>`)
)

// bond is which kinds a relation joins, and how often.
type bond struct {
	from, to int // numbers of kinds
	relation int
	count    int
}

// bonds counts the edges between all records, by what they join.
func (p *page) bonds() (list []bond) {
	counts := map[bond]int{}
	for from, k := range record.Kinds {
		if !k.CanEndEdge() {
			continue
		}
		for i := range p.Records.Len(k) {
			for l := range p.Records.Edges(k, i) {
				if !l.Out {
					continue
				}
				to := slices.Index(record.Kinds, p.Refer(l.ID).Kind)
				b := bond{from: from, to: to, relation: words.RelationOrder(l.Relation, true)}
				if b.to >= 0 && b.relation >= 0 {
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

// graphOverview writes the kinds and relations of the graph, with how many there are of each.
func (p *page) graphOverview() {
	var kinds []int
	for i, k := range record.Kinds {
		if k.CanEndEdge() && p.Records.Len(k) > 0 {
			kinds = append(kinds, i)
		}
	}
	bonds := p.bonds()
	p.Fill(overviewForm, markup.With("kinds", p.Words.GraphKinds), markup.With("relations", p.Words.GraphRelations),
		markup.By("byKind", func() {
			for _, i := range kinds {
				k := record.Kinds[i]
				p.Fill(overviewKindForm, markup.With("address", layout.ListAddress(k.Folder(), 0)), markup.With("kind",
					p.Words.Name(k)),
					markup.Number("count", p.Records.Len(k)), markup.With("class", p.of.records.Plan(k).Class))
			}
		}),
		markup.By("picture", func() { p.arcs(kinds, bonds) }),
		markup.By("byRelation", func() { p.overviewRelations(bonds) }))
}

// overviewRelations writes each relation with the kinds that it joins.
func (p *page) overviewRelations(bonds []bond) {
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
			between = append(between, p.Words.Plural(record.Kinds[b.from])+" → "+p.Words.Plural(record.Kinds[b.to]))
		}
		p.Fill(overviewBondForm, markup.With("relation", p.Words.Relation(relation, true)),
			markup.Number("count", count), markup.With("between", strings.Join(between, ", ")))
		bonds = bonds[end:]
	}
}

// The picture beside the list of kinds: a row of the list is so high, and the arcs reach so far.
const (
	arcRow   = 20
	arcReach = 92
)

// arcs draws what the list of relations says in words. The more edges an arc stands for, the
// thicker it is: by one for each digit of their number.
func (p *page) arcs(kinds []int, bonds []bond) {
	counts := map[[2]int]int{}
	for _, b := range bonds {
		from, to := slices.Index(kinds, b.from), slices.Index(kinds, b.to)
		counts[[2]int{from, to}] += b.count
	}
	p.HTML(`<svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 `)
	p.Float(float64(len(kinds) * arcRow))
	p.HTML(`">`)
	for from := range kinds {
		for to := range kinds {
			if count := counts[[2]int{from, to}]; count > 0 {
				p.arc(from, to, len(kinds), count, p.of.records.Plan(record.Kinds[kinds[from]]).Class)
			}
		}
	}
	p.HTML("</svg>")
}

// arc draws the arc from one row to another, or a loop where they are the same.
func (p *page) arc(from, to, rows, count int, class string) {
	p.HTML("<path")
	p.Attr("class", class)
	width, y := float64(digits(count)), float64(from*arcRow+arcRow/2)
	if from == to {
		p.Draw(loopForm, width, y)
		return
	}
	form, apart := arcUpForm, from-to
	if from < to {
		form, apart = arcDownForm, to-from
	}
	p.Draw(form, width, y, float64(16+apart*(arcReach-16)/rows), float64(apart*arcRow/2), float64(to*arcRow+arcRow/2))
}

// digits is how many digits a number has.
func digits(n int) (count int) {
	for ; n > 0; n /= 10 {
		count++
	}
	return count
}
