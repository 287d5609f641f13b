package records

import (
	"fmt"
	"strings"

	"stele/internal/show/outcomes"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the sentences about outcomes and the pictures of 1,000 people below findings.
var (
	outcomesForm = markup.Parse(`<div class="outcomes">{list}</div><p class="quiet">{=SentenceMade}</p>`)
	outcomeForm  = markup.Parse(`<div class="outcome"><p>{sentence}</p>{pictures}</div>`)
	peopleForm   = markup.Parse(`
		<figure class="people"><svg viewBox="0 0 400 250" role="img"{label}>{dots}</svg>
			<figcaption>{of}<ul>{legend}</ul></figcaption></figure>`)
	legendForm = markup.Parse(`
		<li><svg viewBox="0 0 10 10" aria-hidden="true"><path class="{class}" d="M5 5h.01"/></svg> {text}</li>`)
)

// writeOutcomes writes the sentences and the pictures of the findings that have any.
func (p *page) writeOutcomes(list []finding) {
	written := func(f finding) bool { return p.sentencePattern(f.Evidence) != "" }
	var shown []finding
	for _, f := range list {
		if written(f) {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return
	}
	p.Fill(outcomesForm, markup.Each("list", shown, func(f finding) {
		p.Fill(outcomeForm, markup.By("sentence", func() { p.writeSentence(f.Evidence) }),
			markup.By("pictures", func() {
				if f.Effect == nil {
					return
				}
				for _, r := range f.Effect.Risks[:min(len(f.Effect.Risks), mostPictures)] {
					p.drawPeople(f.Effect, outcomes.Of(f.Effect, r))
				}
			}))
	}))
}

// mostPictures is the maximum number of assumed risks of one outcome that have pictures.
const mostPictures = 3

// sentencePattern returns the sentence of a finding with placeholders for intervention and outcome,
// or "" if certainty, size or question is missing.
func (p *page) sentencePattern(e *record.Evidence) string {
	x, c := e.Effect, e.Comparison
	if c == nil || c.Intervention == "" || c.Outcome == "" || e.EvidenceLabel == record.LabelNotRated {
		return ""
	}
	if e.EvidenceLabel == record.LabelVeryLow {
		return p.Words.Sentences[string(record.LabelVeryLow)]
	}
	if x == nil || x.Size == "" {
		return ""
	}
	key := string(e.EvidenceLabel) + "_" + string(x.Size)
	if x.Size == "trivial" {
		return p.Words.Sentences[key]
	}
	null := 1.0
	if code := x.Code(); code == record.MeasureRD || code == record.MeasureMD || code == record.MeasureSMD {
		null = 0
	}
	switch value := x.Value.Float(); {
	case value < null:
		return p.Words.Sentences[key+"_less"]
	case value > null:
		return p.Words.Sentences[key+"_more"]
	}
	return ""
}

func (p *page) writeSentence(e *record.Evidence) {
	before, rest, _ := strings.Cut(p.sentencePattern(e), "{x}")
	between, after, _ := strings.Cut(rest, "{outcome}")
	p.Text(before)
	if before == "" {
		p.WritePublisherText(words.Capital(e.Comparison.Intervention))
	} else {
		p.WritePublisherText(e.Comparison.Intervention)
	}
	p.Text(between)
	p.WritePublisherText(e.Comparison.Outcome)
	p.Text(after)
}

// drawPeople draws 1,000 people: those who have the outcome in any case, those who have it only
// without or only with the intervention, and the others. The groups differ in size and colour.
func (p *page) drawPeople(x *record.EffectSize, a outcomes.Absolute) {
	if a.Without == a.With {
		return
	}
	least, most := min(a.Without, a.With), max(a.Without, a.With)
	class, only := "spared", p.Words.PeopleSpared
	if a.With > a.Without {
		class, only = "harmed", p.Words.PeopleHarmed
	}
	of := words.Fill(p.Words.PeopleOf, "risk", p.perText(x, p.figureText(a.Assumed), a.Risk.Per))
	groups := []struct {
		class, text string
		from, to    int
	}{{"either", p.Words.PeopleEither, 0, least}, {class, only, least, most}, {"neither", p.Words.PeopleNeither, most, 1000}}
	p.Fill(peopleForm, markup.By("label", func() { p.Attr("aria-label", of) }),
		markup.By("dots", func() {
			for _, g := range groups {
				p.HTML("<path")
				p.Attr("class", g.class)
				p.Attr("d", dots(g.from, g.to))
				p.HTML("/>")
			}
		}),
		markup.By("of", func() {
			p.Text(of)
			if a.Label != "" {
				p.Text(" (")
				p.WritePublisherText(a.Label)
				p.Text(")")
			}
		}),
		markup.By("legend", func() {
			for _, g := range groups {
				n := p.Words.Int(int64(g.to - g.from))
				p.Fill(legendForm, markup.With("class", g.class), markup.With("text", words.Fill(g.text, "n", n)))
			}
		}))
}

// dots returns the SVG path of the dots from up to to, 40 in a row. It is a line through each row,
// which the style sheet dashes.
func dots(from, to int) string {
	var b strings.Builder
	for from < to {
		end := min(to, from-from%40+40)
		fmt.Fprintf(&b, "M%d %dh%d.01", from%40*10+5, from/40*10+5, (end-from-1)*10)
		from = end
	}
	return b.String()
}
