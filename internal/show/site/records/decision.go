package records

import (
	"errors"
	"reflect"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// What the page of a decision has of its own.
var (
	optionsForm = markup.Parse(`<section id="options"><h2>{head}</h2><div class="options">{options}</div></section>

		`)
	optionCardForm = markup.Parse(`<section class="{class}"><h3{lang}>{label}</h3>{verdict}{cards}</section>`)
	verdictForm    = markup.Parse(`<p class="verdict">{chosen} {label}</p>`)
	adviceForm     = markup.Parse(`
		<div class="card">
			<p class="card-title">{title}</p>
			<p{lang}>{action}</p>
			<p>{direction} {strength}</p>
			<p class="rests">{rests}</p>
			<ul>{evidence}</ul>
		</div>`)
	adviceEvidenceForm = markup.Parse(`<li>{title}{label}</li>`)
	considerationsForm = markup.Parse(`
		<section id="considerations"><h2>{head}</h2><dl class="considerations">{list}</dl></section>

		`)
	considerationForm = markup.Parse(`<div>{entry}</div>`)
)

// decision sets the options side by side, each with the recommendations that speak to it and the
// evidence behind those.
func (p *page) decision(rec record.Record) error {
	d := rec.(*record.DecisionView)
	var failed error
	p.Fill(optionsForm, markup.With("head", p.Words.Options), markup.By("options", func() {
		for i := range d.Options[:min(len(d.Options), frame.Shown)] {
			failed = errors.Join(failed, p.option(d, &d.Options[i]))
		}
	}))
	p.considerations(d.Considerations)
	return failed
}

func (p *page) option(d *record.DecisionView, o *record.Option) (failed error) {
	class, chosen := "option", o.OptionID == d.ChosenOptionID
	if chosen {
		class = "option chosen"
	}
	p.Fill(optionCardForm, markup.With("class", class), markup.By("lang", p.Lang), markup.With("label", o.Label),
		markup.By("verdict", func() {
			if chosen {
				p.Fill(verdictForm, markup.With("chosen", p.Words.Chosen),
					markup.By("label", func() { p.Badge(words.DecisionLabels, string(d.DecisionLabel)) }))
			}
		}),
		markup.By("cards", func() {
			if len(o.RecommendationIDs) == 0 {
				p.Quiet(p.Words.OptionNone)
			}
			for _, id := range o.RecommendationIDs[:min(len(o.RecommendationIDs), frame.Shown)] {
				failed = errors.Join(failed, p.recommendationCard(id))
			}
		}))
	return failed
}

// recommendationCard shows a recommendation and what it rests on.
func (p *page) recommendationCard(id record.ID) error {
	r, err := lookup.Find[*record.Recommendation](p.Reader, id)
	if err != nil || r == nil {
		return err
	}
	var failed error
	p.Fill(adviceForm, markup.By("title", func() { p.Link(string(id)) }), markup.By("lang", p.Lang),
		markup.With("action", r.Action),
		markup.By("direction", func() { p.Badge(words.Directions, string(r.Direction)) }),
		markup.By("strength", func() { p.Badge(words.Strengths, string(r.Strength)) }),
		markup.With("rests", p.Words.RestsOn),
		markup.By("evidence", func() {
			for _, id := range r.EvidenceIDs[:min(len(r.EvidenceIDs), frame.Shown)] {
				e, err := lookup.Find[*record.Evidence](p.Reader, id)
				failed = errors.Join(failed, err)
				p.Fill(adviceEvidenceForm, markup.By("title", func() { p.Link(string(id)) }),
					markup.By("label", func() {
						if e != nil {
							p.HTML(" ")
							p.Badge(words.EvidenceLabels, string(e.EvidenceLabel))
						}
					}))
			}
		}))
	return failed
}

// considerations writes the questions from evidence to decision with their answers. The questions
// are those of the shape.
func (p *page) considerations(c *record.Considerations) {
	if c == nil {
		return
	}
	v := reflect.ValueOf(c).Elem()
	p.Fill(considerationsForm, markup.With("head", p.Words.Considerations), markup.By("list", func() {
		for _, m := range considered.Members {
			if answer := memberValue(v, m.Name).String(); answer != "" {
				p.Fill(considerationForm, markup.By("entry", func() { p.Fact(m.Doc, answer) }))
			}
		}
	}))
}

var considered = record.ShapeOf[record.Considerations]()
