package records

import (
	"strconv"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/cards"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// carded lists the kinds whose records have a picture each. Records of other kinds share a picture.
var carded = map[string]bool{
	record.KindSignal: true, record.KindEvidence: true, record.KindProofClaim: true,
	record.KindRecommendation: true, record.KindDecisionView: true,
}

// hasCards reports whether the records of k have a picture each.
func (s *Section) hasCards(k *record.Kind) bool {
	return carded[k.Name] && s.Records.Len(k) <= frame.MostCards
}

// cardAddress returns the URL of a record's picture. It changes with the version and the standing,
// because networks cache pictures.
func (s *Section) cardAddress(k *record.Kind, e *record.Envelope, is standing.Standing) string {
	if !s.hasCards(k) {
		return frame.CardAddress("/" + k.Folder() + "/")
	}
	address := frame.CardAddress("/"+k.Folder()+"/"+string(e.ID)+"/") + "?v=" + strconv.FormatInt(e.Version, 10)
	if is > standing.Undecided {
		address += "-" + is.String()
	}
	return address
}

func (s *Section) writeCards(k *record.Kind) error {
	if !s.hasCards(k) {
		return nil
	}
	address := func(i int) string { return layout.Address(render.PagePath(k, s.Records.ID(k, i))) }
	return s.PutCards(s.Records.Len(k), address, func(p *page, i int) *cards.Card { return p.card(k, i) })
}

// card returns the content of the picture of record i of k.
func (p *page) card(k *record.Kind, i int) *cards.Card {
	rec := p.Read(k, i)
	c := p.Card(words.Capital(p.sort(k, rec)), lookup.Name(rec.Common()))
	c.Latin.Title, c.Latin.Kicker = string(rec.Common().ID), words.Capital(k.One)
	plan := p.of.plans[k]
	is := p.Records.Standing(k, i).Standing
	for i := range plan.Labels {
		f := &plan.Labels[i]
		if word := f.Word(rec); word != "" && statusLabels[f.Shape.Go] {
			c.Labels = append(c.Labels, cards.Label{Text: p.Words.Written(f.Shape, word), Tone: toneOf(word, is)})
		}
	}
	switch {
	case is == standing.Retracted:
		c.Grave = p.Words.Written(words.Standings, is.String())
	case is > standing.Undecided:
		c.Labels = append(c.Labels, cards.Label{Text: p.Words.Written(words.Standings, is.String()), Tone: cards.Doubt})
	}
	if is.IsLost() { // the figures are no longer valid
		return c
	}
	switch r := rec.(type) {
	case *record.Signal:
		p.of.figures.Card(p.Page, r.StatisticIDs, c)
	case *record.Evidence:
		addEffect(r.Effect, c)
	}
	return c
}

// toneOf returns the tone of the label word. It is plain if is says that the record is lost.
func toneOf(word string, is standing.Standing) cards.Tone {
	if is.IsLost() {
		return cards.Plain
	}
	return labelTones[word]
}

// labelTones contains the tones of labels, as in record.css.
var labelTones = map[string]cards.Tone{
	"high": cards.Strong, "moderate": cards.Fair, "low": cards.Plain, "very_low": cards.Plain,
	"adopt": cards.Good, "adopt_with_conditions": cards.Good, "for": cards.Good,
	"do_not_adopt": cards.Against, "against": cards.Against,
}

func addEffect(x *record.EffectSize, c *cards.Card) {
	if x == nil {
		return
	}
	c.Figure = string(x.Value)
	if x.Lower != "" && x.Upper != "" {
		c.Notes = append(c.Notes, string(x.Lower)+"–"+string(x.Upper))
	}
	c.Notes = append(c.Notes, x.Measure)
	lower, value, upper := x.Lower.Float(), x.Value.Float(), x.Upper.Float()
	if s, ok := newIntervalScale(value, lower, upper, isRatio(x.Measure)); ok {
		at := func(v float64) float64 { return (s.at(v) - 10) / 380 }
		c.Range = &cards.Range{Lower: at(lower), Value: at(value), Upper: at(upper), Null: at(s.null)}
	}
}
