package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/cards"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/record"
)

// cardAddress returns the URL of the picture of x.
func (s *Section) cardAddress(x *lookup.Indicator) string {
	if len(s.Indicators) > frame.MostCards {
		return frame.CardAddress("/" + record.KindNamed(record.KindHealthcareStatistic).Folder() + "/")
	}
	return frame.CardAddress(x.Address())
}

// writeCards writes the pictures of indicators: the latest value and its chart.
func (s *Section) writeCards(list []*lookup.Indicator) error {
	if len(s.Indicators) > frame.MostCards {
		return nil
	}
	return s.PutCards(len(list), func(i int) string { return list[i].Address() }, func(p *page, i int) *cards.Card {
		line := p.spark(list[i])
		c := p.Card(p.Words.Indicator, line.name)
		c.Latin.Title = list[i].Code
		p.fillCard(c, line.stated)
		return c
	})
}

// Card adds the series of the first statistics in ids to a picture, with its latest value.
func (s *Section) Card(to *frame.Page, ids []record.ID, c *cards.Card) {
	p := &page{to, s}
	list := p.citedIndicators(ids)
	if len(list) == 0 || len(list[0].whole) == 0 {
		return
	}
	cited := p.readSeries(list[0].cited)
	for _, of := range p.readSeries(list[0].whole) {
		if of.key == cited[0].key {
			if o := cited[0].trend().latest; o != nil {
				p.fillCard(c, p.newStated(of, o, of.name()))
			}
		}
	}
}

// LeadCard adds the indicator of the start page to a picture.
func (s *Section) LeadCard(to *frame.Page, c *cards.Card) {
	p := &page{to, s}
	if x := s.leadIndicator(); x != nil {
		line := p.spark(x)
		p.fillCard(c, line.stated)
		c.Notes = append([]string{line.name}, c.Notes...)
	}
}

// fillCard adds v to a picture as a number, with its series as a line.
func (p *page) fillCard(c *cards.Card, v *stated) {
	if v == nil || v.code {
		return
	}
	c.Figure, c.Notes = v.value, []string{v.unit, v.where}
	if o := v.latest; o != nil { // with digits that the fonts have
		english := words.English()
		bound := &record.HealthcareStatistic{LessThan: o.LessThan, GreaterThan: o.GreaterThan, Decimals: o.Decimals}
		c.Latin.Figure = cmp.Or(english.Replacement(bound, nil), english.Brief(o.Value, o.Decimals))
		remark := english.Comma + english.Remark(o.latestValue())
		c.Latin.Notes = []string{
			strings.TrimSuffix(v.series.areaKey+english.Comma+english.When(o.TimePeriod)+remark, english.Comma),
		}
	}
	s := v.series
	if s == nil {
		return
	}
	if v.latest != nil && !v.latest.latestValue().IsForecast() { // the line ends at the value shown
		own := *s
		isForecast := func(o observation) bool { return o.latestValue().IsForecast() }
		own.values = slices.DeleteFunc(slices.Clone(s.values), isForecast)
		s = &own
	}
	from, to, low, high, ok := (&panel{all: []*series{s}, shown: []*series{s}, from: math.NaN()}).extent()
	if !ok || from == to || low == high {
		return
	}
	before := -1
	c.Zero = (0 - low) / (high - low)
	for i := range s.values {
		if o := &s.values[i]; o.isDrawable() {
			c.Line = append(c.Line, cards.Point{
				X: (o.at - from) / (to - from), Y: (o.value() - low) / (high - low), Gap: !s.isJoined(before, i),
				Apart: before < 0 || s.isSeparated(before, i),
			})
			before = i
		}
	}
}
