package records

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of parts of the page of a decision.
var (
	optionsForm = markup.Parse(`
		<section id="options"><h2>{=Options}</h2>
			<table class="criteria">
				<thead><tr><td></td>{options}</tr></thead>
				<tbody>
				{rows}
				</tbody>
			</table>{more}{weakest}
		</section>`)
	optionForm     = markup.Parse(`<th scope="col"><span{lang}>{label}</span>{?verdict}<span class="{class}">{=Chosen} {verdictLabel}</span>{/}</th>`)
	criterionForm  = markup.Parse(`<tr><th scope="row">{name}</th>{cells}</tr>`)
	optionCellForm = markup.Parse(`<td data-column="{option}">{value}</td>`)
	answerForm     = markup.Parse(`<td colspan="{columns}"{lang}>{answer}</td>`)
	adviceForm     = markup.Parse(`<div{?lost} class="withdrawn"{/}><p><span class="card-title">{title}</span>{standing}</p><p{lang}>{action}</p><p>{direction} {strength}</p></div>`)
	evidenceOfForm = markup.Parse(`<ul>{evidence}</ul>`)
)

// writeDecision writes a table of the options, the chosen option first, with their recommendations,
// the evidence for the recommendations, and the considerations.
func (p *page) writeDecision(rec record.Record) {
	d := rec.(*record.DecisionView)
	options := slices.Clone(d.Options[:min(len(d.Options), frame.Shown)])
	slices.SortStableFunc(options, func(a, b record.Option) int {
		return cmp.Compare(notChosen(d, &a), notChosen(d, &b))
	})
	advice := make([][]*record.Recommendation, len(options))
	for i := range options {
		for _, id := range options[i].RecommendationIDs[:min(len(options[i].RecommendationIDs), frame.Shown)] {
			if r := lookup.Find[*record.Recommendation](p.Reader, id); r != nil {
				advice[i] = append(advice[i], r)
			}
		}
	}
	p.Fill(optionsForm, markup.Each("options", options, func(o record.Option) { p.writeOption(d, &o) }),
		markup.By("rows", func() {
			if len(options) > 0 && notChosen(d, &options[0]) == 0 {
				options[0].Label += " (" + p.Words.Chosen + ")"
			}
			p.writeCriterion(p.Words.OptionAdvice, options, func(i int) { p.writeAdvice(advice[i]) })
			p.writeCriterion(p.Words.OptionEvidence, options, func(i int) { p.writeAdviceEvidence(advice[i]) })
			p.writeConsiderations(d.Considerations, len(options))
		}),
		markup.By("more", func() { p.WriteAndMore(len(d.Options) - len(options)) }),
		markup.By("weakest", func() {
			if len(options) > 0 && notChosen(d, &options[0]) == 0 {
				advice = advice[:1]
			}
			p.writeWeakestOutcome(slices.Concat(advice...))
		}))
}

// notChosen returns 0 if o is the chosen option, and 1 otherwise.
func notChosen(d *record.DecisionView, o *record.Option) int {
	if o.OptionID == d.ChosenOptionID {
		return 0
	}
	return 1
}

func (p *page) writeOption(d *record.DecisionView, o *record.Option) {
	class := "verdict"
	if p.StandingOf(string(d.ID)).IsLost() {
		class += " " + withdrawn
	}
	p.Fill(optionForm, markup.With("label", o.Label), markup.ShowIf("verdict", notChosen(d, o) == 0),
		markup.With("class", class),
		markup.By("verdictLabel", func() { p.WriteBadge(words.DecisionLabels, string(d.DecisionLabel)) }))
}

// writeCriterion writes a row called name. cell writes the cell of option i.
func (p *page) writeCriterion(name string, options []record.Option, cell func(i int)) {
	p.Fill(criterionForm, markup.With("name", name), markup.By("cells", func() {
		for i := range options {
			p.Fill(optionCellForm, markup.With("option", options[i].Label), markup.By("value", func() { cell(i) }))
		}
	}))
}

// writeAdvice writes recommendations with direction and strength, and whether each is still valid.
func (p *page) writeAdvice(list []*record.Recommendation) {
	if len(list) == 0 {
		p.WriteSecondaryText(p.Words.OptionNone)
	}
	for _, r := range list {
		is := p.StandingOf(string(r.ID))
		p.Fill(adviceForm, markup.ShowIf("lost", is.IsLost()), markup.By("title", func() { p.WriteLink(string(r.ID)) }),
			markup.By("standing", func() {
				p.WriteStandingBadge(is)
				if is.IsLost() {
					p.HTML(" ")
					p.WriteSecondaryText(p.Words.EvidenceWithdrawn)
				}
			}), markup.With("action", r.Action),
			markup.By("direction", func() { p.WriteBadge(words.Directions, string(r.Direction)) }),
			markup.By("strength", func() { p.WriteBadge(words.Strengths, string(r.Strength)) }))
	}
}

// writeAdviceEvidence lists the evidence of valid recommendations, without duplicates, with its
// certainty.
func (p *page) writeAdviceEvidence(list []*record.Recommendation) {
	var ids []record.ID
	for _, r := range list {
		if p.StandingOf(string(r.ID)).IsLost() {
			continue
		}
		for _, id := range r.EvidenceIDs[:min(len(r.EvidenceIDs), frame.Shown)] {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		p.Text("–")
		return
	}
	p.Fill(evidenceOfForm, markup.Each("evidence", ids, func(id record.ID) {
		p.WriteItem(func() {
			p.WriteLink(string(id))
			if d := p.Detail(string(id)); d.Label != "" {
				p.HTML(" ")
				p.WriteBadge(d.List, d.Label)
			}
			p.WriteStandingBadge(p.StandingOf(string(id)))
		})
	}))
}

// writeConsiderations writes the questions of c with their answers, which apply to all options.
func (p *page) writeConsiderations(c *record.Considerations, columns int) {
	if c == nil {
		return
	}
	v := reflect.ValueOf(c).Elem()
	for _, m := range considered.Members {
		if answer := m.Field(v).String(); answer != "" {
			p.Fill(criterionForm, markup.With("name", p.Words.Question(&m)), markup.By("cells", func() {
				p.Fill(answerForm, markup.With("columns", strconv.Itoa(columns)), markup.With("answer", answer))
			}))
		}
	}
}

var considered = schema.ShapeOf[record.Considerations]()
