package site

import (
	"reflect"

	"stele/record"
)

// decision sets the options side by side, each with the recommendations that speak to it and the
// evidence behind those.
func (p *page) decision(rec record.Record) error {
	d := rec.(*record.DecisionView)
	p.HTML(`<section id="options"><h2>`)
	p.Text(p.words.Options)
	p.HTML(`</h2><div class="options">`)
	for i := range d.Options[:min(len(d.Options), shown)] {
		o := &d.Options[i]
		chosen := o.OptionID == d.ChosenOptionID
		if chosen {
			p.HTML(`<section class="option chosen"><h3>`)
		} else {
			p.HTML(`<section class="option"><h3>`)
		}
		p.Text(o.Label)
		p.HTML("</h3>")
		if chosen {
			p.HTML(`<p class="verdict">`)
			p.Text(p.words.Chosen)
			p.HTML(" ")
			p.badge(decisionLabels, string(d.DecisionLabel))
			p.HTML("</p>")
		}
		if len(o.RecommendationIDs) == 0 {
			p.HTML(`<p class="quiet">`)
			p.Text(p.words.OptionNone)
			p.HTML("</p>")
		}
		for _, id := range o.RecommendationIDs[:min(len(o.RecommendationIDs), shown)] {
			if err := p.recommendationCard(id); err != nil {
				return err
			}
		}
		p.HTML("</section>")
	}
	p.HTML("</div></section>\n")
	p.considerations(d.Considerations)
	return nil
}

// recommendationCard shows a recommendation and what it rests on.
func (p *page) recommendationCard(id record.ID) error {
	r, err := find[*record.Recommendation](p, id)
	if err != nil || r == nil {
		return err
	}
	p.HTML(`<div class="card"><p class="card-title">`)
	p.link(string(id))
	p.HTML("</p><p>")
	p.Text(r.Action)
	p.HTML("</p><p>")
	p.badge(directions, string(r.Direction))
	p.HTML(" ")
	p.badge(strengths, string(r.Strength))
	p.HTML(`</p><p class="rests">`)
	p.Text(p.words.RestsOn)
	p.HTML("</p><ul>")
	for _, id := range r.EvidenceIDs[:min(len(r.EvidenceIDs), shown)] {
		e, err := find[*record.Evidence](p, id)
		if err != nil {
			return err
		}
		p.HTML("<li>")
		p.link(string(id))
		if e != nil {
			p.HTML(" ")
			p.badge(evidenceLabels, string(e.EvidenceLabel))
		}
		p.HTML("</li>")
	}
	p.HTML("</ul></div>")
	return nil
}

// considerations writes the questions from evidence to decision with their answers. The questions
// are those of the shape.
func (p *page) considerations(c *record.Considerations) {
	if c == nil {
		return
	}
	p.HTML(`<section id="considerations"><h2>`)
	p.Text(p.words.Considerations)
	p.HTML(`</h2><dl class="considerations">`)
	v := reflect.ValueOf(c).Elem()
	for _, m := range considered.Members {
		if answer := memberValue(v, m.Name).String(); answer != "" {
			p.HTML("<div>")
			p.fact(m.Doc, answer)
			p.HTML("</div>")
		}
	}
	p.HTML("</dl></section>\n")
}

var considered = record.ShapeOf[record.Considerations]()
