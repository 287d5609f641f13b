package records

import (
	"maps"
	"slices"
	"strings"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of records that the page of another record shows, each with its main text.
var (
	relatedForm = markup.Parse(`
		<section class="related"><h2>{head} <span class="count">{count}</span></h2><div class="cards">{cards}</div>{more}</section>`)
	recordCardForm = markup.Parse(`
		<div{?lost} class="card withdrawn"{/}{?valid} class="card"{/}>
			<p class="card-title">{title}</p>
			<p{lang}>{text}</p>
			<p>{standing}{labels}</p>
		</div>`)
)

// writeRelated writes the records that rec, a recommendation, opportunity or public reference,
// names, and the records that answer rec.
func (p *page) writeRelated(rec record.Record) {
	k, i, _ := p.Records.Find(string(rec.Common().ID))
	for _, f := range p.of.plans[k].related {
		ids, _ := f.of(rec).Interface().([]record.ID)
		p.writeRelatedCards(f.Title, strings.Join(f.Ref.Kinds, " "), ids)
	}
	answers := map[record.Relation]string{
		record.RelationRespondsTo: record.KindRecommendation, record.RelationRecommends: record.KindDecisionView,
	}
	for _, relation := range slices.Sorted(maps.Keys(answers)) {
		var ids []record.ID
		for l := range p.Records.Edges(k, i) {
			if !l.Out && l.Relation == relation {
				ids = append(ids, record.ID(l.ID))
			}
		}
		p.writeRelatedCards("", answers[relation], ids)
	}
}

// writeRelatedCards writes the records with the given IDs under the name of kind or, if it is "",
// head.
func (p *page) writeRelatedCards(head, kind string, ids []record.ID) {
	if k := record.KindNamed(kind); k != nil {
		head = p.Words.Name(k)
	}
	if len(ids) > 0 {
		p.Fill(relatedForm, markup.With("head", head), markup.Number("count", len(ids)),
			markup.Each("cards", ids[:min(len(ids), frame.Shown)], p.writeRecordCard),
			markup.By("more", func() { p.WriteAndMore(len(ids) - frame.Shown) }))
	}
}

// writeRecordCard writes the title, main text and labels of a record, and its standing if that is a
// problem.
func (p *page) writeRecordCard(id record.ID) {
	k, i, ok := p.Records.Find(string(id))
	if !ok {
		return
	}
	rec, plan := p.Read(k, i), p.of.plans[k]
	text, is := rec.Common().Summary, p.Records.Standing(k, i).Standing
	if plan.Statement != nil {
		text = plan.Statement.Word(rec)
	}
	p.Fill(recordCardForm, markup.ShowIf("lost", is.IsLost()), markup.ShowIf("valid", !is.IsLost()),
		markup.By("title", func() { p.WriteLink(string(id)) }), markup.With("text", text),
		markup.By("standing", func() {
			if is != standing.Stands {
				p.WriteBadge(words.Standings, is.String())
				p.HTML(" ")
			}
		}),
		markup.By("labels", func() {
			for _, certainty := range []bool{true, false} {
				for j := range plan.Labels {
					f := &plan.Labels[j]
					if word := f.Word(rec); word != "" && statusLabels[f.Shape.Go] == certainty {
						p.WriteBadge(f.Shape, word)
						p.HTML(" ")
					}
				}
			}
		}))
}
